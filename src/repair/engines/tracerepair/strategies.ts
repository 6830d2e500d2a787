import type { Strategy } from "../../../domain/switches.ts";

export interface StrategyRow {
  readonly name: Strategy;
  /** What it looks at, as its agent is told. */
  readonly stance: string;
}

/** TraceRepair's three ways to look at one trace (papers §4.3). */
export const STRATEGY_ROWS: readonly StrategyRow[] = [
  {
    name: "defensive",
    stance:
      "Defensive: look for the anomaly in the trace (a missing, empty, boundary or unexpected value) and guard the place where it does harm: checks, boundaries, a sound fallback. Never hide an error that a caller has to see.",
  },
  {
    name: "causal",
    stance:
      "Causal: go back from the first wrong value in the trace to the control flow or the computation that made it, and correct that place. Explain why the state that was recorded arises.",
  },
  {
    name: "semantic",
    stance:
      "Semantic: decide what the function promises, by its name, its comments, the contracts of what it calls, the message of the failing test and the rules of the domain, and make the code do exactly that.",
  },
];
