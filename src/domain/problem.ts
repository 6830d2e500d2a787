import type { FailureClass } from "./category.ts";

/** One atomic thing to repair: one or more failures with one cause (RETRACE §3.3). */
export interface Problem {
  readonly id: string;
  /** Short and factual: what a maintainer would call it. */
  readonly title: string;
  readonly category: FailureClass;
  readonly tool: string | null;
  /** Ids of the failures it explains. */
  readonly failures: readonly string[];
  /** Id of the validation that must turn green. */
  readonly validation: string | null;
  readonly files: readonly string[];
  readonly origin: "observed" | "dependency" | "recurrence" | "exposed";
  readonly order: number;
}

export type ProblemState =
  | "pending"
  | "already_fixed"
  | "not_present"
  | "repaired"
  | "unverified"
  | "failed"
  | "skipped";
