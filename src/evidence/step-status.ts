import type { UnreachedBecause, ValidationStatus } from "../domain/evidence.ts";
import type { RunJob, RunStep } from "./run.ts";

interface Status {
  readonly status: ValidationStatus;
  readonly because: UnreachedBecause | null;
}

const RUNS_ANYWAY = /\b(?:always|failure|cancelled)\s*\(/;

/** What became of a step; null where nothing tells whether its job ran at all. */
export function stepStatus(
  job: RunJob,
  step: RunStep,
  failed: ReadonlySet<RunStep>,
  jobs: readonly RunJob[],
): Status | null {
  if (failed.has(step)) return { status: "failed", because: null };
  if (step.conclusion === "success") return { status: "successful", because: null };
  if (step.conclusion === "failure") return { status: "failed", because: null };
  if (step.conclusion === "cancelled") return { status: "unreached", because: cancelledBecause(job, jobs) };
  const ran = step.logs.length > 0;
  if (ran) return { status: step.logs.some((log) => log.failure === "ended") ? "failed" : "successful", because: null };
  const jobRan = job.steps.some(
    ({ logs, conclusion }) => logs.length > 0 || (conclusion !== null && conclusion !== "skipped"),
  );
  if (!jobRan) return whyJobDidNotRun(job, jobs, failed);
  return whyStepDidNotRun(job, step, failed, jobs);
}

function whyStepDidNotRun(job: RunJob, step: RunStep, failed: ReadonlySet<RunStep>, jobs: readonly RunJob[]): Status {
  const at = job.steps.indexOf(step);
  const stopped = job.steps.findIndex((other) => failed.has(other) && other.part !== "post");
  if (stopped !== -1 && stopped < at && !RUNS_ANYWAY.test(step.definition?.if ?? "")) {
    return { status: "unreached", because: "earlier_step" };
  }
  const cut = job.steps.findIndex((other) => other.conclusion === "cancelled");
  if (cut !== -1 && cut < at) return { status: "unreached", because: cancelledBecause(job, jobs) };
  // Its own condition kept it out (papers §1.2-5): no sign of a hidden problem.
  return { status: "excluded", because: null };
}

function whyJobDidNotRun(job: RunJob, jobs: readonly RunJob[], failed: ReadonlySet<RunStep>): Status | null {
  const red = (other: RunJob): boolean =>
    other.steps.some((step) => failed.has(step)) || other.conclusion === "failure";
  if (job.conclusion === "success") return { status: "successful", because: null };
  if (upstreamOf(job, jobs).some(red) && !RUNS_ANYWAY.test(job.definition?.if ?? "")) {
    return { status: "unreached", because: "upstream_job" };
  }
  if (job.conclusion === "cancelled") return { status: "unreached", because: cancelledBecause(job, jobs) };
  if (job.conclusion === "skipped") return { status: "excluded", because: null };
  // Whatever a red job needed was green, or it would not have started.
  const neededByRun = jobs.some((other) => red(other) && upstreamOf(other, jobs).includes(job));
  return neededByRun ? { status: "successful", because: null } : null;
}

/** fail-fast cancels the other legs of a matrix when one fails; anything else was cancelled from outside. */
function cancelledBecause(job: RunJob, jobs: readonly RunJob[]): UnreachedBecause {
  const sibling = jobs.some(
    (other) => other !== job && other.key !== null && other.key === job.key && other.conclusion === "failure",
  );
  return sibling && job.definition?.failFast !== false ? "fail_fast" : "cancelled";
}

/** All jobs a job waits for, directly or not. */
function upstreamOf(job: RunJob, jobs: readonly RunJob[]): readonly RunJob[] {
  const keys = new Set<string>();
  const add = (needs: readonly string[]): void => {
    for (const key of needs) {
      if (keys.has(key)) continue;
      keys.add(key);
      add(jobs.find((other) => other.key === key)?.definition?.needs ?? []);
    }
  };
  add(job.definition?.needs ?? []);
  return jobs.filter((other) => other.key !== null && keys.has(other.key));
}
