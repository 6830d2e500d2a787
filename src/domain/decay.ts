import type { Level } from "./experience.ts";

const HALF_LIFE_DAYS = 365; // papers §13.4
const LEAST_DECAY = 0.3; // papers §13.4
const DAY_MS = 86_400_000;

/** What age leaves of a record that was last seen at a time (ms since 1970), 0.3 to 1. Patterns do not age. */
export function decayOf(level: Level, lastSeenMs: number, now: Date): number {
  if (level === "L3") return 1;
  const days = Math.max(0, now.getTime() - lastSeenMs) / DAY_MS;
  return Math.max(LEAST_DECAY, 2 ** (-days / HALF_LIFE_DAYS));
}
