import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Step } from "../state/nouns.ts";
import { runBuiltIn, shownInputs } from "./built-in-actions.ts";
import { type Contexts, interpolate, isMet, type Standing } from "./expressions.ts";
import { githubFacts, type JobRun } from "./job-context.ts";
import { runScript, type ScriptEnd } from "./run-script.ts";
import { openStepFiles } from "./step-files.ts";
import type { StepFile } from "./workflow-file.ts";

export type StepEnd = "success" | "failure" | "skipped" | "cancelled" | "timed_out" | "runner-lost";

interface Shell {
  /** As the log shows it. */
  readonly shown: string;
  readonly suffix: string;
  readonly command: (file: string) => string[];
}

const SHELLS: Readonly<Record<string, Shell>> = {
  "": { shown: "/usr/bin/bash -e {0}", suffix: ".sh", command: (file) => ["bash", "-e", file] },
  bash: {
    shown: "/usr/bin/bash --noprofile --norc -e -o pipefail {0}",
    suffix: ".sh",
    command: (file) => ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", file],
  },
  sh: { shown: "/usr/bin/sh -e {0}", suffix: ".sh", command: (file) => ["sh", "-e", file] },
  python: { shown: "/usr/bin/python3 {0}", suffix: ".py", command: (file) => ["python3", file] },
};

/** What ordered bad weather prints, in the words of the real thing. */
const FAULT_WORDS = {
  "runner-lost":
    "The hosted runner lost communication with the server. Anything in your workflow that terminates the runner process, starves it for CPU/Memory, or blocks its network access can cause this error.",
  network: [
    "npm error code ECONNRESET",
    "npm error network aborted",
    "npm error network This is a problem related to network connectivity.",
    "npm error network In most cases you are behind a proxy or have bad network settings.",
  ],
  flaky: ["Error: Test timed out in 5000ms.", "1 test failed by timing out, 0 assertions failed"],
} as const;

/** Runs one step if its condition holds. Rejects only for a bug of the simulator; a bad workflow is a failed step. */
export async function runStep(jobRun: JobRun, step: Step, file: StepFile, standing: Standing): Promise<StepEnd> {
  const { log, plan } = jobRun;
  log.enter(step);
  const contexts = stepContexts(jobRun, file, standing);
  try {
    if (!isMet(file.if, contexts, standing)) return "skipped";
    // The step's own env: is there for its script and its inputs, not for its condition.
    const within = { ...contexts, env: declaredEnv(jobRun, file, contexts) };
    return await (file.run === undefined
      ? runAction(jobRun, file, within)
      : runCommands(jobRun, step, file, file.run, within));
  } catch (error) {
    if (plan.signal.aborted) return "cancelled";
    log.error(error instanceof Error ? error.message : String(error));
    return "failure";
  }
}

async function runAction(jobRun: JobRun, file: StepFile, contexts: Contexts): Promise<StepEnd> {
  const { log } = jobRun;
  const uses = file.uses ?? "";
  const inputs = Object.fromEntries(
    Object.entries(file.with).map(([key, value]) => [key, interpolate(value, contexts)]),
  );
  const shown = Object.entries(shownInputs(jobRun, uses, inputs)).map(([key, value]) => `  ${key}: ${value}`);
  log.group(`Run ${uses}`, shown.length === 0 ? [] : ["with:", ...shown]);
  return (await runBuiltIn(jobRun, uses, inputs)) ? "success" : "failure";
}

async function runCommands(
  jobRun: JobRun,
  step: Step,
  file: StepFile,
  source: string,
  contexts: Contexts,
): Promise<StepEnd> {
  const { simulation, plan, folders, log } = jobRun;
  const script = interpolate(source, contexts).replace(/\n+$/, "");
  const defaults = { ...plan.workflow.defaults.run, ...plan.file.defaults.run };
  const shellName = file.shell ?? defaults.shell ?? "";
  const shell = SHELLS[shellName] ?? null;
  const env = declaredEnv(jobRun, file, contexts);
  log.group(`Run ${script.split("\n")[0]}`, [
    ...script.split("\n").map((line) => `\u001b[36;1m${line}\u001b[0m`),
    `shell: ${shell?.shown ?? shellName}`,
    ...(Object.keys(env).length === 0
      ? []
      : ["env:", ...Object.entries(env).map(([key, value]) => `  ${key}: ${value}`)]),
  ]);
  if (shell === null) throw new Error(`This simulated runner has no shell '${shellName}'.`);
  if (plan.fault?.kind === "runner-lost") {
    log.error(FAULT_WORDS["runner-lost"]);
    return "runner-lost";
  }
  if (plan.fault?.kind === "network") return failWith(jobRun, FAULT_WORDS.network);

  const directory = interpolate(file["working-directory"] ?? defaults["working-directory"] ?? "", contexts);
  const place = path.join(folders.temp, `${plan.job.id}-${step.number}${shell.suffix}`);
  await mkdir(folders.workspace, { recursive: true });
  await writeFile(place, `${script}\n`);
  const files = await openStepFiles(folders.temp, step.number);
  const limit = Number(interpolate(String(file["timeout-minutes"] ?? ""), contexts)) * 60_000;
  const left = jobRun.deadline - simulation.clock.now();
  const end = await runScript({
    command: shell.command(place),
    cwd: path.resolve(folders.workspace, directory),
    env: { ...baseEnv(jobRun), ...env, ...files.env },
    timeoutMs: Math.max(1, limit > 0 ? Math.min(limit, left) : left),
    signal: plan.signal,
    onLine: (line) => log.output(line),
    onStart: (group) => jobRun.groups.push(group),
  });
  const said = await files.read();
  Object.assign(jobRun.exported, said.env);
  jobRun.addedPaths.unshift(...said.paths);
  if (file.id !== undefined) jobRun.stepResults[file.id] = { outputs: said.outputs, outcome: "", conclusion: "" };
  if (plan.fault?.kind === "flaky" && isLastScript(plan.file.steps, file)) return failWith(jobRun, FAULT_WORDS.flaky);
  return endOf(jobRun, file, end);
}

function endOf({ log, simulation, deadline }: JobRun, file: StepFile, end: ScriptEnd): StepEnd {
  if (end.ended === "cancelled") {
    log.error("The operation was canceled.");
    return "cancelled";
  }
  if (end.ended === "timed-out") {
    const isJob = simulation.clock.now() >= deadline;
    const what = isJob ? "The job" : `The action '${file.name ?? `Run ${file.run?.split("\n")[0]}`}'`;
    log.error(
      `${what} has timed out after ${isJob ? "its maximum execution time" : `${file["timeout-minutes"]} minutes`}.`,
    );
    return isJob ? "timed_out" : "failure";
  }
  if (end.code === 0) return "success";
  log.error(`Process completed with exit code ${end.code}.`);
  return "failure";
}

function failWith({ log }: JobRun, words: readonly string[]): StepEnd {
  log.lines(...words);
  log.error("Process completed with exit code 1.");
  return "failure";
}

const isLastScript = (steps: readonly StepFile[], step: StepFile): boolean =>
  steps.filter((other) => other.run !== undefined).at(-1) === step;

/** What a hosted runner's process starts with; nothing of the machine this runs on. */
function baseEnv({ simulation, run, plan, folders, addedPaths }: JobRun): Record<string, string> {
  const attempt = run.attempts.at(-1);
  const facts = attempt === undefined ? {} : githubFacts(simulation, run, attempt);
  return {
    PATH: [...addedPaths, simulation.toolPath].join(":"),
    HOME: folders.home,
    TMPDIR: folders.temp,
    LANG: "C.UTF-8",
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_WORKSPACE: folders.workspace,
    GITHUB_JOB: plan.job.key,
    ...Object.fromEntries(Object.entries(facts).map(([key, value]) => [`GITHUB_${key.toUpperCase()}`, value])),
    RUNNER_OS: "Linux",
    RUNNER_ARCH: "X64",
    RUNNER_NAME: plan.job.runnerName ?? "",
    RUNNER_TEMP: folders.temp,
    RUNNER_TOOL_CACHE: "/opt/hostedtoolcache",
  };
}

/** The `env:` of workflow, job and step, with what earlier steps exported; later layers see earlier ones. */
function declaredEnv(jobRun: JobRun, file: StepFile, contexts: Contexts): Record<string, string> {
  const { plan, exported } = jobRun;
  let env: Record<string, string> = {};
  for (const layer of [plan.workflow.env, plan.file.env, exported, file.env]) {
    const within = { ...contexts, env };
    env = {
      ...env,
      ...Object.fromEntries(Object.entries(layer).map(([key, value]) => [key, interpolate(value, within)])),
    };
  }
  return env;
}

function stepContexts(jobRun: JobRun, file: StepFile, standing: Standing): Contexts {
  const contexts = {
    ...jobRun.plan.contexts,
    steps: jobRun.stepResults,
    job: { status: standing.cancelled ? "cancelled" : standing.failure ? "failure" : "success" },
    env: {},
  };
  try {
    return { ...contexts, env: declaredEnv(jobRun, { ...file, env: {} }, contexts) };
  } catch {
    return contexts; // the step itself will say what is wrong with its expression
  }
}
