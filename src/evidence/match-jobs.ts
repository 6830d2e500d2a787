import type { MatrixLeg, Workflow, WorkflowJob } from "../domain/workflow.ts";
import { archiveName } from "./job-logs.ts";
import { resolveText } from "./resolve-expressions.ts";

/** A job of a workflow in one combination of its matrix, as it is planned to run. */
export interface PlannedJob {
  readonly definition: WorkflowJob;
  readonly leg: MatrixLeg;
  /** The name GitHub is expected to show; expressions that are not known stay in it. */
  readonly name: string;
}

/** Every job of the workflow in every combination, jobs after those they need. */
export function planJobs(workflow: Workflow): readonly PlannedJob[] {
  return inOrderOfNeeds(workflow.jobs).flatMap((definition) =>
    definition.legs.map((leg) => ({ definition, leg, name: shownName(definition, leg) })),
  );
}

/**
 * The planned job that a name from the jobs answer, the log or an archive stands for: the same name, the name as an
 * archive writes it, the inner job of a called workflow (`caller / inner`), or the only one whose expressions could have
 * given it. Null when none or several fit.
 */
export function matchJob(name: string, planned: readonly PlannedJob[]): PlannedJob | null {
  const tests: readonly ((job: PlannedJob) => boolean)[] = [
    (job) => spellings(job).includes(name),
    (job) => spellings(job).some((spelling) => archiveName(spelling) === archiveName(name)),
    (job) => job.definition.calls !== null && spellings(job).some((spelling) => name.startsWith(`${spelling} / `)),
    // This workflow may itself be the one that is called.
    (job) => spellings(job).some((spelling) => name.endsWith(` / ${spelling}`)),
    (job) => couldBe(name, job.name),
    (job) => job.definition.dynamicMatrix && name.startsWith(`${job.name} (`),
  ];
  for (const fits of tests) {
    const found = planned.filter(fits);
    if (found.length === 1) return found[0] ?? null;
    if (found.length > 1) return onlyDefinition(found);
  }
  return null;
}

/** Several combinations of one job fit: the job is known, its combination is not. */
function onlyDefinition(found: readonly PlannedJob[]): PlannedJob | null {
  const [first] = found;
  if (first === undefined || found.some((job) => job.definition !== first.definition)) return null;
  return { ...first, leg: commonPart(found.map((job) => job.leg)) };
}

function commonPart(legs: readonly MatrixLeg[]): MatrixLeg {
  const [first = {}] = legs;
  const same = Object.entries(first).filter(([key, value]) =>
    legs.every((leg) => JSON.stringify(leg[key]) === JSON.stringify(value)),
  );
  return Object.fromEntries(same);
}

// GitHub cuts longer names and ends them in dots.
const MAX_NAME = 100;

function spellings(job: PlannedJob): readonly string[] {
  return [job.name, `${job.name.slice(0, MAX_NAME - 3)}...`].slice(0, job.name.length > MAX_NAME ? 2 : 1);
}

function shownName(definition: WorkflowJob, leg: MatrixLeg): string {
  const name = resolveText(definition.name ?? definition.key, { matrix: leg }).text;
  const values = Object.values(leg);
  if (values.length === 0 || definition.name?.includes("${{")) return name;
  return `${name} (${values.flatMap(leaves).join(", ")})`;
}

function leaves(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(leaves);
  return value === null || value === "" ? [] : [String(value)];
}

/** Whether `name` fits `pattern`, where an expression stands for any text. */
function couldBe(name: string, pattern: string): boolean {
  if (!pattern.includes("${{")) return false;
  const parts = pattern.split(/\$\{\{[^}]*\}\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return parts.some((part) => part.trim() !== "") && new RegExp(`^${parts.join(".{0,200}?")}$`).test(name);
}

function inOrderOfNeeds(jobs: readonly WorkflowJob[]): readonly WorkflowJob[] {
  const done = new Set<string>();
  const ordered: WorkflowJob[] = [];
  const visit = (job: WorkflowJob, trail: readonly string[]): void => {
    if (done.has(job.key) || trail.includes(job.key)) return;
    for (const need of job.needs) {
      const upstream = jobs.find((other) => other.key === need);
      if (upstream !== undefined) visit(upstream, [...trail, job.key]);
    }
    done.add(job.key);
    ordered.push(job);
  };
  for (const job of jobs) visit(job, []);
  return ordered;
}
