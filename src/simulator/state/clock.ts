/** The simulator's own clock: another machine's time, which a test can move forward (links, tokens and JWTs expire). */
export interface Clock {
  now(): number;
  /** As GitHub's API writes times: UTC, whole seconds. */
  iso(): string;
  skip(ms: number): void;
}

/** Starts at this machine's time. */
export function startClock(): Clock {
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const skip = (ms: number) => {
    ahead += ms;
  };
  return { now, iso: () => isoSeconds(now()), skip };
}

/** `2026-01-31T12:00:00Z` */
export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
