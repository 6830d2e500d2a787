import type { StepContext, Validation, ValidationStatus } from "../domain/evidence.ts";
import { classifyCommands } from "./classify-command.ts";
import { commandsOf, type Readers } from "./read-step.ts";
import { commandOf, decisiveLog, type RunJob, type RunStep } from "./run.ts";
import { resolvedCommand, stepContext, type WorkflowEnv } from "./step-context.ts";
import { stepStatus } from "./step-status.ts";

/** A validation and the step of the run it stands for. */
export interface PlacedValidation {
  readonly validation: Validation;
  readonly job: RunJob;
  readonly step: RunStep;
}

/**
 * One validation for each step that runs a command, and for each failed step whatever it runs, in the order of jobs and
 * steps. `failed` holds the steps that made their jobs red.
 */
export function listValidations(
  jobs: readonly RunJob[],
  failed: ReadonlySet<RunStep>,
  readers: Readers,
  workflowEnv: WorkflowEnv,
): readonly PlacedValidation[] {
  const placed: PlacedValidation[] = [];
  for (const job of jobs) {
    for (const step of job.steps) {
      const command = commandOf(step) ?? namedCommand(step, jobs) ?? (failed.has(step) ? actionOf(step) : null);
      // Of the runner's own setup, or of text without a frame, nobody knows a command.
      if (command === null) continue;
      const status = stepStatus(job, step, failed, jobs);
      if (status === null) continue;
      const id = `v${placed.length + 1}`;
      placed.push({
        validation: toValidation(id, placed.length, job, step, command, status, readers, workflowEnv),
        job,
        step,
      });
    }
  }
  return placed;
}

function toValidation(
  id: string,
  order: number,
  job: RunJob,
  step: RunStep,
  command: string,
  { status, because }: { readonly status: ValidationStatus; readonly because: Validation["unreachedBecause"] },
  readers: Readers,
  workflowEnv: WorkflowEnv,
): Validation {
  const context: StepContext = stepContext(job, step, workflowEnv);
  const resolved = resolvedCommand(job, step, context.env) ?? command;
  const log = { command: resolved, lines: decisiveLog(step)?.lines ?? [] };
  const { tool, kind } = classifyCommands(commandsOf(log, context.workingDirectory, readers.facts), readers.tools);
  return {
    id,
    order,
    job: job.name,
    jobKey: job.key,
    step: step.name === "" ? null : { number: step.number, name: step.name },
    command: resolved,
    tool: tool?.name ?? null,
    kind,
    status,
    unreachedBecause: because,
    context,
  };
}

// What GitHub calls a step without a name of its own: `Run` and the script's first line, or the action.
const DEFAULT_NAME = /^Run (?!\S+\/\S+@|\.{1,2}\/|docker:)(.+)$/;

/** The command of a step whose log we do not have: what the same step of another leg ran, else what its default name tells. */
function namedCommand(step: RunStep, jobs: readonly RunJob[]): string | null {
  if (step.logs.length > 0 || step.definition !== null) return null;
  for (const job of jobs) {
    const twin = job.steps.find(
      (other) => other.name === step.name && other.number === step.number && other.logs.length > 0,
    );
    const command = twin && commandOf(twin);
    if (command) return command;
  }
  return DEFAULT_NAME.exec(step.name)?.[1] ?? null;
}

const ACTION_NAME = /^Run (\S+\/\S+@\S+|\.{1,2}\/\S+|docker:\S+)$/;

function actionOf(step: RunStep): string | null {
  return decisiveLog(step)?.uses ?? step.definition?.uses ?? ACTION_NAME.exec(step.name)?.[1] ?? null;
}
