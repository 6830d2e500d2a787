import { mkdir, realpath, rm } from "node:fs/promises";
import { release } from "node:os";
import path from "node:path";
import type { Run, Step } from "../state/nouns.ts";
import type { Simulation } from "../state/simulation.ts";
import { type Contexts, interpolate, type Standing } from "./expressions.ts";
import { hostedNames, type JobPlan, type JobRun, jobFolders } from "./job-context.ts";
import { openJobLog } from "./job-log.ts";
import { killGroup } from "./run-script.ts";
import { runStep, type StepEnd } from "./run-step.ts";
import type { JobFile, StepFile } from "./workflow-file.ts";

/**
 * Runs the steps of one job in a fresh folder and fills in the job: steps, log, conclusion, outputs. Executes only
 * what lies in a repository of this simulator, with the rights of the process that started it.
 */
export async function runJob(simulation: Simulation, run: Run, plan: JobPlan): Promise<void> {
  const { job, file } = plan;
  const { clock } = simulation;
  const root = path.join(simulation.folder, "jobs", String(job.id));
  await mkdir(root, { recursive: true });
  const folders = jobFolders(await realpath(root), run.repository.name);
  for (const folder of [folders.workspace, folders.temp, folders.home]) await mkdir(folder, { recursive: true });
  const log = openJobLog(clock.now, hostedNames(folders, run.repository.name));
  job.startedAt = clock.iso();
  job.status = "in_progress";
  job.runnerName = "GitHub Actions 1";
  const limitMs = Math.min(Number(file["timeout-minutes"] ?? 360) * 60_000 || Infinity, simulation.jobTimeoutMs);
  const jobRun: JobRun = {
    simulation,
    run,
    plan,
    log,
    folders,
    deadline: clock.now() + limitMs,
    exported: {},
    addedPaths: [],
    stepResults: {},
    groups: [],
  };
  try {
    await pause(simulation.weather.jobDelayMs(), plan.signal);
    await runSteps(jobRun);
    job.outputs = outputsOf(jobRun);
  } finally {
    for (const group of jobRun.groups) killGroup(group);
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
  job.completedAt = clock.iso();
  job.checkRun.annotations.push(...log.annotations);
}

async function runSteps(jobRun: JobRun): Promise<void> {
  const { plan, log, simulation } = jobRun;
  const { job, file } = plan;
  const [setUp, ...main] = addSteps(jobRun);
  const posts = job.steps.filter((step) => step.name.startsWith("Post "));
  const complete = job.steps.at(-1);
  if (setUp === undefined || complete === undefined) return;

  const unable = whatIsMissing(file, job.labels);
  await within(jobRun, setUp, async () => writeSetUp(jobRun, unable));
  if (unable !== null) setUp.conclusion = "failure";
  const standing = { success: unable === null, failure: unable !== null, cancelled: false };
  let worst: StepEnd = unable === null ? "success" : "failure";
  for (const [at, stepFile] of file.steps.entries()) {
    const step = main[at];
    if (step === undefined) continue;
    if (unable !== null || worst === "runner-lost") {
      finish(simulation, step, "skipped");
      continue;
    }
    if (plan.signal.aborted) {
      Object.assign(standing, { success: false, cancelled: true });
      if (worst === "success") worst = "cancelled";
    }
    const end = await within(jobRun, step, () => runStep(jobRun, step, stepFile, standing));
    worst = settle(jobRun, step, stepFile, end, standing, worst);
  }
  if (worst !== "runner-lost") {
    for (const post of posts) await within(jobRun, post, async () => log.line("Post job cleanup."));
    await within(jobRun, complete, async () => log.line("Cleaning up orphan processes"));
  }
  for (const step of job.steps) if (step.status !== "completed") finish(simulation, step, "skipped");
  job.conclusion = worst === "runner-lost" ? "failure" : worst === "skipped" ? "success" : worst;
  job.status = "completed";
  const forgives = interpolate(String(file["continue-on-error"] ?? ""), plan.contexts) === "true";
  job.result = forgives && job.conclusion === "failure" ? "success" : job.conclusion;
}

/** Notes how a step ended and what that means for the steps after it. */
function settle(
  { stepResults, plan }: JobRun,
  step: Step,
  file: StepFile,
  end: StepEnd,
  standing: { -readonly [key in keyof Standing]: Standing[key] },
  worst: StepEnd,
): StepEnd {
  const forgives = interpolate(String(file["continue-on-error"] ?? ""), plan.contexts) === "true";
  const outcome = end === "runner-lost" || end === "timed_out" ? "failure" : end;
  step.conclusion = forgives && outcome === "failure" ? "success" : outcome;
  if (file.id !== undefined) {
    const { outputs } = stepResults[file.id] ?? { outputs: {} };
    stepResults[file.id] = { outputs, outcome, conclusion: step.conclusion };
  }
  if (end === "success" || end === "skipped" || (forgives && end === "failure")) return worst;
  standing.success = false;
  standing.cancelled ||= end === "cancelled" || end === "timed_out";
  standing.failure ||= end === "failure";
  return worst === "success" || worst === "skipped" ? end : worst;
}

/** GitHub's numbering: main steps from 2, the posts of actions mirrored behind them, `Complete job` last. */
function addSteps({ plan }: JobRun): Step[] {
  const { job, file, contexts } = plan;
  const last = file.steps.length + 1;
  const names = file.steps.map((step) => stepName(step, contexts));
  const step = (number: number, name: string): Step => ({
    number,
    name,
    status: "queued",
    conclusion: null,
    startedAt: null,
    completedAt: null,
    log: [],
  });
  const main = [step(1, "Set up job"), ...names.map((name, at) => step(at + 2, name))];
  const posts = file.steps
    .flatMap((one, at) => (one.uses === undefined ? [] : [step(2 * last - at, `Post ${names[at]}`)]))
    .reverse();
  job.steps.push(...main, ...posts, step(2 * last + 1, "Complete job"));
  return main;
}

function stepName(step: StepFile, contexts: Contexts): string {
  const plain = step.name ?? `Run ${step.uses ?? step.run?.split("\n")[0] ?? ""}`;
  try {
    return interpolate(plain, { ...contexts, env: {}, steps: {}, job: {} });
  } catch {
    return plain;
  }
}

/** What of this job cannot be had here, in one line; null when all can. */
function whatIsMissing(file: JobFile, labels: readonly string[]): string | null {
  if (file.uses !== undefined) return `This simulated runner cannot call the reusable workflow '${file.uses}'.`;
  if (file.container !== undefined) return "This simulated runner has no job containers.";
  if (file.services !== undefined) return "This simulated runner has no service containers.";
  const foreign = labels.find((label) => /^(windows|macos)/i.test(label));
  return foreign === undefined ? null : `This simulated runner has no machine labelled '${foreign}'.`;
}

function writeSetUp({ log, plan, run }: JobRun, unable: string | null): void {
  log.line("Current runner version: '2.323.0'");
  log.group("Operating System", ["Linux", release()]);
  log.group("Runner Image", ["Image: simulated", "Version: 1"]);
  log.group("GITHUB_TOKEN Permissions", ["Contents: read", "Metadata: read"]);
  log.lines("Secret source: Actions", "Prepare workflow directory", "Prepare all required actions");
  const actions = new Set(plan.file.steps.flatMap((step) => step.uses ?? []));
  if (actions.size > 0) log.line("Getting action download info");
  for (const uses of actions) log.line(`Download action repository '${uses}' (SHA:${run.checkoutSha})`);
  log.line(`Complete job name: ${plan.job.name}`);
  if (unable !== null) log.error(unable);
}

async function within<T>({ simulation, log }: JobRun, step: Step, act: () => Promise<T>): Promise<T> {
  log.enter(step);
  step.status = "in_progress";
  step.startedAt = simulation.clock.iso();
  const result = await act();
  finish(simulation, step, "success");
  return result;
}

function finish({ clock }: Simulation, step: Step, conclusion: "success" | "skipped"): void {
  step.status = "completed";
  step.conclusion ??= conclusion;
  step.startedAt ??= clock.iso();
  step.completedAt = clock.iso();
}

function outputsOf({ plan, stepResults }: JobRun): Record<string, string> {
  const contexts = { ...plan.contexts, steps: stepResults, env: {}, job: {} };
  try {
    return Object.fromEntries(
      Object.entries(plan.file.outputs).map(([key, value]) => [key, interpolate(value, contexts)]),
    );
  } catch {
    return {};
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** The job's log as GitHub hands it out: the steps one after another. */
export function jobLogText(steps: readonly Step[]): string {
  const lines = steps.flatMap((step) => step.log);
  return lines.length === 0 ? "" : `${lines.join("\n")}\n`;
}
