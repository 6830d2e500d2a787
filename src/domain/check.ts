import type { Failure } from "./evidence.ts";

/** A command that decides whether a problem is there, as it can be run here. */
export interface Check {
  readonly command: string;
  /** Relative to the repository; "" is its root. */
  readonly cwd: string;
  readonly shell: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly tool: string | null;
  /** It installs or resolves dependencies: it runs in the setup phase, with network (design §9). */
  readonly installs: boolean;
  /** Validation it stands for. */
  readonly validation: string | null;
  /** Not to be run here, and why; null when it can be run. */
  readonly notRun: string | null;
}

/** What a check said once. `exitCode` null: it did not run to its end. */
export interface CheckRun {
  readonly check: Check;
  readonly exitCode: number | null;
  readonly timedOut: boolean;
  /** Signatures of the failures read out of its output, sorted. */
  readonly signatures: readonly string[];
  /** What its output was read as, in order; left out where nobody read it. */
  readonly failures?: readonly Failure[];
  readonly output: string;
  readonly ms: number;
}

/** One row of `checks[]` in the outcome. */
export interface CheckRow {
  readonly problem: string | null;
  readonly command: string;
  readonly cwd: string;
  readonly exitBefore: number | null;
  readonly exitAfter: number | null;
  readonly note: string | null;
}

/**
 * Whether a run of a check shows nothing of the problem at hand any more: it passed, or all it still shows belongs to
 * `others`, the signatures of other problems that the same check decides.
 */
export function isSettled(run: CheckRun, others: readonly string[]): boolean {
  if (run.exitCode === 0) return true;
  if (run.exitCode === null || run.signatures.length === 0) return false;
  return run.signatures.every((signature) => others.includes(signature));
}
