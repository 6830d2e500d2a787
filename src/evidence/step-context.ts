import type { StepContext } from "../domain/evidence.ts";
import { decisiveLog, type RunJob, type RunStep } from "./run.ts";

/** Where and how a step runs. */
export function stepContext(_job: RunJob, step: RunStep): StepContext {
  const log = decisiveLog(step);
  return { workingDirectory: "", shell: log?.shell ?? null, env: log?.env ?? {}, obstacles: [], runtimes: {} };
}
