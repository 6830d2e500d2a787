import { type ExperienceRecord, LEVELS, type Level } from "../../domain/experience.ts";
import type { ExperienceStore, NearestScope } from "../../ports/experience-store.ts";

/** Where memory may be taken from for one repair, and which levels of it. */
export interface RetrievalScope extends NearestScope {
  readonly levels: readonly Level[];
}

export interface RetrievalHit {
  readonly record: ExperienceRecord;
  readonly level: Level;
  /** 1 is best. */
  readonly rank: number;
  /** Only comparable within a level of one answer. */
  readonly score: number;
}

export interface RetrievalParts {
  readonly memory: Pick<ExperienceStore, "nearest">;
  readonly now: Date;
  /** Told once when the configured embedder could not be used. */
  readonly tell: (line: string) => void;
}

/** RETRACE §3.3: five of each level, independently, without a threshold. */
export const HITS_PER_LEVEL = 5;

/**
 * The records nearest to a problem, best first in each level (papers §1.10 T2–T4). The scope is applied before ranking: L1
 * from the same workflow of the same repository, L2 from the same repository, L3 from anywhere in these accounts.
 * Quarantined and retired records, and what was learned from the target itself, are never among them.
 */
export async function retrieve(
  queries: Readonly<Record<Level, string>>,
  scope: RetrievalScope,
  { memory, now, tell }: RetrievalParts,
): Promise<readonly RetrievalHit[]> {
  const asked = LEVELS.filter((level) => scope.levels.includes(level)).map((level) => ({
    level,
    text: queries[level],
  }));
  const { answers, fellBack } = await memory.nearest(asked, scope, HITS_PER_LEVEL, now);
  if (fellBack !== null) tell(fellBack);
  return asked.flatMap(({ level }, at) =>
    (answers[at] ?? []).map(({ record, score }, index) => ({ record, level, score, rank: index + 1 })),
  );
}
