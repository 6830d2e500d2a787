/** The jobs of a run as GitHub's `/jobs` answer tells them, reduced to what we use. */
export interface CiJob {
  readonly id: number | null;
  readonly name: string;
  readonly conclusion: string | null;
  readonly labels: readonly string[];
  readonly steps: readonly CiStep[];
}

export interface CiStep {
  /** GitHub's number; `Set up job` is 1. */
  readonly number: number;
  readonly name: string;
  readonly conclusion: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
}

/** One line of a log. `number` is 1-based in its source file, split at `\n`; `text` has no timestamp and no ANSI. */
export interface LogLine {
  readonly number: number;
  readonly text: string;
}

/** One step's part of a log. */
export interface StepLog {
  /** Source file, relative to the SOURCE given. */
  readonly source: string;
  readonly job: string | null;
  /** GitHub's step number where the log or the jobs answer tells it. */
  readonly number: number | null;
  /** As the log shows it, e.g. `Run npm test`. */
  readonly name: string;
  /** The script of a `run:` step as the log echoes it (expressions resolved by GitHub), null for an action. */
  readonly command: string | null;
  readonly uses: string | null;
  readonly shell: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly failed: boolean;
  /** From `Process completed with exit code N`. */
  readonly exitCode: number | null;
  readonly firstLine: number;
  readonly lastLine: number;
  /** The step's output, header group excluded. Long green output may have been left out of the middle. */
  readonly lines: readonly LogLine[];
  readonly omittedLines: number;
}
