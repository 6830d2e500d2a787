import { decayOf } from "../../domain/decay.ts";
import type { ExperienceRecord } from "../../domain/experience.ts";

type Uses = Pick<ExperienceRecord["meta"], "wins" | "losses">;

/** u of papers §13.3: how often it helped, 0.5 while nothing is known. Re-orders what applies, never what is looked up. */
export function usefulness({ wins, losses }: Uses): number {
  return (wins + 1) / (wins + losses + 2);
}

/** What age leaves of a record, 0.3 to 1. Patterns do not age. */
export function decay({ level, meta }: ExperienceRecord, now: Date): number {
  return decayOf(level, Date.parse(meta.lastSeenAt), now);
}

/** By what the memory decides who has to go (papers §13.4): usefulness, confidence and age. 0 to 1. */
export function worth(record: ExperienceRecord, now: Date): number {
  const confidence = record.level === "L1" ? record.body.z.confidence : 1;
  return usefulness(record.meta) * confidence * decay(record, now);
}

const USES_TO_JUDGE = 4; // papers §13.3
const LEAST_USEFUL = 0.25; // papers §13.3
// papers §13.3: a repair that was taken back, or whose failure came back within 14 days, counts twice.
const LOSSES = { won: 0, lost: 1, reverted: 2 } as const;

/** A record after a repair it guided: counted, and put in quarantine when it does more harm than good. */
export function afterUse<R extends ExperienceRecord>(record: R, ended: keyof typeof LOSSES, at: Date): R {
  const wins = record.meta.wins + (ended === "won" ? 1 : 0);
  const losses = record.meta.losses + LOSSES[ended];
  const isBad = ended === "reverted" || (wins + losses >= USES_TO_JUDGE && usefulness({ wins, losses }) < LEAST_USEFUL);
  const lastSeenAt =
    ended === "won" && at.toISOString() > record.meta.lastSeenAt ? at.toISOString() : record.meta.lastSeenAt;
  const status = isBad && record.meta.status === "active" ? "quarantined" : record.meta.status;
  return { ...record, meta: { ...record.meta, wins, losses, lastSeenAt, status } };
}

/** papers §13.4 */
export const CAPACITY_L1 = 5_000;

/**
 * The records a repository's memory has to retire to come down to `capacity` concrete ones: those of least worth; the best of
 * each failure class always stays.
 */
export function toRetire(
  records: readonly ExperienceRecord[],
  now: Date,
  capacity = CAPACITY_L1,
): readonly ExperienceRecord[] {
  const living = records.filter(({ level, meta }) => level === "L1" && meta.status !== "retired");
  if (living.length <= capacity) return [];
  const ranked = living
    .map((record) => ({ record, worth: worth(record, now) }))
    .sort((a, b) => b.worth - a.worth || (a.record.meta.id < b.record.meta.id ? -1 : 1));
  const seen = new Set<string>();
  const others = ranked.filter(({ record: { meta } }) => {
    if (seen.has(meta.category)) return true;
    seen.add(meta.category);
    return false;
  });
  const places = Math.max(0, capacity - (living.length - others.length));
  return others
    .slice(places)
    .map(({ record }): ExperienceRecord => ({ ...record, meta: { ...record.meta, status: "retired" } }));
}
