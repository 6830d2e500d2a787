import type { Attempt } from "./attempt.ts";
import type { FailureClass } from "./category.ts";
import type { CheckRow } from "./check.ts";
import type { ProblemState } from "./problem.ts";
import type { Usage } from "./usage.ts";

export type Ended = "repaired" | "not-repaired" | "nothing-to-repair" | "not-code" | "already-fixed";
export type Verdict = "verified" | "not-run" | "failed";
export type ProvedBy = "ci" | "local" | "none";
export type Reproduced = "yes" | "no" | "not-run";

/** How a repair ended (design §5, `retrace.outcome/1`). */
export interface Outcome {
  readonly ended: Ended;
  /** From process exit codes only. */
  readonly verdict: Verdict;
  readonly provedBy: ProvedBy;
  readonly reproduced: Reproduced;
  /** Why it could not be reproduced, or null. */
  readonly reason: string | null;
  readonly problems: readonly ProblemOutcome[];
  readonly attempts: readonly Attempt[];
  readonly guidance: readonly GuidanceUse[];
  readonly checks: readonly CheckRow[];
  /** `git diff --binary` text, or null. */
  readonly patch: string | null;
  readonly files: readonly string[];
  readonly usage: Usage;
  readonly why: string;
}

export interface ProblemOutcome {
  readonly id: string;
  readonly title: string;
  readonly category: FailureClass;
  readonly failures: readonly string[];
  readonly state: ProblemState;
  readonly commit: string | null;
}

/** A record of memory that was offered to a problem, and what it gave. */
export interface GuidanceUse {
  readonly id: string;
  readonly level: "L1" | "L2" | "L3";
  readonly pr: number | null;
  readonly problem: string;
  readonly contributed: string | null;
}
