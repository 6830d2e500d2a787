import type { CheckRow, CheckRun } from "../domain/check.ts";
import type { Ended, Outcome, Reproduced, Verdict } from "../domain/outcome.ts";
import { NO_USAGE, type Usage } from "../domain/usage.ts";
import type { ProblemResult, SequenceResult } from "./sequence.ts";

/** An outcome in which nothing was repaired because there was nothing to repair. */
export function endedEarly(ended: "nothing-to-repair" | "not-code" | "not-repaired", why: string): Outcome {
  return {
    ended,
    verdict: "not-run",
    provedBy: "none",
    reproduced: "not-run",
    reason: null,
    problems: [],
    attempts: [],
    guidance: [],
    checks: [],
    patch: null,
    files: [],
    usage: NO_USAGE,
    why,
  };
}

export interface Conclusion {
  readonly sequence: SequenceResult;
  /** Every distinct check run once more on the final tree, where more than one repair was kept. */
  readonly finalRuns: readonly CheckRun[];
  /** The whole change kept, "" when none was. */
  readonly patch: string;
  readonly files: readonly string[];
  readonly usage: Usage;
}

/** How the run ended, from what happened to each problem and from exit codes alone (design §5, §10.1). */
export function concludeOutcome({ sequence, finalRuns, patch, files, usage }: Conclusion): Outcome {
  const { problems, attempts } = sequence;
  const repaired = problems.filter((result) => result.state === "repaired");
  const open = problems.filter((result) => result.state !== "repaired" && result.state !== "already_fixed");
  const red = finalRuns.filter((run) => run.exitCode !== 0);
  const unproved = open.filter((result) => result.state === "unverified");
  const verdict = verdictOf(repaired, open, unproved, red);
  // A patch that could not be checked is shown, never called a repair; so is the last word of those that failed.
  const shown = patch !== "" ? patch : (open.map((result) => result.unkept).find((text) => text !== null) ?? null);
  return {
    ended: endedOf(repaired, open, verdict),
    verdict,
    provedBy: verdict === "verified" ? "local" : "none",
    ...reproduction(problems),
    problems: problems.map(({ problem, state }) => ({
      id: problem.id,
      title: problem.title,
      category: problem.category,
      failures: problem.failures,
      state,
      commit: null,
    })),
    attempts,
    guidance: [],
    checks: [...sequence.checks, ...finalRuns.map(finalRow)],
    patch: shown,
    files,
    usage,
    why: whyOf(problems, repaired, open, red),
  };
}

function verdictOf(
  repaired: readonly ProblemResult[],
  open: readonly ProblemResult[],
  unproved: readonly ProblemResult[],
  red: readonly CheckRun[],
): Verdict {
  if (open.length === 0 && red.length === 0) return repaired.length > 0 ? "verified" : "not-run";
  if (red.length > 0) return "failed";
  const neverRan = open.every((result) => result.reproduction.before === null);
  return unproved.length === open.length || neverRan ? "not-run" : "failed";
}

function endedOf(repaired: readonly ProblemResult[], open: readonly ProblemResult[], verdict: Verdict): Ended {
  if (open.length > 0) return "not-repaired";
  if (repaired.length === 0) return "already-fixed";
  return verdict === "verified" ? "repaired" : "not-repaired";
}

function reproduction(problems: readonly ProblemResult[]): {
  readonly reproduced: Reproduced;
  readonly reason: string | null;
} {
  const worst = (["no", "not-run"] as const)
    .map((word) => problems.find(({ reproduction }) => reproduction.reproduced === word))
    .find((result) => result !== undefined);
  if (worst === undefined) return { reproduced: "yes", reason: null };
  return { reproduced: worst.reproduction.reproduced, reason: worst.reproduction.reason };
}

function whyOf(
  problems: readonly ProblemResult[],
  repaired: readonly ProblemResult[],
  open: readonly ProblemResult[],
  red: readonly CheckRun[],
): string {
  const [firstOpen] = open;
  if (firstOpen !== undefined) {
    const reasons = open.map(({ problem, why }) => `${problem.id} (${problem.title}): ${why}`).join("; ");
    return `${repaired.length} of ${problems.length} problems repaired; ${reasons}`;
  }
  const [firstRed] = red;
  if (firstRed !== undefined)
    return `with every repair in place \`${firstRed.check.command}\` still exits ${firstRed.exitCode}`;
  if (repaired.length === 0) return "the failing command passes on this commit as it is";
  return repaired.map(({ problem, why }) => `${problem.id} (${problem.title}): ${why}`).join("; ");
}

function finalRow({ check, exitCode }: CheckRun): CheckRow {
  const note = "on the final tree, all repairs in place";
  return { problem: null, command: check.command, cwd: check.cwd, exitBefore: null, exitAfter: exitCode, note };
}
