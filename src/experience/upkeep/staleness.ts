/** What was looked up in the tree as it is now; null where it could not be told. */
export interface StalenessFact {
  /** In words, to be shown: `src/cart.ts exists`, `vitest is in the workflow`. */
  readonly what: string;
  readonly holds: boolean | null;
}

export interface Staleness {
  /** `retire`: the workflow itself is gone. */
  readonly state: "fresh" | "partial" | "stale" | "unknown" | "retire";
  /** What does not hold any more and has to be adapted. */
  readonly toAdapt: readonly string[];
}

/** papers §13.4: all holds, fresh; at least half, partial; else stale: the concrete record is hidden, its strategy shown. */
export function judgeStaleness(facts: readonly StalenessFact[], workflowExists: boolean | null): Staleness {
  const known = facts.filter(({ holds }) => holds !== null);
  const toAdapt = known.filter(({ holds }) => holds === false).map(({ what }) => what);
  if (workflowExists === false) return { state: "retire", toAdapt };
  if (known.length === 0) return { state: "unknown", toAdapt };
  if (toAdapt.length === 0) return { state: "fresh", toAdapt };
  return { state: toAdapt.length * 2 <= known.length ? "partial" : "stale", toAdapt };
}
