import type { CiJob, CiStep } from "../domain/ci-run.ts";
import type { Workflow, WorkflowStep } from "../domain/workflow.ts";
import { alignSteps, type KnownStep } from "./align-steps.ts";
import { archiveName, type JobLog, sameLoosely } from "./job-logs.ts";
import { matchJob, type PlannedJob, planJobs } from "./match-jobs.ts";
import { resolveText } from "./resolve-expressions.ts";
import type { Run, RunJob, RunStep } from "./run.ts";
import type { SplitStep } from "./split-log.ts";

interface Sources {
  readonly logs: readonly JobLog[];
  readonly jobs: readonly CiJob[] | null;
  readonly workflow: Workflow | null;
}

interface JobSources {
  readonly log: JobLog | null;
  readonly answer: CiJob | null;
  readonly planned: PlannedJob | null;
}

/**
 * Puts log, jobs answer and workflow together: the jobs in the order of their needs, each with all its steps; jobs of the
 * workflow that nothing else tells of come with no more than their definition.
 */
export function assembleRun({ logs, jobs, workflow }: Sources): Run {
  const planned = workflow === null ? [] : planJobs(workflow);
  const told: JobSources[] = [];
  const answers = new Set(jobs ?? []);
  for (const log of logs) {
    const answer = answerFor(log, jobs ?? [], logs.length);
    if (answer !== null) answers.delete(answer);
    told.push({ log, answer, planned: plannedFor(log, answer, planned) });
  }
  for (const answer of answers) told.push({ log: null, answer, planned: matchJob(answer.name, planned) });
  const silent = planned.filter((job) => !told.some((source) => isSameJob(source.planned, job)));
  const all = [...told, ...silent.map((job) => ({ log: null, answer: null, planned: job }))];
  return { jobs: inPlannedOrder(all, planned).map(toRunJob) };
}

function answerFor(log: JobLog, jobs: readonly CiJob[], logCount: number): CiJob | null {
  if (log.name !== null) {
    const name = log.name;
    const found =
      jobs.find((job) => job.name === name) ?? jobs.find((job) => archiveName(job.name) === archiveName(name));
    if (found !== undefined) return found;
    // An answer about this one job carries its name as the run shows it: the log may know the job by a shorter one.
    return logCount === 1 && jobs.length === 1 && (jobs[0]?.name.endsWith(` / ${name}`) ?? false)
      ? (jobs[0] ?? null)
      : null;
  }
  if (logCount > 1) return null;
  const red = jobs.filter((job) => isRed(job));
  return jobs.length === 1 ? (jobs[0] ?? null) : red.length === 1 ? (red[0] ?? null) : null;
}

function isRed(job: CiJob): boolean {
  return job.conclusion === "failure" || job.steps.some((step) => step.conclusion === "failure");
}

/** By name, else the only job of the file that has a script of the log: names can be made by what we cannot resolve. */
function plannedFor(log: JobLog, answer: CiJob | null, planned: readonly PlannedJob[]): PlannedJob | null {
  const name = answer?.name ?? log.name;
  const named = name === null ? null : matchJob(name, planned);
  if (named !== null) return named;
  const scripts = log.steps.filter((step) => step.part === "main" && step.command !== null);
  const definitions = [...new Set(planned.map((job) => job.definition))];
  const fits = definitions.filter((definition) => alignSteps(scripts, definition.steps.map(fromDefinition)).size > 0);
  const found = planned.filter((job) => job.definition === fits[0]);
  if (fits.length !== 1 || found[0] === undefined) return null;
  return found.length === 1 ? found[0] : { ...found[0], leg: {} };
}

/** The same job in the same combination; a job whose combination is not known stands for all of them. */
function isSameJob(told: PlannedJob | null, job: PlannedJob): boolean {
  if (told?.definition !== job.definition) return false;
  return Object.entries(told.leg).every(([key, value]) => JSON.stringify(job.leg[key]) === JSON.stringify(value));
}

function inPlannedOrder(all: readonly JobSources[], planned: readonly PlannedJob[]): readonly JobSources[] {
  const definitions = [...new Set(planned.map((job) => job.definition))];
  const rank = ({ planned: job }: JobSources): number =>
    job === null ? definitions.length : definitions.indexOf(job.definition);
  return all
    .map((source, at) => ({ source, at }))
    .sort((a, b) => rank(a.source) - rank(b.source) || a.at - b.at)
    .map(({ source }) => source);
}

function toRunJob({ log, answer, planned }: JobSources): RunJob {
  const definition = planned?.definition ?? null;
  const known = knownSteps(log, answer, definition?.steps ?? []);
  const image = log?.steps.find((step) => step.image !== null)?.image ?? null;
  return {
    name: answer?.name ?? log?.name ?? planned?.name ?? null,
    key: definition?.key ?? null,
    definition,
    leg: planned?.leg ?? {},
    conclusion: answer?.conclusion ?? null,
    labels: answer !== null && answer.labels.length > 0 ? answer.labels : image === null ? [] : [image],
    steps: withLogs(known, log?.steps ?? []).map((step) => ({
      ...step,
      name: resolveText(step.name, { matrix: planned?.leg ?? {} }).text,
    })),
  };
}

function knownSteps(
  log: JobLog | null,
  answer: CiJob | null,
  definitions: readonly WorkflowStep[],
): readonly KnownStep[] {
  if (answer !== null && answer.steps.length > 0) return withDefinitions(answer.steps, definitions);
  if (log !== null && log.listed.length > 0) {
    const listed = [...log.listed].sort((a, b) => a.number - b.number);
    const known = withDefinitions(
      listed.map((step) => ({ ...step, conclusion: null, startedAt: null, completedAt: null })),
      definitions,
    );
    return withUnlisted(known, definitions);
  }
  return definitions.map(fromDefinition);
}

/** An archive lists only steps that ran: the others of the file stand where the file has them. */
function withUnlisted(known: readonly KnownStep[], definitions: readonly WorkflowStep[]): readonly KnownStep[] {
  const steps = [...known];
  let after = steps.findLastIndex((step) => step.definition === null && partOf(step.name) === "setup");
  for (const definition of definitions) {
    const at = steps.findIndex((step) => step.definition === definition);
    if (at === -1) steps.splice(++after, 0, fromDefinition(definition));
    else after = at;
  }
  return steps;
}

function fromDefinition(step: WorkflowStep): KnownStep {
  return {
    number: null,
    name: shownName(step),
    conclusion: null,
    startedAt: null,
    completedAt: null,
    definition: step,
  };
}

/** The name GitHub shows: its own, else `Run` and the action or the script's first line. */
function shownName(step: WorkflowStep): string {
  return step.name ?? `Run ${step.uses ?? step.run?.trim().split("\n")[0] ?? ""}`.trim();
}

/** Steps of an answer with those of the file they come from: equal names, in order; expressions in names stand for anything. */
function withDefinitions(steps: readonly CiStep[], definitions: readonly WorkflowStep[]): readonly KnownStep[] {
  let from = 0;
  return steps.map((step) => {
    const at = definitions.findIndex((definition, index) => index >= from && isNamed(step.name, shownName(definition)));
    if (at === -1) return { ...step, definition: null };
    from = at + 1;
    return { ...step, definition: definitions[at] ?? null };
  });
}

function isNamed(name: string, pattern: string): boolean {
  const parts = pattern.split(/\$\{\{[^}]*\}\}/);
  if (parts.length === 1) return sameLoosely(name, pattern);
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const found = name.indexOf(part, at);
    if (found === -1 || (index === 0 && found !== 0)) return false;
    at = found + part.length;
  }
  return parts.at(-1) === "" || at === name.length;
}

/** The known steps with their parts of the log, and between them the parts that belong to none. */
function withLogs(known: readonly KnownStep[], logs: readonly SplitStep[]): readonly RunStep[] {
  const owners = ownersOf(known, logs);
  const steps: { step: KnownStep | null; logs: SplitStep[] }[] = known.map((step) => ({ step, logs: [] }));
  let last = -1;
  for (const log of logs) {
    const owner = owners.get(log);
    const at = owner === undefined ? -1 : steps.findIndex(({ step }) => step === owner);
    const before = steps[last];
    if (at !== -1) {
      steps[at]?.logs.push(log);
      last = at;
    } else if (log.part === "main" && before?.step != null && mayHoldParts(before.step, before.logs)) {
      before.logs.push(log);
    } else if (log.part === "post") {
      steps.push({ step: null, logs: [log] });
    } else {
      last++;
      steps.splice(last, 0, { step: null, logs: [log] });
    }
  }
  return steps.map(({ step, logs: parts }) => toRunStep(step, parts));
}

/** Only an action is made of parts; where the file is not known, its log begins with the action's own group. */
function mayHoldParts(step: KnownStep, logs: readonly SplitStep[]): boolean {
  return step.definition === null ? logs.some((log) => log.uses !== null) : step.definition.uses !== null;
}

function ownersOf(known: readonly KnownStep[], logs: readonly SplitStep[]): ReadonlyMap<SplitStep, KnownStep> {
  const owners = new Map<SplitStep, KnownStep>();
  const setup = known.find((step) => step.name === "Set up job");
  for (const log of logs) {
    const named = known.find(
      (step) =>
        (log.number !== null && step.number === log.number) || (log.givenName !== null && step.name === log.givenName),
    );
    if (named !== undefined) owners.set(log, named);
    else if (log.part === "setup" && setup !== undefined) owners.set(log, setup);
  }
  const open = logs.filter((log) => log.part === "main" && !owners.has(log));
  for (const [log, step] of alignSteps(open, known)) owners.set(log, step);
  return owners;
}

function toRunStep(step: KnownStep | null, logs: readonly SplitStep[]): RunStep {
  const first = logs[0];
  const shown = first === undefined ? "" : (first.givenName ?? first.name);
  return {
    number: step?.number ?? first?.number ?? null,
    // The file's name with its expressions is worse than what the log shows.
    name: step === null || (step.number === null && step.name.includes("${{") && shown !== "") ? shown : step.name,
    definition: step?.definition ?? null,
    conclusion: step?.conclusion ?? null,
    logs,
    part: first?.part ?? partOf(step?.name ?? ""),
  };
}

function partOf(name: string): RunStep["part"] {
  if (name === "Set up job" || name.startsWith("Pre ")) return "setup";
  return name.startsWith("Post ") || name === "Complete job" ? "post" : "main";
}
