import { decayOf } from "../../domain/decay.ts";
import type { Level } from "../../domain/experience.ts";
import { type Embedder, EmbedderFailed } from "../../ports/embedder.ts";
import type { NearestQuery, NearestScope } from "../../ports/experience-store.ts";
import { fuse, TermRanking } from "../../text/fused-ranking.ts";
import { joinTerms, searchTerms } from "../../text/search-terms.ts";
import type { SearchRow, SearchStatements } from "./search-statements.ts";
import { dot, episodeVectors, ofUnitLength } from "./vectors.ts";

// An episode that fits speaks for each of its problems, though less than the problem itself (papers G13).
const EPISODE_SHARE = 0.5;

/** The scopes one repair asks about, and a few more; each holds the terms of its records. */
const MOST_SCOPES = 6;

export interface NearId {
  readonly id: string;
  readonly score: number;
}

interface Wanted {
  readonly limit: number;
  /** What age is counted from. */
  readonly now: Date;
}

export interface NearestIds {
  readonly answers: readonly (readonly NearId[])[];
  readonly fellBack: string | null;
}

/**
 * Ranks the records of a scope. What a scope holds is kept until anybody writes to the index. An embedder that failed is
 * not asked again until the store is opened anew.
 */
export function nearestRecords(index: SearchStatements, embedder: Embedder | null) {
  const scopes = new Map<string, LoadedScope>();
  let hasFailed = false;

  const scopeAt = (level: Level, scope: NearestScope): LoadedScope => {
    const { tenants, patternTenants, repo, workflow } = scope;
    const name = JSON.stringify(level === "L3" ? [level, patternTenants] : [level, tenants, repo, workflow]);
    const version = index.version();
    const known = scopes.get(name);
    const loaded = known?.version === version ? known : { version, ...load(index.rows(level, scope), level) };
    scopes.delete(name);
    scopes.set(name, loaded);
    for (const oldest of scopes.keys()) if (scopes.size > MOST_SCOPES) scopes.delete(oldest);
    return loaded;
  };

  const byWords = ({ level, text }: NearestQuery, scope: NearestScope, wanted: Wanted): readonly NearId[] => {
    const loaded = scopeAt(level, scope);
    const asked = searchTerms(text);
    const own = ownRows(loaded, scope);
    const scores = fuse(loaded.ranking.scores(asked), (at) => !own.has(at));
    if (loaded.episodes !== null) {
      const episodes = fuse(loaded.episodes.ranking.scores(asked), (at) => !own.has(loaded.episodes?.first[at] ?? -1));
      speakFor(scores, loaded.episodes.of, episodes);
    }
    return best(loaded, level, scores, own, wanted);
  };

  const byVectors = (
    { level }: NearestQuery,
    asked: Float32Array,
    scope: NearestScope,
    embedderId: string,
    wanted: Wanted,
  ): readonly NearId[] => {
    const loaded = scopeAt(level, scope);
    const own = ownRows(loaded, scope);
    const kept = index.vectors(embedderId, level, scope);
    const vectors = loaded.rows.map(({ key }) => kept.get(key) ?? new Float32Array(asked.length));
    const scores = Float64Array.from(vectors, (vector) => Math.max(0, dot(asked, vector)));
    if (loaded.episodes !== null) {
      const episodes = episodeVectors(vectors, loaded.episodes.of, loaded.episodes.first.length);
      speakFor(
        scores,
        loaded.episodes.of,
        Float64Array.from(episodes, (vector) => Math.max(0, dot(asked, vector))),
      );
    }
    return best(loaded, level, scores, own, wanted);
  };

  const embedBatch = async (
    by: Embedder,
    within: { readonly level: Level; readonly scope: NearestScope } | null,
  ): Promise<number> => {
    const missing = index.missing(by.id, by.batch, within);
    if (missing.length === 0) return 0;
    const vectors = await by.embed(missing.map(({ text }) => text));
    const known = index.dimensions(by.id);
    const made = missing.flatMap((row, at) => {
      const vector = vectors[at];
      return vector === undefined ? [] : [{ ...row, vector: ofUnitLength(vector) }];
    });
    if (made.length < missing.length) throw new EmbedderFailed("the embedder answered with too few vectors");
    if (known !== null && made.some(({ vector }) => vector.length !== known)) {
      throw new EmbedderFailed(
        `the embedder's vectors have another length than those of before (${known}): run \`retrace experience rebuild\``,
      );
    }
    index.putVectors(by.id, made);
    return made.length;
  };

  const askEmbedder = async (
    by: Embedder,
    queries: readonly NearestQuery[],
    scope: NearestScope,
    wanted: Wanted,
  ): Promise<readonly (readonly NearId[])[]> => {
    for (const level of new Set(queries.map((query) => query.level))) {
      while ((await embedBatch(by, { level, scope })) > 0);
    }
    const asked = await by.embed(queries.map(({ text }) => text));
    return queries.map((query, at) =>
      byVectors(query, ofUnitLength(asked[at] ?? new Float32Array()), scope, by.id, wanted),
    );
  };

  return {
    /** Best first. */
    ask: async (queries: readonly NearestQuery[], scope: NearestScope, wanted: Wanted): Promise<NearestIds> => {
      const words = () => queries.map((query) => byWords(query, scope, wanted));
      if (embedder === null || hasFailed) return { answers: words(), fellBack: null };
      try {
        return { answers: await askEmbedder(embedder, queries, scope, wanted), fellBack: null };
      } catch (error) {
        if (!(error instanceof EmbedderFailed)) throw error;
        hasFailed = true;
        return { answers: words(), fellBack: `${error.message}; memory is searched by words instead` };
      }
    },
    embedMissing: async (): Promise<number> => {
      if (embedder === null) return 0;
      let made = 0;
      for (let more = await embedBatch(embedder, null); more > 0; more = await embedBatch(embedder, null)) made += more;
      return made;
    },
  };
}

interface LoadedScope {
  readonly version: string;
  readonly rows: readonly SearchRow[];
  readonly ranking: TermRanking;
  /** Of concrete repairs only. */
  readonly episodes: LoadedEpisodes | null;
}

interface LoadedEpisodes {
  readonly ranking: TermRanking;
  /** Which episodes each row is of. */
  readonly of: readonly (readonly number[])[];
  /** A row of each episode. */
  readonly first: readonly number[];
}

function load(rows: readonly SearchRow[], level: Level): Omit<LoadedScope, "version"> {
  const ranking = new TermRanking(rows.map(({ terms }) => terms));
  return { rows, ranking, episodes: level === "L1" ? loadEpisodes(rows) : null };
}

function loadEpisodes(rows: readonly SearchRow[]): LoadedEpisodes {
  const numbers = new Map<string, number>();
  const members: number[][] = [];
  const of = rows.map(({ episodes }, row) =>
    episodes.map((id) => {
      const number = numbers.get(id) ?? members.length;
      numbers.set(id, number);
      members[number] = [...(members[number] ?? []), row];
      return number;
    }),
  );
  const terms = members.map((own) => joinTerms(own.flatMap((row) => rows[row]?.terms ?? [])));
  return { ranking: new TermRanking(terms), of, first: members.map(([row = -1]) => row) };
}

/** Rows that were learned from the target itself. */
function ownRows({ rows }: LoadedScope, { ownCommits, ownEpisodes }: NearestScope): ReadonlySet<number> {
  const own = new Set<number>();
  if (ownCommits.length === 0 && ownEpisodes.length === 0) return own;
  rows.forEach(({ commits, episodes }, at) => {
    if (commits.some((sha) => ownCommits.includes(sha)) || episodes.some((id) => ownEpisodes.includes(id))) own.add(at);
  });
  return own;
}

function speakFor(scores: Float64Array, of: LoadedEpisodes["of"], episodes: Float64Array): void {
  of.forEach((numbers, row) => {
    for (const number of numbers) {
      scores[row] = Math.max(scores[row] ?? 0, EPISODE_SHARE * (episodes[number] ?? 0));
    }
  });
}

function best(
  { rows }: LoadedScope,
  level: Level,
  scores: Float64Array,
  own: ReadonlySet<number>,
  { limit, now }: Wanted,
): readonly NearId[] {
  const kept: NearId[] = [];
  rows.forEach(({ id, lastSeenMs }, at) => {
    if (own.has(at)) return;
    const score = (scores[at] ?? 0) * decayOf(level, lastSeenMs, now);
    const last = kept[limit - 1];
    if (last !== undefined && score <= last.score) return;
    // Rows come by id: among equals the first stays first.
    const place = kept.findIndex((other) => other.score < score);
    kept.splice(place === -1 ? kept.length : place, 0, { id, score });
    if (kept.length > limit) kept.pop();
  });
  return kept;
}
