import type { CiJob } from "../domain/ci-run.ts";
import type { Evidence, Failure, UnreachedBecause } from "../domain/evidence.ts";
import type { ExplainedFailure, Explanation } from "../domain/incident.ts";
import type { Problem } from "../domain/problem.ts";

// What is kept with an incident and shown on a page; the whole log is a click away.
const EXCERPT_CHARACTERS = 2_000;
const FAILURES_KEPT = 50;
const UNREACHED_KEPT = 30;

const BECAUSE: Readonly<Record<UnreachedBecause, string>> = {
  upstream_job: "a job it needs failed",
  earlier_step: "an earlier step of the job failed",
  fail_fast: "the matrix stopped at its first failure",
  cancelled: "the run was cancelled",
};

/**
 * What people are told of organized evidence. `jobUrl` gives the page of a job by its name, null when it is not known;
 * `problems` number the causes.
 */
export function explanationOf(
  evidence: Evidence,
  jobUrl: (job: string) => string | null,
  problems: readonly Pick<Problem, "failures">[] = [],
): Explanation {
  const reached = evidence.validations.filter((validation) => validation.status === "unreached");
  return {
    failures: evidence.failures.slice(0, FAILURES_KEPT).map((failure) => {
      const cause = problems.findIndex(({ failures }) => failures.includes(failure.id)) + 1;
      return { ...explainedFailure(failure, jobUrl), ...(cause === 0 ? {} : { cause }) };
    }),
    unreached: reached.slice(0, UNREACHED_KEPT).map(({ job, command, step, unreachedBecause }) => ({
      job,
      command: command === "" ? (step?.name ?? "") : (command.trim().split("\n")[0] ?? ""),
      because: unreachedBecause === null ? "it was not reached" : BECAUSE[unreachedBecause],
    })),
  };
}

function explainedFailure(failure: Failure, jobUrl: (job: string) => string | null): ExplainedFailure {
  const { id, signature, tool, category, message, location, job, step, command, excerpt, lines, cascadeOf } = failure;
  return {
    id,
    signature,
    tool,
    category,
    message,
    location,
    job,
    step: step?.name ?? null,
    command,
    excerpt: excerpt.slice(0, EXCERPT_CHARACTERS),
    lines: lines.slice(0, 40),
    url: job === null ? null : jobUrl(job),
    cascadeOf,
  };
}

/** Job pages of a run by job name; the first of a name wins. */
export function jobPages(runUrl: string, jobs: readonly CiJob[]): ReadonlyMap<string, string> {
  const pages = new Map<string, string>();
  for (const { id, name } of jobs) if (id !== null && !pages.has(name)) pages.set(name, `${runUrl}/job/${id}`);
  return pages;
}
