import type { ValidationKind } from "../domain/evidence.ts";
import { type Readers, readStep } from "./read-step.ts";
import type { RunJob, RunStep } from "./run.ts";

// What an install or a deployment lists need not end it: advisories, skipped packages.
const SURE: readonly ValidationKind[] = ["build", "format", "lint", "type", "test"];

/**
 * The step in whose middle a log ends, where a tool's own words in it say that it failed; none for a log that was not cut.
 * The runner always has a last word, and ends it with its line: a job that began and stops within one lost its end.
 */
export function stepCutOff(job: RunJob, readers: Readers): readonly RunStep[] {
  if (job.conclusion !== null) return [];
  const told = job.steps.filter(({ logs }) => logs.length > 0);
  const last = told.at(-1);
  const began = told.some(({ part }) => part === "setup");
  const log = last?.logs.at(-1);
  if (!began || !log?.isCut || last === undefined || last.part !== "main" || log.lines.length === 0) return [];
  const { findings, byTool } = readStep(log, "", readers);
  const sure = findings.some(
    ({ tool, rule, location, testId }) =>
      tool !== null && SURE.includes(tool.kind) && (rule ?? location ?? testId) != null,
  );
  return byTool && sure ? [last] : [];
}
