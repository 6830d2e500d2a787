/** A workflow file as read from `.github/workflows/*.yml`: what was meant to run. Expressions stay unresolved here. */
export interface Workflow {
  readonly path: string;
  readonly name: string | null;
  readonly events: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly jobs: readonly WorkflowJob[];
  /** What the file does wrong, in GitHub's own words; a file with errors may still have jobs. */
  readonly errors: readonly WorkflowError[];
}

export interface WorkflowError {
  readonly message: string;
  readonly line: number | null;
  readonly col: number | null;
}

export type MatrixValue = string | number | boolean | null | Readonly<Record<string, unknown>> | readonly unknown[];
/** One combination of a matrix: axis → value. */
export type MatrixLeg = Readonly<Record<string, MatrixValue>>;

export interface WorkflowJob {
  readonly key: string;
  /** The `name:` as written, expressions and all; null when the key is the name. */
  readonly name: string | null;
  readonly needs: readonly string[];
  readonly if: string | null;
  readonly runsOn: readonly string[];
  readonly container: string | null;
  readonly services: readonly string[];
  /** The combinations the job runs in; one empty leg without a matrix. */
  readonly legs: readonly MatrixLeg[];
  /** The matrix comes from an expression and is known only from the names of the jobs that ran. */
  readonly dynamicMatrix: boolean;
  readonly failFast: boolean;
  readonly continueOnError: string | null;
  readonly env: Readonly<Record<string, string>>;
  readonly defaultShell: string | null;
  readonly defaultWorkingDirectory: string | null;
  /** A call of a reusable workflow instead of steps. */
  readonly calls: string | null;
  readonly steps: readonly WorkflowStep[];
}

export interface WorkflowStep {
  /** 1-based place in the file. GitHub counts `Set up job` as 1, so its number is higher. */
  readonly index: number;
  readonly id: string | null;
  readonly name: string | null;
  readonly if: string | null;
  readonly run: string | null;
  readonly uses: string | null;
  readonly with: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly shell: string | null;
  readonly workingDirectory: string | null;
  readonly continueOnError: string | null;
  readonly line: number | null;
}
