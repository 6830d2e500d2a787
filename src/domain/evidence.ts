import type { FailureClass } from "./category.ts";

/** What a CI run shows, organized (RETRACE §3.1: Organize(E) = (F, V, G)). */
export interface Evidence {
  readonly failures: readonly Failure[];
  readonly validations: readonly Validation[];
  readonly graph: JobGraph;
  readonly quality: EvidenceQuality;
}

export interface EvidenceQuality {
  readonly logs: boolean;
  readonly yaml: boolean;
  /** Failed steps a tool reading explained / failed steps; 1 when no step failed. */
  readonly parsedShare: number;
}

export interface StepRef {
  readonly number: number | null;
  readonly name: string;
}

export interface Location {
  readonly file: string;
  readonly line: number | null;
  readonly col: number | null;
}

export interface StackFrame {
  readonly file: string;
  readonly line: number | null;
  readonly fn: string | null;
}

/** One thing that CI says is broken. */
export interface Failure {
  readonly id: string;
  readonly category: FailureClass;
  readonly tool: string | null;
  readonly rule: string | null;
  readonly message: string;
  /** Equal for the same failure seen again: other line numbers, times and hashes do not change it. "" when nobody has its log. */
  readonly signature: string;
  /** Id of the validation that showed it. */
  readonly validation: string | null;
  readonly testId: string | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly location: Location | null;
  readonly stack: readonly StackFrame[];
  /** Source file of the log, relative to the SOURCE given. */
  readonly source: string;
  /** 1-based, ascending: the lines of `source` that say why. */
  readonly lines: readonly number[];
  /** The text of these lines, redacted, at most 8,000 characters (papers §8.2). */
  readonly excerpt: string;
  readonly job: string | null;
  readonly step: StepRef | null;
  readonly command: string | null;
  /** Id of the failure this one only follows from. */
  readonly cascadeOf: string | null;
  /** Names of the matrix jobs that showed the same failure. */
  readonly legs: readonly string[];
}

export const VALIDATION_KINDS = [
  "install",
  "build",
  "format",
  "lint",
  "type",
  "test",
  "docs",
  "package",
  "deploy",
  "other",
] as const;
export type ValidationKind = (typeof VALIDATION_KINDS)[number];

export type ValidationStatus = "successful" | "failed" | "unreached" | "excluded";
export type UnreachedBecause = "upstream_job" | "earlier_step" | "fail_fast" | "cancelled";

/** One command that CI ran or would have run, with everything needed to run it again here. */
export interface Validation {
  readonly id: string;
  /** Topological job order, then step, then command within the step. */
  readonly order: number;
  readonly job: string | null;
  readonly jobKey: string | null;
  readonly step: StepRef | null;
  /** The whole script of the step. A step is one validation: the shell decides which of its commands runs. */
  readonly command: string;
  readonly tool: string | null;
  readonly kind: ValidationKind;
  readonly status: ValidationStatus;
  readonly unreachedBecause: UnreachedBecause | null;
  readonly context: StepContext;
}

/** Where and how a step runs; expressions resolved as far as workflow file, matrix leg and log allow. */
export interface StepContext {
  /** Relative to the repository; "" is its root. */
  readonly workingDirectory: string;
  /** `bash`, `sh`, `pwsh`, `python` …; null is the runner's default. */
  readonly shell: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** What keeps the step from being run here as CI ran it, one reason each: another operating system, services, secrets, container. */
  readonly obstacles: readonly string[];
  /** Runtime versions named by setup actions of the job, e.g. { node: "18.x" }. */
  readonly runtimes: Readonly<Record<string, string>>;
}

export interface JobGraph {
  readonly nodes: readonly GraphNode[];
  /** Upstream → downstream. */
  readonly edges: readonly GraphEdge[];
}

export interface GraphNode {
  readonly id: string;
  readonly kind: "workflow" | "job" | "step";
  readonly ref: string;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: "needs" | "step_order" | "matrix_of" | "calls_workflow" | "uses_action" | "artifact";
}
