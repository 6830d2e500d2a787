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
  /** Place of its validation in the run. */
  readonly order: number;
  /** Inferred from the evidence that was cited for it; left out where nobody could tell. */
  readonly rootCause?: string;
  /** What gives it away; the messages of its failures when left out. */
  readonly signals?: readonly string[];
  /** What memory has to do with a problem that no log shows; left out for what CI showed. */
  readonly expected?: Expectation;
}

/** Why a problem is looked for though CI did not show it: a hypothesis until its check is seen to fail (papers §1.10 T7–T8). */
export interface Expectation {
  /** Record of memory that leads to it. */
  readonly record: string;
  /** One sentence for people. */
  readonly why: string;
  /** Id of the problem it follows from, or comes before; null for one that simply comes back. */
  readonly parent: string | null;
  /** 0 to 1. */
  readonly confidence: number;
}

/** Memory expects it; no log shows it. */
export function isHypothesis({ origin }: Pick<Problem, "origin">): boolean {
  return origin === "dependency" || origin === "recurrence";
}

/** `from` has to be repaired before `to`; by ids of problems. */
export interface ProblemEdge {
  readonly from: string;
  readonly to: string;
  /** 0 to 1. */
  readonly confidence: number;
  /** A rule of thumb, nothing observed or inferred from evidence. */
  readonly heuristic: boolean;
}

export type ProblemState =
  | "pending"
  | "already_fixed"
  | "not_present"
  | "repaired"
  | "unverified"
  | "failed"
  | "skipped";
