import { tellCheckRun } from "../events/tell-app.ts";
import type { Attempt, Conclusion, Job, Run } from "../state/nouns.ts";
import type { Simulation } from "../state/simulation.ts";
import type { Fault } from "../state/weather.ts";
import { type Contexts, evaluateValue, interpolate, isMet } from "./expressions.ts";
import { type JobPlan, jobContexts } from "./job-context.ts";
import { expandMatrix, type Leg } from "./matrix.ts";
import { runJob } from "./run-job.ts";
import { type JobFile, MatrixFile, type WorkflowFile } from "./workflow-file.ts";

export interface AttemptPlan {
  readonly run: Run;
  readonly attempt: Attempt;
  readonly workflow: WorkflowFile;
  readonly fault: Fault | null;
  /** Jobs of the attempt before that are not run again, by name. */
  readonly kept: ReadonlyMap<string, Job>;
  readonly signal: AbortSignal;
}

/** Runs the jobs of an attempt, each when its needs are done; the attempt's conclusion comes from its jobs. */
export async function runAttempt(simulation: Simulation, plan: AttemptPlan): Promise<Conclusion> {
  const ended = new Map<string, Promise<Job[]>>();
  const start = (key: string): Promise<Job[]> => {
    const known = ended.get(key);
    if (known !== undefined) return known;
    const file = plan.workflow.jobs[key];
    if (file === undefined) return Promise.resolve([]);
    const started = Promise.all(file.needs.map(start)).then((needs) => runLegs(simulation, plan, key, file, needs));
    ended.set(key, started);
    return started;
  };
  const jobs = (await Promise.all(Object.keys(plan.workflow.jobs).map(start))).flat();
  return concludes(jobs, plan.signal.aborted);
}

function concludes(jobs: readonly Job[], isCancelled: boolean): Conclusion {
  const has = (...results: Conclusion[]) => jobs.some((job) => job.result !== null && results.includes(job.result));
  if (isCancelled) return "cancelled";
  if (has("timed_out")) return "timed_out";
  if (has("failure")) return "failure";
  if (has("cancelled")) return "cancelled";
  return jobs.every((job) => job.result === "skipped") ? "skipped" : "success";
}

async function runLegs(
  simulation: Simulation,
  plan: AttemptPlan,
  key: string,
  file: JobFile,
  needed: readonly Job[][],
): Promise<Job[]> {
  const { run, attempt } = plan;
  const needs = needsContext(file.needs, needed);
  const results = Object.values(needs).map(({ result }) => result);
  const standing = {
    success: results.every((result) => result === "success"),
    failure: results.some((result) => result === "failure" || result === "timed_out"),
    cancelled: plan.signal.aborted,
  };
  const contexts = jobContexts(simulation, run, attempt, {}, needs);
  if (!isMet(file.if, contexts, standing)) return [skipJob(simulation, plan, key, file, contexts)];

  const stop = new AbortController();
  const signal = AbortSignal.any([plan.signal, stop.signal]);
  let plans: JobPlan[];
  try {
    plans = legsOf(file, contexts).map((leg) =>
      planLeg(simulation, plan, key, file, leg, jobContexts(simulation, run, attempt, leg, needs), signal),
    );
  } catch (error) {
    return [failJob(simulation, plan, key, error instanceof Error ? error.message : String(error))];
  }
  const failsFast = String(file.strategy["fail-fast"]) !== "false" && plans.length > 1;
  return Promise.all(
    plans.map(async (legPlan) => {
      const { job } = legPlan;
      const kept = plan.kept.get(job.name);
      if (kept !== undefined) return copyJob(job, kept);
      await simulation.runners(() => startJob(simulation, run, legPlan));
      if (failsFast && job.result === "failure") stop.abort();
      return job;
    }),
  );
}

async function startJob(simulation: Simulation, run: Run, plan: JobPlan): Promise<void> {
  const { job } = plan;
  tellCheckRun(simulation, run.repository, job.checkRun, "created", run.actor);
  if (plan.signal.aborted) {
    Object.assign(job, {
      status: "completed",
      conclusion: "cancelled",
      result: "cancelled",
      completedAt: simulation.clock.iso(),
    });
  } else {
    job.checkRun.status = "in_progress";
    await runJob(simulation, run, plan);
  }
  const { status, conclusion, startedAt, completedAt } = job;
  Object.assign(job.checkRun, { status, conclusion, startedAt, completedAt });
  tellCheckRun(simulation, run.repository, job.checkRun, "completed", run.actor);
}

function planLeg(
  simulation: Simulation,
  plan: AttemptPlan,
  key: string,
  file: JobFile,
  leg: Leg,
  contexts: Contexts,
  signal: AbortSignal,
): JobPlan {
  const job = addJob(simulation, plan, key, jobName(key, file, leg, contexts), labelsOf(file, contexts));
  return { job, file, workflow: plan.workflow, leg, contexts, fault: plan.fault, signal };
}

function addJob(
  { clock, nextId }: Simulation,
  { run, attempt }: AttemptPlan,
  key: string,
  name: string,
  labels: string[],
): Job {
  const id = nextId();
  const at = clock.iso();
  const checkRun = {
    id,
    suite: run.suite,
    name,
    headSha: run.headSha,
    status: "queued" as const,
    conclusion: null,
    startedAt: at,
    completedAt: null,
    externalId: `${run.id}-${key}`,
    detailsUrl: null,
    output: { title: null, summary: null, text: null },
    annotations: [],
    actions: [],
  };
  const job: Job = {
    id,
    key,
    name,
    labels,
    checkRun,
    createdAt: at,
    startedAt: at,
    completedAt: null,
    status: "queued",
    conclusion: null,
    result: null,
    outputs: {},
    steps: [],
    runnerName: null,
  };
  run.repository.checkRuns.push(checkRun);
  attempt.jobs.push(job);
  return job;
}

function skipJob(simulation: Simulation, plan: AttemptPlan, key: string, file: JobFile, contexts: Contexts): Job {
  const job = addJob(
    simulation,
    plan,
    key,
    file.name?.includes("${{") ? key : (file.name ?? key),
    labelsOf(file, contexts),
  );
  const conclusion: Conclusion = plan.signal.aborted ? "cancelled" : "skipped";
  const end = { status: "completed", conclusion, completedAt: job.createdAt } as const;
  Object.assign(job, { ...end, result: conclusion });
  Object.assign(job.checkRun, end);
  return job;
}

/** A job whose matrix or name cannot be worked out: a mistake in the workflow file, said in its log. */
function failJob(simulation: Simulation, plan: AttemptPlan, key: string, why: string): Job {
  const job = addJob(simulation, plan, key, key, []);
  const at = job.createdAt;
  const end = { status: "completed", conclusion: "failure", completedAt: at } as const;
  const line = `${new Date(simulation.clock.now()).toISOString()} ##[error]${why}`;
  job.steps.push({ number: 1, name: "Set up job", ...end, startedAt: at, log: [line] });
  Object.assign(job, { ...end, result: "failure" });
  Object.assign(job.checkRun, end);
  return job;
}

/** A job that a re-run does not touch appears in the new attempt as it ended in the old one. */
function copyJob(
  job: Job,
  { startedAt, completedAt, status, conclusion, result, outputs, steps, runnerName }: Job,
): Job {
  Object.assign(job, { startedAt, completedAt, status, conclusion, result, outputs, runnerName });
  job.steps.push(...steps);
  Object.assign(job.checkRun, { status, conclusion, startedAt, completedAt });
  return job;
}

function legsOf(file: JobFile, contexts: Contexts): Leg[] {
  const { matrix } = file.strategy;
  if (matrix === undefined) return [{}];
  const whole = typeof matrix === "string" ? evaluateValue(matrix, contexts) : matrix;
  const axes = Object.entries(MatrixFile.catch({}).parse(whole)).map(([axis, values]): [string, unknown] => [
    axis,
    typeof values === "string" ? evaluateValue(values, contexts) : values,
  ]);
  return expandMatrix(Object.fromEntries(axes));
}

/** `test (20, ubuntu-latest)`: the leg's values stand behind a name that does not use the matrix itself. */
function jobName(key: string, file: JobFile, leg: Leg, contexts: Contexts): string {
  const plain = file.name ?? key;
  if (plain.includes("${{")) return interpolate(plain, contexts);
  const values = Object.values(leg).map((value) => (typeof value === "object" ? JSON.stringify(value) : String(value)));
  return values.length === 0 ? plain : `${plain} (${values.join(", ")})`;
}

function labelsOf(file: JobFile, contexts: Contexts): string[] {
  const runsOn = file["runs-on"];
  const labels = Array.isArray(runsOn) ? runsOn : [runsOn ?? "ubuntu-latest"];
  return labels.map((label) => interpolate(String(label), contexts));
}

function needsContext(keys: readonly string[], needed: readonly Job[][]) {
  const entries = keys.map((key, at): [string, { result: Conclusion; outputs: Readonly<Record<string, string>> }] => {
    const jobs = needed[at] ?? [];
    const worst = (["failure", "timed_out", "cancelled", "skipped"] as const).find((result) =>
      jobs.some((job) => job.result === result),
    );
    return [key, { result: worst ?? "success", outputs: Object.assign({}, ...jobs.map((job) => job.outputs)) }];
  });
  return Object.fromEntries(entries);
}
