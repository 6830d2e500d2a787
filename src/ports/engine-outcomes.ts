import type { EngineOutcome } from "../domain/engine-outcome.ts";

/** What became of the engines' work, append-only. */
export interface EngineOutcomes {
  add(outcomes: readonly EngineOutcome[]): Promise<void>;
  /** Newest word on each id and engine, in the order they were first told; lines that cannot be read are passed over. */
  list(): Promise<readonly EngineOutcome[]>;
}
