import { rerun } from "../happenings/start-runs.ts";
import { type Answer, created, found, ok, Refusal } from "../http/answers.ts";
import { pageOfShown, type RepositoryCall, type Route } from "../http/route.ts";
import { presentJob, presentRun, presentWorkflow } from "../present/present-run.ts";
import type { Attempt, Job, Repository, Run, Workflow } from "../state/nouns.ts";
import { linkToJobLog, linkToRunLogs } from "./log-links.ts";

const READ = [{ actions: "read" }] as const;
const WRITE = [{ actions: "write" }] as const;
const RUN = "/actions/runs/{run_id}";

export const ACTION_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/actions/runs",
    for: "repository",
    needs: READ,
    handle: (call) => listRuns(call, call.repository.runs),
  },
  { method: "GET", path: RUN, for: "repository", needs: READ, handle: readRun },
  { method: "GET", path: `${RUN}/attempts/{attempt_number}`, for: "repository", needs: READ, handle: readRun },
  { method: "GET", path: `${RUN}/jobs`, for: "repository", needs: READ, handle: listJobs },
  { method: "GET", path: `${RUN}/attempts/{attempt_number}/jobs`, for: "repository", needs: READ, handle: listJobs },
  { method: "GET", path: `${RUN}/logs`, for: "repository", needs: READ, handle: readRunLogs },
  { method: "GET", path: `${RUN}/attempts/{attempt_number}/logs`, for: "repository", needs: READ, handle: readRunLogs },
  { method: "POST", path: `${RUN}/rerun`, for: "repository", needs: WRITE, handle: rerunAll },
  { method: "POST", path: `${RUN}/rerun-failed-jobs`, for: "repository", needs: WRITE, handle: rerunFailed },
  { method: "POST", path: `${RUN}/cancel`, for: "repository", needs: WRITE, handle: cancel },
  { method: "GET", path: "/actions/jobs/{job_id}", for: "repository", needs: READ, handle: readJob },
  { method: "GET", path: "/actions/jobs/{job_id}/logs", for: "repository", needs: READ, handle: readJobLog },
  { method: "POST", path: "/actions/jobs/{job_id}/rerun", for: "repository", needs: WRITE, handle: rerunJob },
  { method: "GET", path: "/actions/workflows", for: "repository", needs: READ, handle: listWorkflows },
  { method: "GET", path: "/actions/workflows/{workflow_id}", for: "repository", needs: READ, handle: readWorkflow },
  {
    method: "GET",
    path: "/actions/workflows/{workflow_id}/runs",
    for: "repository",
    needs: READ,
    handle: listRunsOfWorkflow,
  },
];

function listRuns(call: RepositoryCall, all: readonly Run[]): Promise<Answer> {
  const { simulation, query } = call;
  const is = (key: string, ...values: readonly (string | null)[]) => {
    const asked = query.get(key);
    return asked === null || asked === "" || values.includes(asked);
  };
  const runs = all.filter((run) => {
    const { status, conclusion } = lastOf(run);
    return (
      is("head_sha", run.headSha) &&
      is("branch", run.headBranch) &&
      is("event", run.event) &&
      is("status", status, conclusion) &&
      is("actor", run.actor.login) &&
      is("check_suite_id", String(run.suite.id)) &&
      isCreated(query.get("created"), run.createdAt)
    );
  });
  return pageOfShown(
    call,
    [...runs].reverse(),
    (run) => presentRun(simulation, run, lastOf(run)),
    (page, total) => ({
      total_count: total,
      workflow_runs: page,
    }),
  );
}

/** GitHub's date filter: `>=2026-01-01`, `<…`, `a..b`, `*` for an open end. */
function isCreated(filter: string | null, at: string): boolean {
  if (filter === null) return true;
  const time = Date.parse(at);
  const [from, to] = filter.split("..");
  if (from !== undefined && to !== undefined) {
    return (from === "*" || time >= Date.parse(from)) && (to === "*" || time <= Date.parse(to));
  }
  const [, sign = "", date = ""] = /^(>=|<=|>|<)?(.+)$/.exec(filter) ?? [];
  const limit = Date.parse(date);
  if (sign === ">=") return time >= limit;
  if (sign === "<=") return time <= limit;
  if (sign === ">") return time > limit;
  return sign === "<" ? time < limit : at.startsWith(date);
}

async function readRun(call: RepositoryCall): Promise<Answer> {
  const run = runIn(call);
  return ok(await presentRun(call.simulation, run, attemptIn(call, run)));
}

function listJobs(call: RepositoryCall): Promise<Answer> {
  const { simulation, query } = call;
  const run = runIn(call);
  const isAll = query.get("filter") === "all" && call.params.attempt_number === undefined;
  const attempts = isAll ? run.attempts : [attemptIn(call, run)];
  const jobs = attempts.flatMap((attempt) => attempt.jobs.map((job) => ({ attempt, job })));
  return pageOfShown(
    call,
    jobs,
    ({ attempt, job }) => presentJob(simulation, run, attempt, job),
    (page, total) => ({
      total_count: total,
      jobs: page,
    }),
  );
}

function readRunLogs(call: RepositoryCall): Answer {
  refuseNobody(call);
  return linkToRunLogs(call.simulation, attemptIn(call, runIn(call)));
}

async function rerunAll(call: RepositoryCall): Promise<Answer> {
  return answerRerun(await rerun(call.simulation, runIn(call), "all"));
}

async function rerunFailed(call: RepositoryCall): Promise<Answer> {
  const run = runIn(call);
  const hasFailed = lastOf(run).jobs.some((job) => job.conclusion !== "success" && job.conclusion !== "skipped");
  if (!hasFailed) throw new Refusal(403, "This workflow run cannot be retried: it has no failed jobs");
  return answerRerun(await rerun(call.simulation, run, "failed"));
}

async function rerunJob(call: RepositoryCall): Promise<Answer> {
  const { run, job } = jobIn(call);
  if (!lastOf(run).jobs.includes(job)) throw new Refusal(403, "This job is not of the latest attempt");
  return answerRerun(await rerun(call.simulation, run, { job }));
}

function answerRerun(hasStarted: boolean): Answer {
  if (!hasStarted) throw new Refusal(403, "This workflow is already running");
  return created({});
}

function cancel(call: RepositoryCall): Answer {
  const attempt = lastOf(runIn(call));
  if (attempt.status === "completed") throw new Refusal(409, "Cannot cancel a workflow run that is completed.");
  attempt.stop.abort();
  return { status: 202, body: {} };
}

function readJob(call: RepositoryCall): Answer {
  const { run, attempt, job } = jobIn(call);
  return ok(presentJob(call.simulation, run, attempt, job));
}

function readJobLog(call: RepositoryCall): Answer {
  refuseNobody(call);
  return linkToJobLog(call.simulation, jobIn(call).job);
}

/** Logs of public repositories, too, are for those who have logged in. */
function refuseNobody({ caller }: RepositoryCall): void {
  if (caller.kind === "nobody") throw new Refusal(403, "Must have admin rights to Repository.");
}

function listWorkflows(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository } = call;
  const workflows = [...repository.workflows.values()];
  return pageOfShown(
    call,
    workflows,
    (one) => presentWorkflow(simulation, repository, one),
    (page, total) => ({
      total_count: total,
      workflows: page,
    }),
  );
}

function readWorkflow(call: RepositoryCall): Answer {
  return ok(presentWorkflow(call.simulation, call.repository, workflowIn(call)));
}

function listRunsOfWorkflow(call: RepositoryCall): Promise<Answer> {
  const workflow = workflowIn(call);
  return listRuns(
    call,
    call.repository.runs.filter((run) => run.workflow === workflow),
  );
}

/** By id or by file name. */
function workflowIn({ repository, params }: RepositoryCall): Workflow {
  const asked = params.workflow_id;
  const all = [...repository.workflows.values()];
  return found(all.find(({ id, path }) => String(id) === asked || path.split("/").at(-1) === asked));
}

function runIn({ repository, params }: { repository: Repository; params: Readonly<Record<string, string>> }): Run {
  return found(repository.runs.find((run) => String(run.id) === params.run_id));
}

function attemptIn({ params }: RepositoryCall, run: Run): Attempt {
  const asked = params.attempt_number;
  return asked === undefined ? lastOf(run) : found(run.attempts.find((attempt) => String(attempt.number) === asked));
}

function jobIn({ repository, params }: RepositoryCall): { run: Run; attempt: Attempt; job: Job } {
  for (const run of repository.runs) {
    for (const attempt of run.attempts) {
      const job = attempt.jobs.find((one) => String(one.id) === params.job_id);
      if (job !== undefined) return { run, attempt, job };
    }
  }
  throw new Refusal(404, "Not Found");
}

/** A run has an attempt from its first moment on. */
function lastOf(run: Run): Attempt {
  return found(run.attempts.at(-1));
}
