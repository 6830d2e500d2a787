import type { DependencyEdge, HunkRef, ProblemRepair, Reconstruction } from "../../domain/experience.ts";
import type { History } from "../../ports/history.ts";
import { heuristicEdges } from "./edges.ts";
import { type EpisodeInput, type OpenEpisode, openEpisode } from "./open-episode.ts";
import { skeletonRecords } from "./skeleton.ts";

/**
 * Which change repaired which problem, with evidence (RETRACE §3.1). Without a model the records are skeletons; with one
 * they are what both views agree on, and whatever the model does not support falls back to what the evidence alone says.
 */
export async function reconstructEpisode(
  history: Omit<History, "close">,
  input: EpisodeInput,
): Promise<Reconstruction> {
  const open = await openEpisode(history, input);
  const { records, rejected } = skeletonRecords(open);
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
    edges: found.edges,
    rejected: found.rejected,
    sources: open.pack.some(cited).map(({ id, kind, locator }) => ({ id, kind, locator })),
  };
}
