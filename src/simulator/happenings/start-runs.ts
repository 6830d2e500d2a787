import { tellCheckSuite, tellRun } from "../events/tell-app.ts";
import { readCommit, resolve } from "../git/read-history.ts";
import { runAttempt } from "../runner/run-attempt.ts";
import { isTriggered, type Trigger } from "../runner/triggers.ts";
import { readWorkflow, type WorkflowFile } from "../runner/workflow-file.ts";
import type {
  App,
  Attempt,
  CheckSuite,
  Conclusion,
  Job,
  PullRequest,
  Repository,
  Run,
  User,
  Workflow,
} from "../state/nouns.ts";
import type { Simulation } from "../state/simulation.ts";
import { takeFault } from "../state/weather.ts";

/** Something that can start workflow runs. */
export interface Occasion {
  readonly trigger: Trigger;
  readonly headSha: string;
  readonly headBranch: string;
  readonly headRepository: Repository;
  readonly checkoutSha: string;
  readonly ref: string;
  readonly pull: PullRequest | null;
  readonly actor: User;
}

/** GitHub starts nothing for a commit that says so. */
const SKIP = /\[(skip ci|ci skip|no ci|skip actions|actions skip)\]/i;

/** Starts a run for every workflow of the checked-out commit whose `on:` fits; does not wait for their end. */
export async function startRuns(simulation: Simulation, repository: Repository, occasion: Occasion): Promise<Run[]> {
  if (simulation.weather.runless.has(occasion.headBranch)) return [];
  const head = await readCommit(repository.git, occasion.headSha);
  if (head === null || SKIP.test(head.message)) return [];
  const runs: Run[] = [];
  for (const path of await workflowPaths(repository, occasion.checkoutSha)) {
    const file = await readFileAt(repository, occasion.checkoutSha, path);
    const workflow = knownWorkflow(simulation, repository, path, file);
    // An unreadable file shows itself as a failed run of a push, as at GitHub.
    const starts = file === null ? occasion.trigger.event === "push" : isTriggered(file.on, occasion.trigger);
    if (!starts) continue;
    const run = openRun(simulation, repository, workflow, occasion, head.message);
    runs.push(run);
    await startAttempt(simulation, run, { file, kept: new Map() });
  }
  return runs;
}

/** What of a run is to be done again: everything, or the named jobs and all that need them. */
export type Again = "all" | "failed" | { readonly job: Job };

/** Starts the next attempt; false while the last one still runs. */
export async function rerun(simulation: Simulation, run: Run, again: Again): Promise<boolean> {
  const last = run.attempts.at(-1);
  if (last === undefined || last.status !== "completed") return false;
  const file = await readFileAt(run.repository, run.checkoutSha, run.workflow.path);
  await startAttempt(simulation, run, { file, kept: keptJobs(last.jobs, file, again) });
  return true;
}

/** The app's own suite for a commit, made when first needed. */
export function suiteOfApp(
  simulation: Simulation,
  repository: Repository,
  app: App,
  headSha: string,
  headBranch: string | null,
  before: string | null,
): CheckSuite {
  const known = repository.suites.find((suite) => suite.app === app && suite.headSha === headSha && suite.run === null);
  return known ?? addSuite(simulation, repository, app, headSha, headBranch, before);
}

async function startAttempt(
  simulation: Simulation,
  run: Run,
  { file, kept }: { file: WorkflowFile | null; kept: ReadonlyMap<string, Job> },
): Promise<void> {
  const { clock, weather, work } = simulation;
  const attempt: Attempt = {
    number: run.attempts.length + 1,
    startedAt: clock.iso(),
    updatedAt: clock.iso(),
    status: "queued",
    conclusion: null,
    jobs: [],
    stop: new AbortController(),
  };
  run.attempts.push(attempt);
  const fault = attempt.number === 1 ? takeFault(weather, run.repository.fullName, run.headBranch) : null;
  await tellRun(simulation, run, attempt, "requested");
  work.track(
    (async () => {
      if (file === null) return endAttempt(simulation, run, attempt, "startup_failure");
      if (attempt.number === 1 && weather.approvals.has(run.headBranch)) {
        return endAttempt(simulation, run, attempt, "action_required");
      }
      attempt.status = "in_progress";
      await tellRun(simulation, run, attempt, "in_progress");
      const plan = { run, attempt, workflow: file, fault, kept, signal: attempt.stop.signal };
      await endAttempt(simulation, run, attempt, await runAttempt(simulation, plan));
    })(),
  );
}

async function endAttempt(simulation: Simulation, run: Run, attempt: Attempt, conclusion: Conclusion): Promise<void> {
  const updatedAt = simulation.clock.iso();
  Object.assign(attempt, { status: "completed", conclusion, updatedAt });
  run.suite.updatedAt = updatedAt;
  await tellRun(simulation, run, attempt, "completed");
  await tellCheckSuite(simulation, run.repository, run.suite, "completed", run.actor);
}

function keptJobs(jobs: readonly Job[], file: WorkflowFile | null, again: Again): Map<string, Job> {
  if (again === "all" || file === null) return new Map();
  const isAsked = (job: Job) =>
    again === "failed" ? job.conclusion !== "success" && job.conclusion !== "skipped" : job === again.job;
  const asked = new Set(jobs.filter(isAsked).map((job) => job.key));
  const redone = new Set(asked);
  for (let before = -1; before !== redone.size; ) {
    before = redone.size;
    for (const [key, { needs }] of Object.entries(file.jobs))
      if (needs.some((need) => redone.has(need))) redone.add(key);
  }
  // Within the asked key only the asked legs are redone; of what depends on it, everything.
  return new Map(
    jobs.filter((job) => !redone.has(job.key) || (asked.has(job.key) && !isAsked(job))).map((job) => [job.name, job]),
  );
}

function openRun(
  simulation: Simulation,
  repository: Repository,
  workflow: Workflow,
  occasion: Occasion,
  message: string,
): Run {
  const { headSha, headBranch, pull, trigger } = occasion;
  workflow.runCount += 1;
  const suite = addSuite(simulation, repository, simulation.actionsApp, headSha, headBranch, null);
  const { headRepository, checkoutSha, ref, actor } = occasion;
  const run: Run = {
    id: simulation.nextId(),
    repository,
    workflow,
    name: workflow.name,
    displayTitle: pull?.title ?? message.split("\n")[0] ?? "",
    event: trigger.event,
    headSha,
    headBranch,
    headRepository,
    checkoutSha,
    ref,
    pull,
    actor,
    number: workflow.runCount,
    suite,
    createdAt: simulation.clock.iso(),
    attempts: [],
  };
  suite.run = run;
  repository.runs.push(run);
  return run;
}

function addSuite(
  { nextId, clock }: Simulation,
  repository: Repository,
  app: App,
  headSha: string,
  headBranch: string | null,
  before: string | null,
): CheckSuite {
  const at = clock.iso();
  const suite = { id: nextId(), app, headSha, headBranch, before, createdAt: at, updatedAt: at, run: null };
  repository.suites.push(suite);
  return suite;
}

function knownWorkflow(
  simulation: Simulation,
  repository: Repository,
  path: string,
  file: WorkflowFile | null,
): Workflow {
  const name = file?.name ?? path;
  const known = repository.workflows.get(path);
  if (known !== undefined) return Object.assign(known, { name });
  const workflow = { id: simulation.nextId(), path, name, createdAt: simulation.clock.iso(), runCount: 0 };
  repository.workflows.set(path, workflow);
  return workflow;
}

async function workflowPaths({ git }: Repository, sha: string): Promise<string[]> {
  if ((await resolve(git, `${sha}:.github/workflows`)) === null) return [];
  const names = await git(["ls-tree", "--name-only", `${sha}:.github/workflows`]);
  return names
    .split("\n")
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => `.github/workflows/${name}`);
}

async function readFileAt({ git }: Repository, sha: string, path: string): Promise<WorkflowFile | null> {
  if ((await resolve(git, `${sha}:${path}`)) === null) return null;
  return readWorkflow(await git(["show", `${sha}:${path}`]));
}
