import { isEffective, type ProblemRepair } from "../../domain/experience.ts";

const WITHOUT_ROOT_CAUSE = 0.7; // papers §9.3
const WITHOUT_LOGS = 0.6; // papers §8.5
const IN_CONFLICT = 0.5; // papers G3

/**
 * How far to trust a record (papers §9.3): verified fields, surviving hunks, a validation that turned green, both views, logs
 * at hand; then the penalties. 0 to 1, two decimals.
 */
export function confidenceOf(z: Omit<ProblemRepair, "confidence">, episode: { readonly logs: boolean }): number {
  const cited = [z.p.statement, z.p.rootCause, ...z.p.signals, ...z.r.operations].filter((field) => field !== null);
  const verified = cited.filter(({ support }) => support === "verified").length / Math.max(1, cited.length);
  const hunks = z.r.hunks;
  const surviving = hunks.filter(({ fate }) => isEffective(fate)).length / Math.max(1, hunks.length);
  const flipped = z.v.before === "failed" && z.v.after === "successful" ? 1 : 0;
  const both = z.provenance === "both" ? 1 : 0;
  const sum = 0.35 * verified + 0.25 * surviving + 0.2 * flipped + 0.1 * both + 0.1 * (episode.logs ? 1 : 0);
  const penalty =
    (z.p.rootCause === null ? WITHOUT_ROOT_CAUSE : 1) *
    (episode.logs ? 1 : WITHOUT_LOGS) *
    (z.conflict ? IN_CONFLICT : 1);
  return Math.round(sum * penalty * 100) / 100;
}
