import type { AskParts } from "../../agent/ask.ts";
import type { DependencyEdge, EvidenceItem, HunkRef, ProblemRepair, Reconstruction } from "../../domain/experience.ts";
import type { History } from "../../ports/history.ts";
import { redact } from "../../text/redact.ts";
import { attribute } from "./attribute.ts";
import { inferDependencies } from "./dependencies.ts";
import { developmentView } from "./development-view.ts";
import { heuristicEdges } from "./edges.ts";
import { endpointView } from "./endpoint-view.ts";
import { judgeRecord } from "./judge-record.ts";
import { observedEdges, withObserved } from "./observed-edges.ts";
import { type EpisodeInput, type OpenEpisode, openEpisode } from "./open-episode.ts";
import { reconcile } from "./reconcile.ts";
import { type Drafted, skeletonRecords } from "./skeleton.ts";

/** What reconstruction found, and how it came about. */
export interface Reconstructed {
  readonly reconstruction: Reconstruction;
  /** Everything its citations may point to, with the texts (redacted): what abstraction reads. */
  readonly evidence: readonly EvidenceItem[];
  /** Questions the model did not answer usefully, one line each; empty without a model. */
  readonly unanswered: readonly string[];
}

/**
 * Which change repaired which problem, with evidence (RETRACE §3.1). `model` null: skeletons, what the evidence alone says.
 * With a model both views are told and reconciled; what it does not answer falls back stage by stage, and when nothing of
 * what it said holds, the skeletons stand. Rejects with GitFailed for missing commits, and when the signal aborts.
 */
export async function reconstructEpisode(
  history: Omit<History, "close">,
  input: EpisodeInput,
  model: AskParts | null = null,
): Promise<Reconstructed> {
  const open = await openEpisode(history, input);
  const settled = attribute({ ...open, pushes: open.episode.pushes });
  const skeleton = skeletonRecords(open, settled);
  const evidence = open.pack.all();
  if (model === null || open.episode.fixedByBase)
    return { reconstruction: concludeSkeleton(open, skeleton), evidence, unanswered: [] };
  const endpoint = await endpointView(open, settled, model);
  const development = await developmentView(open, model);
  const { kept, dropped, unanswered } = await reconcile(
    [...endpoint.candidates, ...development.candidates],
    open,
    model,
  );
  const judged = kept.map((candidate) => ({ candidate, judged: judgeRecord("", candidate, open, settled) }));
  const records = judged
    .flatMap(({ judged }) => (judged.kept ? [judged.record] : []))
    .map((z, index) => ({ ...z, id: `z${index + 1}` }));
  const why = [...endpoint.unanswered, ...development.unanswered, ...unanswered];
  if (records.length === 0) return { reconstruction: concludeSkeleton(open, skeleton), evidence, unanswered: why };
  const depends = await inferDependencies(records, open, model);
  const rejected = [
    ...judged.flatMap(({ candidate, judged }) =>
      judged.kept ? [] : [{ statement: redact(candidate.statement.value), why: judged.why }],
    ),
    ...dropped.map(({ candidate, why }) => ({ statement: redact(candidate.statement.value), why })),
  ];
  const reconstruction = conclude(open, { records, rejected, edges: depends.edges, quality: "full" });
  return { reconstruction, evidence, unanswered: [...why, ...depends.unanswered] };
}

function redSignatures({ input }: OpenEpisode): readonly string[] {
  return input.evidence.failures.map(({ signature }) => signature);
}

function concludeSkeleton(open: OpenEpisode, { records, rejected }: Drafted): Reconstruction {
  return conclude(open, { records, rejected, edges: heuristicEdges(records), quality: "skeleton" });
}

function conclude(
  open: OpenEpisode,
  found: {
    readonly records: readonly ProblemRepair[];
    readonly rejected: Reconstruction["rejected"];
    readonly edges: readonly DependencyEdge[];
    readonly quality: "full" | "skeleton";
  },
): Reconstruction {
  const repaired = new Set(found.records.flatMap(({ r }) => r.hunks.map(({ id }) => id)));
  const cited = found.records.flatMap(({ e }) => Object.values(e).flatMap((cites) => cites.map(({ id }) => id)));
  return {
    episode: { ...open.episode, quality: found.quality },
    records: found.records,
    development: open.fates.development,
    unrelated: open.fates.delta.map(({ ref }): HunkRef => ref).filter(({ id }) => !repaired.has(id)),
    edges: withObserved(observedEdges(found.records, redSignatures(open), open.episode.pushes), found.edges),
    rejected: found.rejected,
    sources: open.pack.some(cited).map(({ id, kind, locator }) => ({ id, kind, locator })),
  };
}
