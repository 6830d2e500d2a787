import type { ExperienceRecord, ExperienceScope, Reconstruction } from "../../domain/experience.ts";
import type { ExperienceStore, Written } from "../../ports/experience-store.ts";
import type { Abstracted } from "../abstract/abstract-levels.ts";
import { mergeIntoMemory } from "./merge-records.ts";
import { type LearnedFrom, toKeptEpisode, toL1Records, toL2Record, toL3Record } from "./to-records.ts";
import { toRetire } from "./worth.ts";

export interface Remembered {
  readonly episodeId: string;
  /** False when this episode had been learned before. */
  readonly isNew: boolean;
  /** New and changed records, strategies and patterns, in this order; those that were refused, too. */
  readonly written: readonly Written[];
}

/**
 * Keeps what was recovered from an episode, and what its records say above themselves: the episode last, so that a kill in
 * between has it learned once more and nothing doubled. Learning it again may replace its records by better ones, never add
 * to them. What is made from a record that was refused or forgotten is not kept either.
 */
export async function remember(
  learned: Reconstruction,
  abstracted: readonly Abstracted[],
  from: LearnedFrom,
  store: ExperienceStore,
): Promise<Remembered> {
  const scope = { tenant: from.tenant, repo: learned.episode.repo };
  const concrete = await keepMerged(store, scope, toL1Records(learned, from));
  const strategies = await keepMerged(
    store,
    scope,
    concrete.kept.flatMap(({ record, home }) =>
      abstracted
        .filter(({ of }) => of === record.body.z.id)
        .map(({ strategy, quality }) => toL2Record(record, home, strategy, quality)),
    ),
  );
  const patterns = await keepMerged(
    store,
    { tenant: from.tenant, repo: null },
    strategies.kept.flatMap(({ record, home }) =>
      abstracted.flatMap(({ of, pattern }) =>
        pattern !== null &&
        concrete.kept.some((one) => one.record.body.z.id === of && record.meta.parents.includes(one.home))
          ? [toL3Record(record, home, pattern)]
          : [],
      ),
    ),
  );
  if (concrete.written.length > 0) await store.change(scope, (existing) => toRetire(existing, from.now));
  const episode = toKeptEpisode(learned, from);
  return {
    episodeId: episode.id,
    isNew: await store.keepEpisode(episode),
    written: [...concrete.written, ...strategies.written, ...patterns.written],
  };
}

interface KeptMerged<R> {
  readonly written: readonly Written[];
  /** Records that are in the memory now, and the id each is kept under. */
  readonly kept: readonly { readonly record: R; readonly home: string }[];
}

async function keepMerged<R extends ExperienceRecord>(
  store: ExperienceStore,
  scope: Pick<ExperienceScope, "tenant" | "repo">,
  incoming: readonly R[],
): Promise<KeptMerged<R>> {
  if (incoming.length === 0) return { written: [], kept: [] };
  let homes: ReadonlyMap<string, string> = new Map();
  const written = await store.change(scope, (existing) => {
    const merged = mergeIntoMemory(existing, incoming);
    homes = merged.homes;
    return merged.writes;
  });
  const gone = new Set(written.flatMap(({ id, ended }) => (ended === "refused" || ended === "forgotten" ? [id] : [])));
  const kept = incoming.flatMap((record) => {
    const home = homes.get(record.meta.id);
    return home === undefined || gone.has(home) ? [] : [{ record, home }];
  });
  return { written, kept };
}
