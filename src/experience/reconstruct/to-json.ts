import type { HunkRef, Reconstruction } from "../../domain/experience.ts";

/** The document `retrace.episode/1` (design §5). */
export function toEpisodeDocument(reconstruction: Reconstruction): Record<string, unknown> {
  return { schema: "retrace.episode/1", ...episodeBody(reconstruction) };
}

/** Several at once: `retrace.episodes/1`. */
export function toEpisodesDocument(reconstructions: readonly Reconstruction[]): Record<string, unknown> {
  return { schema: "retrace.episodes/1", episodes: reconstructions.map(toEpisodeDocument) };
}

function episodeBody({ episode, records, development, unrelated, edges, rejected, sources }: Reconstruction) {
  return {
    episode: {
      id: episode.id,
      repo: episode.repo,
      workflow: episode.workflow,
      pr: episode.pr,
      failSha: episode.failSha,
      passSha: episode.passSha,
      completeness: episode.completeness,
      fixedByBase: episode.fixedByBase,
      quality: episode.quality,
      pushes: episode.pushes,
    },
    records: records.map((z) => ({
      id: z.id,
      problem: z.p.statement.value,
      rootCause: z.p.rootCause?.value ?? null,
      category: z.p.category,
      signals: z.p.signals.map(({ value }) => value),
      files: z.a.map(({ path }) => path),
      operations: z.r.operations.map(({ value }) => value),
      validation: { command: z.v.command, before: z.v.before, after: z.v.after },
      hunks: z.r.hunks.map(hunkOf),
      commits: z.r.commits,
      provenance: z.provenance,
      evidence: z.e,
      removedFields: z.removedFields,
      confidence: z.confidence,
    })),
    development: development.map((event) => ({
      commit: event.commit,
      kind: event.kind,
      hunks: event.hunks.map(hunkOf),
      why: event.why,
      record: event.record,
    })),
    unrelated: unrelated.map(hunkOf),
    edges: edges.map(({ from, to, type, support, confidence }) => ({ from, to, type, support, confidence })),
    rejected,
    sources,
  };
}

function hunkOf({ id, path, oldPath, oldRange, newRange, commit, fate }: HunkRef) {
  return { id, path, oldPath, oldRange, newRange, commit, fate };
}
