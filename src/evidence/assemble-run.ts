import type { CiJob } from "../domain/ci-run.ts";
import type { Workflow } from "../domain/workflow.ts";
import type { JobLog } from "./job-logs.ts";
import type { Run, RunJob, RunStep } from "./run.ts";
import type { SplitStep } from "./split-log.ts";

/** Puts log, jobs answer and workflow together. */
export function assembleRun({
  logs,
}: {
  readonly logs: readonly JobLog[];
  readonly jobs: readonly CiJob[] | null;
  readonly workflow: Workflow | null;
}): Run {
  return { jobs: logs.map(jobFromLog) };
}

function jobFromLog(log: JobLog): RunJob {
  return {
    name: log.name,
    key: null,
    definition: null,
    leg: {},
    conclusion: null,
    labels: [],
    steps: log.steps.map(stepFromLog),
  };
}

function stepFromLog(log: SplitStep): RunStep {
  return {
    number: log.number,
    name: log.givenName ?? log.name,
    definition: null,
    conclusion: null,
    logs: [log],
    part: log.part,
  };
}
