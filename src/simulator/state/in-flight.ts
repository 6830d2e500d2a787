/** Counts what has been started and not ended, so that a test can wait for quiet. */
export interface InFlight {
  /** Follows a piece of work; a rejection is kept and thrown by the next `idle`. */
  track(work: Promise<unknown>): void;
  /** Resolves when nothing is in flight. Rejects with the first failure of tracked work, which is a bug of the simulator. */
  idle(): Promise<void>;
}

/** Nothing in flight yet. */
export function trackWork(): InFlight {
  const open = new Set<Promise<unknown>>();
  const failures: unknown[] = [];
  return {
    track(work) {
      const followed: Promise<unknown> = work
        .catch((error) => failures.push(error))
        .finally(() => open.delete(followed));
      open.add(followed);
    },
    async idle() {
      while (open.size > 0) await Promise.all(open);
      if (failures.length > 0) throw failures[0];
    },
  };
}
