import { type CiteContext, type ClaimKind, judgeClaim } from "../../agent/cite.ts";
import type { Failure, Validation } from "../../domain/evidence.ts";
import {
  type Citation,
  type Cited,
  type HunkRef,
  isEffective,
  type ProblemRepair,
  type RemovedField,
} from "../../domain/experience.ts";
import { redact } from "../../text/redact.ts";
import type { Attribution } from "./attribute.ts";
import { type Candidate, viewOf } from "./candidate.ts";
import { confidenceOf } from "./confidence.ts";
import { hunkId, logId } from "./evidence-pack.ts";
import type { OpenEpisode } from "./open-episode.ts";
import { roleOf } from "./roles.ts";
import { artifactsOf, commitCites, commitsOf } from "./skeleton.ts";

export type JudgedRecord =
  | { readonly kept: true; readonly record: ProblemRepair }
  | { readonly kept: false; readonly why: string };

/**
 * Holds a candidate to its evidence (papers §9.3): what nothing supports is taken out, and without a problem, a validation
 * or a change that stayed there is no record.
 */
export function judgeRecord(
  id: string,
  candidate: Candidate,
  open: OpenEpisode,
  settled: readonly Attribution[],
): JudgedRecord {
  const context = contextOf(open);
  const removed: RemovedField[] = [];
  const judge = (field: string, kind: ClaimKind, one: Cited<string>): Cited<string> | null => {
    const { claim, why } = judgeClaim(kind, one.value, one.cites, context);
    if (why === null) return { ...claim, value: redact(claim.value) };
    removed.push({ field, why });
    return null;
  };
  const statement = judge("problem", "statement", candidate.statement);
  if (statement === null) return { kept: false, why: `nothing supports its problem: ${removed[0]?.why}` };
  const validation = open.input.evidence.validations.find((one) => one.id === candidate.validation);
  if (validation === undefined) return { kept: false, why: "no validation of the run belongs to it" };
  const operations = candidate.operations.flatMap((one, at) => judge(`operations.${at}`, "operations", one) ?? []);
  const hunks = hunksOf(candidate, operations, open, settled, removed);
  if (hunks.length === 0) return { kept: false, why: "no change that stayed belongs to it" };
  const signals = candidate.signals.flatMap((one, at) => judge(`signals.${at}`, "signals", one) ?? []);
  const unlinked = whyUnlinked(candidate, [statement, ...signals], validation, hunks, open);
  if (unlinked !== null) return { kept: false, why: unlinked };
  const rootCause = candidate.rootCause === null ? null : judge("rootCause", "rootCause", candidate.rootCause);
  return {
    kept: true,
    record: recordOf(id, { candidate, statement, rootCause, operations, signals, hunks, validation, removed }, open),
  };
}

interface Supported {
  readonly candidate: Candidate;
  readonly statement: Cited<string>;
  readonly rootCause: Cited<string> | null;
  readonly operations: readonly Cited<string>[];
  readonly signals: readonly Cited<string>[];
  readonly hunks: readonly HunkRef[];
  readonly validation: Validation;
  readonly removed: readonly RemovedField[];
}

function recordOf(id: string, supported: Supported, open: OpenEpisode): ProblemRepair {
  const { candidate, statement, rootCause, operations, signals, hunks, validation, removed } = supported;
  const own = new Set(hunks.map((hunk) => hunk.id));
  const failures = failuresOf([statement, ...signals], open);
  const views = new Set(candidate.sourceIds.map(viewOf));
  const draft: Omit<ProblemRepair, "confidence"> = {
    id,
    provenance: views.size > 1 ? "both" : views.has("endpoint") ? "endpoint_only" : "development_only",
    sourceIds: candidate.sourceIds,
    conflict: candidate.conflict,
    p: {
      statement,
      rootCause,
      category: candidate.category,
      signals,
      signatures: [...new Set(failures.map(({ signature }) => signature))],
      tool: failures[0]?.tool ?? validation.tool,
      rule: failures[0]?.rule ?? null,
      visibility: validation.status === "unreached" ? "hidden" : "primary",
    },
    a: artifactsOf(open.pieces.filter(({ id }) => own.has(id))),
    r: {
      operations,
      hunks,
      commits: commitsOf(hunks, open),
      touchesWorkflow: hunks.some(({ path }) => roleOf(path) === "workflow"),
      autofixTool: null,
    },
    v: {
      id: validation.id,
      command: redact(validation.command),
      tool: validation.tool,
      before: validation.status === "unreached" ? "unreached" : "failed",
      after: "successful",
    },
    e: {
      problem: statement.cites,
      ...(rootCause === null ? {} : { rootCause: rootCause.cites }),
      signals: signals.flatMap(({ cites }) => cites),
      operations: operations.flatMap(({ cites }) => cites),
      validation: [{ id: `S-${validation.id}`, quote: null }],
      hunks: hunks.map((hunk): Citation => ({ id: hunk.id, quote: null })),
      commits: commitCites(hunks, open),
    },
    removedFields: removed,
  };
  return { ...draft, confidence: confidenceOf(draft, open.input.evidence.quality) };
}

/** What the citation check may look up in this episode. */
export function contextOf(open: OpenEpisode): CiteContext {
  const fates = new Map(open.pieces.map(({ id, hunk }) => [id, hunk.ref.fate]));
  open.fates.commits.forEach(({ fate, removed }, index) => {
    // A change written anew still owns what it took away (papers §8.4).
    const effective = removed !== null && isEffective(removed.fate) ? removed.fate : fate;
    fates.set(hunkId(index), effective);
  });
  const unreached = new Set(
    open.input.evidence.validations.filter(({ status }) => status === "unreached").map(({ id }) => `S-${id}`),
  );
  return {
    item: (id) => open.pack.get(id),
    fateOf: (id) => fates.get(id) ?? null,
    isUnreached: (id) => unreached.has(id),
    inTree: (entity) =>
      open.code.holds(entity) || open.input.evidence.validations.some(({ command }) => command.includes(entity)),
  };
}

/** Of the changes it claims, those that stayed and that a repair operation or the evidence itself speaks for. */
function hunksOf(
  candidate: Candidate,
  operations: readonly Cited<string>[],
  open: OpenEpisode,
  settled: readonly Attribution[],
  removed: RemovedField[],
): readonly HunkRef[] {
  const cited = new Set(operations.flatMap(({ cites }) => cites.map(({ id }) => id)));
  const fromCommits = new Set(
    open.fates.commits.flatMap(({ hunk }, index) => (cited.has(hunkId(index)) ? [hunk] : [])),
  );
  const sure = new Set(settled.flatMap(({ pieces }) => pieces.map(({ piece }) => piece.id)));
  const kept: HunkRef[] = [];
  for (const { id, hunk } of open.pieces) {
    if (!candidate.hunks.includes(id)) continue;
    const spoken = cited.has(id) || sure.has(id) || hunk.from.some((one) => fromCommits.has(one));
    if (isEffective(hunk.ref.fate) && spoken) kept.push(hunk.ref);
    else
      removed.push({
        field: `hunks.${id}`,
        why: spoken ? `it did not stay (${hunk.ref.fate})` : "no repair operation cites it",
      });
  }
  return kept;
}

/** One view alone needs more than its own word (papers G5). */
function whyUnlinked(
  { sourceIds }: Candidate,
  claims: readonly Cited<string>[],
  validation: Validation,
  hunks: readonly HunkRef[],
  open: OpenEpisode,
): string | null {
  const views = new Set(sourceIds.map(viewOf));
  if (views.size > 1) return null;
  if (validation.status !== "failed" && validation.status !== "unreached") return "its validation did not fail";
  if (!views.has("endpoint") && !hunks.some(({ fate }) => fate === "retained"))
    return "told by commits alone, and nothing of it stayed whole";
  const quoted = claims.filter(({ support }) => support === "verified");
  const own = new Set(
    open.groups.flatMap(({ failures, validation: at }) =>
      at?.id === validation.id ? failures.map(({ id }) => logId(id)) : [],
    ),
  );
  const links = quoted.some(({ cites }) => cites.some(({ id }) => own.has(id) || id === `S-${validation.id}`));
  return links ? null : "one view alone tells it, and no quoted evidence links it to its validation";
}

function failuresOf(claims: readonly Cited<string>[], { groups }: OpenEpisode): readonly Failure[] {
  const cited = new Set(claims.flatMap(({ cites }) => cites.map(({ id }) => id)));
  return groups.flatMap(({ failures }) => failures.filter(({ id }) => cited.has(logId(id))));
}
