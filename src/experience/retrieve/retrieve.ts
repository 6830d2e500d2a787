import { type ExperienceRecord, LEVELS, type Level } from "../../domain/experience.ts";
import { recordText } from "../../domain/record-text.ts";
import { queriesFor, type WantedProblem } from "./queries.ts";
import { scoreDocuments } from "./rank.ts";

/** Where memory may be taken from for one repair. */
export interface RetrievalScope {
  /** Accounts whose memory it is: the installation's own, and the command line's on the same machine. */
  readonly tenants: readonly string[];
  readonly repo: string;
  /** Null where it is not known: then every workflow of the repository counts. */
  readonly workflow: string | null;
  /** Commits of the target itself: an episode that holds one of them must not guide its own repair (design §10.8). */
  readonly ownCommits: readonly string[];
  readonly levels: readonly Level[];
}

export interface RetrievalHit {
  readonly record: ExperienceRecord;
  readonly level: Level;
  /** 1 is best. */
  readonly rank: number;
  readonly score: number;
}

/** RETRACE §3.3: five of each level, independently, without a threshold. */
export const HITS_PER_LEVEL = 5;

/**
 * The records nearest to a problem, best first in each level (papers §1.10 T2–T4). The scope is applied before ranking: L1
 * from the same workflow of the same repository, L2 from the same repository, L3 from anywhere in these accounts.
 * Quarantined and retired records, and the target's own episode, are never among them.
 */
export function retrieve(
  wanted: WantedProblem,
  scope: RetrievalScope,
  records: readonly ExperienceRecord[],
): readonly RetrievalHit[] {
  const queries = queriesFor(wanted);
  return LEVELS.filter((level) => scope.levels.includes(level)).flatMap((level) => {
    const candidates = records.filter((record) => record.level === level && isInScope(record, scope));
    return nearest(queries[level], level, candidates);
  });
}

function nearest(query: string, level: Level, candidates: readonly ExperienceRecord[]): RetrievalHit[] {
  const documents = candidates.map(recordText);
  const byProblem = scoreDocuments(query, documents);
  const byEpisode = level === "L1" ? episodeScores(query, candidates, documents) : byProblem;
  return candidates
    .map((record, at) => ({ record, level, score: Math.max(byProblem[at] ?? 0, byEpisode[at] ?? 0) }))
    .sort((a, b) => b.score - a.score || (a.record.meta.id < b.record.meta.id ? -1 : 1))
    .slice(0, HITS_PER_LEVEL)
    .map((hit, index) => ({ ...hit, rank: index + 1 }));
}

// An episode that fits speaks for each of its problems, though less than the problem itself (papers G13).
const EPISODE_SHARE = 0.5;

function episodeScores(
  query: string,
  records: readonly ExperienceRecord[],
  documents: readonly string[],
): readonly number[] {
  const texts = new Map<string, string[]>();
  records.forEach(({ meta }, at) => {
    for (const id of meta.episodeIds) texts.set(id, [...(texts.get(id) ?? []), documents[at] ?? ""]);
  });
  const ids = [...texts.keys()];
  const scores = scoreDocuments(
    query,
    ids.map((id) => (texts.get(id) ?? []).join("\n")),
  );
  const byId = new Map(ids.map((id, at) => [id, scores[at] ?? 0]));
  return records.map(({ meta }) => EPISODE_SHARE * Math.max(0, ...meta.episodeIds.map((id) => byId.get(id) ?? 0)));
}

function isInScope({ level, meta }: ExperienceRecord, scope: RetrievalScope): boolean {
  if (meta.status !== "active" || !scope.tenants.includes(meta.scope.tenant)) return false;
  if (meta.provenance.sourceShas.some((sha) => scope.ownCommits.includes(sha))) return false;
  if (level === "L3") return true;
  if (meta.scope.repo?.toLowerCase() !== scope.repo.toLowerCase()) return false;
  return (
    level === "L2" || meta.scope.workflow === null || scope.workflow === null || meta.scope.workflow === scope.workflow
  );
}
