import type { Reconstruction } from "../../domain/experience.ts";
import type { ExperienceStore, Written } from "../../ports/experience-store.ts";
import { mergeIntoMemory } from "./merge-records.ts";
import { type LearnedFrom, toKeptEpisode, toL1Records } from "./to-records.ts";
import { toRetire } from "./worth.ts";

export interface Remembered {
  readonly episodeId: string;
  /** False when this episode had been learned before. */
  readonly isNew: boolean;
  readonly written: readonly Written[];
}

/**
 * Keeps what was recovered from an episode: its records first, then the episode itself, so that a kill in between has it
 * learned once more and nothing doubled. Learning it again may replace its records by better ones, never add to them.
 */
export async function remember(
  learned: Reconstruction,
  from: LearnedFrom,
  store: ExperienceStore,
): Promise<Remembered> {
  const incoming = toL1Records(learned, from);
  const scope = { tenant: from.tenant, repo: learned.episode.repo };
  const written =
    incoming.length === 0 ? [] : await store.change(scope, (existing) => mergeIntoMemory(existing, incoming));
  if (written.some(({ ended }) => ended === "kept"))
    await store.change(scope, (existing) => toRetire(existing, from.now));
  const episode = toKeptEpisode(learned, from);
  return { episodeId: episode.id, isNew: await store.keepEpisode(episode), written };
}
