import type { EngineName } from "./attempt.ts";
import type { FailureClass } from "./category.ts";

/** How one engine's work on one problem ended, as CI or a merge judged it (papers §12.4). */
export interface EngineOutcome {
  /** Of the repair and its problem: told twice it counts once. */
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly engine: EngineName;
  readonly category: FailureClass;
  /** Memory stood by it. */
  readonly experience: boolean;
  /** Dollars; null where no price is known. */
  readonly usd: number | null;
  readonly success: boolean;
  /** A merge says more than a green run. */
  readonly by: "ci" | "merge";
}
