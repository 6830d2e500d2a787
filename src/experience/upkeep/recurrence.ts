import { clusterProblems } from "../../domain/cluster-problems.ts";
import { comparedRecord } from "../../domain/compared-record.ts";
import type { ExperienceRecord } from "../../domain/experience.ts";
import { jaccard } from "../../domain/similarity.ts";
import type { KeptEpisode } from "../../ports/experience-store.ts";
import { cosine, tfIdfVectors } from "../../text/tf-idf.ts";

type L1 = ExperienceRecord & { readonly level: "L1" };

/** A problem that comes back in one workflow of one repository. */
export interface RecurringPattern {
  readonly repo: string;
  readonly workflow: string | null;
  /** Record that stands for it. */
  readonly representative: string;
  readonly statement: string;
  readonly members: readonly string[];
  readonly episodes: readonly string[];
  /** Episodes it could have come up in. */
  readonly inScope: number;
  /** Share of these episodes, ours counting half. */
  readonly coverage: number;
}

// papers §1.10 T8 and G10.
const LEAST_COVERAGE = 0.5;
const LEAST_EPISODES = 3;
const NEWEST_EPISODES = 50;
const NEWEST_DAYS = 365;
const OWN_VOTE = 0.5; // papers §13.2: the memory must not confirm itself
const DAY_MS = 86_400_000;

/** The problems of a repository that come back, most frequent first (papers §1.10 T8). Each episode votes once a pattern. */
export function recurringPatterns(
  episodes: readonly KeptEpisode[],
  records: readonly ExperienceRecord[],
  now: Date,
): readonly RecurringPattern[] {
  const groups = groupedBy(episodes, ({ tenant, repo, workflow }) => JSON.stringify([tenant, repo, workflow]));
  return [...groups.values()]
    .flatMap((group) => patternsOf(inScope(group, now), records))
    .sort((a, b) => b.coverage - a.coverage || (a.representative < b.representative ? -1 : 1));
}

function inScope(episodes: readonly KeptEpisode[], now: Date): readonly KeptEpisode[] {
  const oldest = now.getTime() - NEWEST_DAYS * DAY_MS;
  return [...episodes]
    .filter(({ at }) => Date.parse(at) >= oldest)
    .sort((a, b) => (a.at < b.at ? 1 : -1))
    .slice(0, NEWEST_EPISODES);
}

function patternsOf(
  episodes: readonly KeptEpisode[],
  records: readonly ExperienceRecord[],
): readonly RecurringPattern[] {
  const [first] = episodes;
  if (first === undefined || episodes.length < LEAST_EPISODES) return [];
  const byId = new Map(episodes.map((episode) => [episode.id, episode]));
  const own = records.filter(
    (record): record is L1 =>
      record.level === "L1" && record.meta.status === "active" && record.meta.episodeIds.some((id) => byId.has(id)),
  );
  const items = own.map((record) => ({
    id: record.meta.id,
    confidence: record.body.z.confidence,
    compared: comparedRecord(record),
    record,
  }));
  return clusterProblems(items).flatMap((members) => {
    const seen = [...new Set(members.flatMap(({ record }) => record.meta.episodeIds))].flatMap(
      (id) => byId.get(id) ?? [],
    );
    const votes = seen.reduce((sum, { byRetrace }) => sum + (byRetrace ? OWN_VOTE : 1), 0);
    const all = episodes.reduce((sum, { byRetrace }) => sum + (byRetrace ? OWN_VOTE : 1), 0);
    const coverage = votes / all;
    const [representative] = members;
    const recurs = seen.length >= LEAST_EPISODES && coverage >= LEAST_COVERAGE && seen.some(({ byPerson }) => byPerson);
    if (!recurs || representative === undefined) return [];
    return {
      repo: first.repo,
      workflow: first.workflow,
      representative: representative.id,
      statement: representative.record.body.z.p.statement.value,
      members: members.map(({ id }) => id).sort(),
      episodes: seen.map(({ id }) => id).sort(),
      inScope: episodes.length,
      coverage,
    };
  });
}

/** How much of one repository's history comes back: R(i) = max over other episodes of how alike they are, and its mean. */
export interface Recurrence {
  readonly repo: string;
  /** Episodes with records that were compared, the newest 500 at most; one without records tells nothing. */
  readonly episodes: number;
  /** Means over the episodes, 0 to 1; null with fewer than two. */
  readonly structural: number | null;
  readonly lexical: number | null;
}

/** Means of R(i) that RETRACE reports for its repositories. */
export const PAPER_RECURRENCE = { structural: 0.436, lexical: 0.811 } as const;

/** R(i) of papers §6, for each repository, by name. */
export function recurrenceByRepository(records: readonly ExperienceRecord[]): readonly Recurrence[] {
  const concrete = records.filter((record): record is L1 => record.level === "L1" && record.meta.status === "active");
  return [...groupedBy(concrete, ({ meta }) => meta.scope.repo ?? "")]
    .map(([repo, own]) => recurrenceOf(repo, own))
    .sort((a, b) => (a.repo < b.repo ? -1 : 1));
}

// Every episode is compared with every other one: this many take about two seconds.
const MOST_EPISODES = 500;

function recurrenceOf(repo: string, records: readonly L1[]): Recurrence {
  const newest = [...records].sort((a, b) => (a.meta.lastSeenAt < b.meta.lastSeenAt ? 1 : -1));
  const byEpisode = new Map<string, L1[]>();
  for (const record of newest) {
    for (const id of record.meta.episodeIds) byEpisode.set(id, [...(byEpisode.get(id) ?? []), record]);
  }
  const instances = [...byEpisode.values()].slice(0, MOST_EPISODES).map(instanceOf);
  const vectors = tfIdfVectors(instances.map(({ text }) => text));
  const meanOfBest = (like: (i: number, j: number) => number): number | null => {
    if (instances.length < 2) return null;
    const best = instances.map(() => 0);
    for (let i = 1; i < instances.length; i++) {
      for (let j = 0; j < i; j++) {
        const s = like(i, j);
        best[i] = Math.max(best[i] ?? 0, s);
        best[j] = Math.max(best[j] ?? 0, s);
      }
    }
    return best.reduce((sum, value) => sum + value, 0) / best.length;
  };
  const empty: ReadonlyMap<string, number> = new Map();
  return {
    repo,
    episodes: instances.length,
    structural: meanOfBest((i, j) => structuralLikeness(instances[i], instances[j])),
    lexical: meanOfBest((i, j) => cosine(vectors[i] ?? empty, vectors[j] ?? empty)),
  };
}

interface Instance {
  readonly facets: readonly ReadonlySet<string>[];
  readonly text: string;
}

/** An episode: failure types, commands, dependencies between its problems, files; and its words. */
function instanceOf(records: readonly L1[]): Instance {
  const category = new Map(records.map(({ body }) => [body.z.id, body.z.p.category]));
  const edges = records.flatMap(({ body }) => body.edges);
  return {
    facets: [
      new Set(records.map(({ meta }) => meta.category)),
      new Set(
        records
          .flatMap(({ body }) => body.z.v.command.split("\n").map((line) => line.trim()))
          .filter((line) => line !== ""),
      ),
      new Set(edges.map(({ from, to, type }) => `${category.get(from)} ${type} ${category.get(to)}`)),
      new Set(records.flatMap(({ body }) => body.z.a.map(({ path }) => path))),
    ],
    text: records
      .flatMap(({ body: { z } }) => [
        z.p.statement.value,
        z.p.rootCause?.value ?? "",
        ...z.p.signals.map(({ value }) => value),
      ])
      .join("\n"),
  };
}

/** Mean Jaccard over what at least one of the two has. */
function structuralLikeness(a: Instance | undefined, b: Instance | undefined): number {
  const shares = (a?.facets ?? []).flatMap((facet, at) => {
    const other = b?.facets[at] ?? new Set();
    return facet.size + other.size === 0 ? [] : [jaccard(facet, other)];
  });
  return shares.length === 0 ? 0 : shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

const ENOUGH_EPISODES = 5; // below that a mean says more about chance than about the repository

/** How far memory can help in such a repository, in one sentence. */
export function whatToExpect({ episodes, structural, lexical }: Recurrence): string {
  if (structural === null || lexical === null) return "nothing to compare yet: learn from more episodes";
  if (episodes < ENOUGH_EPISODES) return `too few episodes to tell (${ENOUGH_EPISODES} at least)`;
  const share = Math.min(structural / PAPER_RECURRENCE.structural, lexical / PAPER_RECURRENCE.lexical);
  if (share >= 1) return "as much comes back as where memory was measured to help: expect it to help";
  if (share >= 0.5) return "some comes back, less than where memory was measured to help: expect a little";
  return "hardly anything comes back: expect little from memory here";
}

function groupedBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}
