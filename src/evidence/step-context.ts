import type { StepContext } from "../domain/evidence.ts";
import { type Contexts, resolveText, secretsIn } from "./resolve-expressions.ts";
import { decisiveLog, type RunJob, type RunStep } from "./run.ts";
import { runtimesOf } from "./runtimes.ts";

/** Environment of the whole workflow, below that of job and step. */
export type WorkflowEnv = Readonly<Record<string, string>>;

// Set by setup actions for later steps: paths of the runner's disk that mean nothing elsewhere.
const RUNNER_PATH = /^(?:\/opt\/hostedtoolcache|\/home\/runner|\/Users\/runner|\/usr\/share|[A-Z]:\\)/;
// Steps ask for it to be friendly to rate limits; nearly all work without.
const OPTIONAL_SECRET = /^(?:GITHUB_TOKEN|GH_TOKEN|github_token)$/;

/** Where and how a step runs: the layers of the workflow file with the leg's values, else what the log shows. */
export function stepContext(job: RunJob, step: RunStep, workflowEnv: WorkflowEnv): StepContext {
  const log = decisiveLog(step);
  const { definition } = step;
  const contexts = contextsOf(job);
  const env = definition === null ? logEnv(log?.env ?? {}) : fileEnv(job, step, workflowEnv, contexts);
  const resolve = (text: string | null | undefined): string | null =>
    text === null || text === undefined ? null : resolveText(text, { ...contexts, env: env.values }).text;
  const folder = resolve(definition?.workingDirectory ?? job.definition?.defaultWorkingDirectory);
  return {
    workingDirectory: normalFolder(folder ?? ""),
    shell: resolve(definition?.shell ?? job.definition?.defaultShell) ?? shellOf(log?.shell ?? null),
    env: env.values,
    obstacles: [
      ...placeObstacles(job, resolve),
      ...secretObstacles([...env.secrets, ...secretsIn(definition?.run ?? "")]),
    ],
    runtimes: runtimesOf(job, contexts),
  };
}

/** What a step runs: as the log echoes it, else as the file has it with what is known put in; null for an action that shows no command. */
export function resolvedCommand(job: RunJob, step: RunStep, env: StepContext["env"]): string | null {
  const shown = decisiveLog(step)?.command ?? null;
  if (shown !== null) return shown;
  const written = step.definition?.run ?? null;
  return written === null ? null : resolveText(written, { ...contextsOf(job), env }).text.trimEnd();
}

/** What is known of the contexts of a job before anything runs. */
function contextsOf(job: RunJob): Contexts {
  const os = osOf(job);
  return { matrix: job.leg, ...(os === null ? {} : { runner: { os } }), github: { workspace: "." } };
}

interface Env {
  readonly values: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

/** workflow < job < step. The log's values stand in for what only GitHub could resolve; secrets are left out and named. */
function fileEnv(job: RunJob, step: RunStep, workflowEnv: WorkflowEnv, contexts: Contexts): Env {
  const values: Record<string, string> = {};
  const secrets: string[] = [];
  const shown = decisiveLog(step)?.env ?? {};
  for (const layer of [workflowEnv, job.definition?.env ?? {}, step.definition?.env ?? {}]) {
    for (const [key, text] of Object.entries(layer)) {
      const wanted = secretsIn(text);
      secrets.push(...wanted);
      const resolved = resolveText(text, { ...contexts, env: values });
      const fromLog = shown[key];
      if (resolved.unresolved.length === 0) values[key] = resolved.text;
      else if (wanted.length === 0 && fromLog !== undefined && !fromLog.includes("***")) values[key] = fromLog;
      else delete values[key];
    }
  }
  return { values, secrets };
}

function logEnv(env: Readonly<Record<string, string>>): Env {
  const entries = Object.entries(env);
  return {
    values: Object.fromEntries(entries.filter(([, value]) => !value.includes("***") && !RUNNER_PATH.test(value))),
    secrets: entries.filter(([, value]) => value.includes("***")).map(([key]) => key),
  };
}

function secretObstacles(secrets: readonly string[]): readonly string[] {
  return [...new Set(secrets)].filter((name) => !OPTIONAL_SECRET.test(name)).map((name) => `needs secret ${name}`);
}

function placeObstacles(job: RunJob, resolve: (text: string | null) => string | null): readonly string[] {
  const { definition } = job;
  const labels = machineOf(job);
  const foreign = labels.find((label) => /windows|macos|osx/i.test(label));
  const services = definition?.services ?? [];
  const container = resolve(definition?.container ?? null);
  return [
    ...(foreign === undefined ? [] : [`runs on ${foreign}`]),
    ...(services.length === 0 ? [] : [`needs services: ${services.join(", ")}`]),
    ...(container === null || container === "" ? [] : [`runs in container ${container}`]),
  ];
}

function machineOf(job: RunJob): readonly string[] {
  const written = (job.definition?.runsOn ?? []).map((label) => resolveText(label, { matrix: job.leg }).text);
  return job.labels.length > 0 ? job.labels : written;
}

function osOf(job: RunJob): string | null {
  const labels = machineOf(job).join(" ").toLowerCase();
  if (labels.includes("windows")) return "Windows";
  if (/macos|osx/.test(labels)) return "macOS";
  return /ubuntu|linux|debian/.test(labels) ? "Linux" : null;
}

/** The runner shows the whole call; the name alone is what a workflow would say. `bash -e {0}` is its default. */
function shellOf(shown: string | null): string | null {
  if (shown === null || shown === "bash -e {0}") return null;
  if (shown.startsWith("bash --noprofile --norc -e -o pipefail")) return "bash";
  if (/^(?:sh -e|python|pwsh|powershell|cmd)\b/.test(shown)) return shown.split(" ")[0] ?? shown;
  return shown;
}

function normalFolder(folder: string): string {
  const parts = folder
    .replaceAll("\\", "/")
    .split("/")
    .filter((part) => part !== "" && part !== ".");
  return folder.startsWith("/") ? `/${parts.join("/")}` : parts.join("/");
}
