import type { StepRef } from "../domain/evidence.ts";
import type { MatrixLeg, WorkflowJob, WorkflowStep } from "../domain/workflow.ts";
import type { SplitStep } from "./split-log.ts";

/** A run put together from everything that is known of it: log, jobs answer, workflow file. */
export interface Run {
  readonly jobs: readonly RunJob[];
}

export interface RunJob {
  /** As GitHub shows it; null where no source says. */
  readonly name: string | null;
  readonly key: string | null;
  readonly definition: WorkflowJob | null;
  /** The matrix combination it ran with; empty without a matrix or where that is not known. */
  readonly leg: MatrixLeg;
  /** From the jobs answer: `success`, `failure`, `cancelled`, `skipped`, `timed_out`, …; null where it is not known. */
  readonly conclusion: string | null;
  /** Labels of the machine, from the jobs answer or the workflow. */
  readonly labels: readonly string[];
  /** In the order they run; a job without any known step has none. */
  readonly steps: readonly RunStep[];
}

export interface RunStep extends StepRef {
  readonly definition: WorkflowStep | null;
  readonly conclusion: string | null;
  /** Its parts of the log: several for a composite action, none when it did not run or the log is missing. */
  readonly logs: readonly SplitStep[];
  readonly part: SplitStep["part"];
}

/** The part of a step's log that says most about its end: the failed part, else the last. */
export function decisiveLog(step: RunStep): SplitStep | null {
  const failed =
    step.logs.findLast((log) => log.failure === "ended") ?? step.logs.findLast((log) => log.failure === "marked");
  return failed ?? step.logs.at(-1) ?? null;
}

/** What the step runs: as the log echoes it, else as the workflow has it; null for an action that shows no command. */
export function commandOf(step: RunStep): string | null {
  return decisiveLog(step)?.command ?? step.definition?.run ?? null;
}
