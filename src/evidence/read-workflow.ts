import { load } from "js-yaml";
import type { Workflow, WorkflowError, WorkflowJob, WorkflowStep } from "../domain/workflow.ts";
import { expandMatrix } from "./matrix.ts";
import { parseWorkflowFile } from "./workflow-parser.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Reads a workflow file. What is wrong with it stands in `errors`, with line and column where GitHub's parser gives them; never rejects for its content. */
export async function readWorkflow(path: string, text: string): Promise<Workflow> {
  const { errors, stepLines } = await parseWorkflowFile(path, text);
  const root = fields(loadYaml(text));
  const defaults = fields(fields(root.defaults).run);
  const jobs = Object.entries(fields(root.jobs)).map(([key, job]) =>
    toJob(key, fields(job), defaults, stepLines.get(key) ?? []),
  );
  return {
    path,
    name: scalar(root.name),
    events: eventsOf(root.on),
    env: texts(root.env),
    jobs,
    errors: [...errors, ...unknownNeeds(jobs, errors)],
  };
}

function loadYaml(text: string): unknown {
  try {
    return load(text);
  } catch {
    // The parser above has said what is wrong, with its place.
    return null;
  }
}

function toJob(key: string, job: Fields, workflowDefaults: Fields, lines: readonly (number | null)[]): WorkflowJob {
  const strategy = fields(job.strategy);
  const { legs, dynamic } = expandMatrix(job.strategy === undefined ? undefined : strategy.matrix);
  const defaults = { ...workflowDefaults, ...fields(fields(job.defaults).run) };
  const container = typeof job.container === "string" ? job.container : scalar(fields(job.container).image);
  return {
    key,
    name: scalar(job.name),
    needs: list(job.needs),
    if: scalar(job.if),
    runsOn: runsOn(job["runs-on"]),
    container,
    services: Object.keys(fields(job.services)),
    legs,
    dynamicMatrix: dynamic || (job.strategy !== undefined && typeof job.strategy === "string"),
    failFast: strategy["fail-fast"] !== false,
    continueOnError: scalar(job["continue-on-error"]),
    env: texts(job.env),
    defaultShell: scalar(defaults.shell),
    defaultWorkingDirectory: scalar(defaults["working-directory"]),
    calls: scalar(job.uses),
    steps: Array.isArray(job.steps) ? job.steps.map((step, at) => toStep(fields(step), at, lines[at] ?? null)) : [],
  };
}

function toStep(step: Fields, at: number, line: number | null): WorkflowStep {
  return {
    index: at + 1,
    id: scalar(step.id),
    name: scalar(step.name),
    if: scalar(step.if),
    run: scalar(step.run),
    uses: scalar(step.uses),
    with: texts(step.with),
    env: texts(step.env),
    shell: scalar(step.shell),
    workingDirectory: scalar(step["working-directory"]),
    continueOnError: scalar(step["continue-on-error"]),
    line,
  };
}

function runsOn(value: unknown): readonly string[] {
  const group = fields(value);
  if (Object.keys(group).length > 0) return [...list(group.labels), ...list(group.group)];
  return list(value);
}

function eventsOf(on: unknown): readonly string[] {
  return typeof on === "object" && on !== null && !Array.isArray(on) ? Object.keys(on) : list(on);
}

/** GitHub refuses a job that needs an unknown one; its parser, as a library, lets it pass. */
function unknownNeeds(jobs: readonly WorkflowJob[], known: readonly WorkflowError[]): readonly WorkflowError[] {
  const keys = new Set(jobs.map((job) => job.key));
  return jobs.flatMap((job) =>
    job.needs
      .filter((need) => !keys.has(need) && !known.some(({ message }) => message.includes(`'${need}'`)))
      .map((need) => ({ message: `Job '${job.key}' depends on unknown job '${need}'.`, line: null, col: null })),
  );
}

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function scalar(value: unknown): string | null {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : null;
}

function texts(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(fields(value)).map(([key, inner]) => [key, scalar(inner) ?? ""] as const);
  return Object.fromEntries(entries);
}

function list(value: unknown): readonly string[] {
  const all = Array.isArray(value) ? value : [value];
  return all.flatMap((item) => scalar(item) ?? []);
}
