import type { CiJob } from "../domain/ci-run.ts";
import type { Evidence, Failure } from "../domain/evidence.ts";
import type { Workflow } from "../domain/workflow.ts";
import { assembleRun } from "./assemble-run.ts";
import { stepCutOff } from "./cut-logs.ts";
import { failedSteps, isGate } from "./failed-steps.ts";
import { mergeFailures, type Seen, toFailure } from "./failures.ts";
import { buildGraph } from "./graph.ts";
import type { JobLog } from "./job-logs.ts";
import { type Readers, type Reading, readStep } from "./read-step.ts";
import { decisiveLog, type RunJob, type RunStep } from "./run.ts";
import type { SplitStep } from "./split-log.ts";
import { type GreenTemplates, subtractGreen } from "./subtract.ts";
import { listValidations, type PlacedValidation } from "./validations.ts";

export interface OrganizeInput {
  readonly logs: readonly JobLog[];
  readonly jobs: readonly CiJob[] | null;
  readonly workflow: Workflow | null;
  readonly readers: Readers;
  /** Paths of the repository's files; null where they are not known. */
  readonly repoFiles: ReadonlySet<string> | null;
  /** Shapes of what green runs of the same job print; nothing is taken away without. */
  readonly green?: GreenTemplates;
}

/** Organize(E) = (F, V, G) of RETRACE §3.1: pure, the same for a run of today and one of history. */
export function organize(input: OrganizeInput): Evidence {
  const { jobs } = assembleRun(input);
  const failed = new Map(
    jobs.map((job) => {
      const steps = failedSteps(job);
      return [job, steps.length > 0 ? steps : stepCutOff(job, input.readers)];
    }),
  );
  const red = new Set([...failed.values()].flat());
  const placed = listValidations(jobs, red, input.readers, input.workflow?.env ?? {});
  const readings = jobs.flatMap((job) => (failed.get(job) ?? []).map((step) => readFailed(job, step, placed, input)));
  const seen = readings.flatMap((reading) => reading.seen);
  const silent = readings.flatMap(({ job, step }) => (step.logs.length === 0 ? unreadFailure(job, step, placed) : []));
  const fallback = silent.length > 0 ? silent : workflowFailures(input.workflow);
  const merged = mergeFailures(seen.length > 0 ? seen : fallback, (name) => isMatrixJob(name, jobs));
  const failures = withGates(merged, placed);
  // A step whose log was not handed in cannot be read; with no log at all nothing is explained.
  const readable = readings.filter(({ step }) => step.logs.length > 0);
  const explained = readable.filter(({ reading }) => reading.byTool).length;
  return {
    failures,
    validations: validationsOf(placed, readings),
    graph: buildGraph(jobs, input.workflow),
    quality: {
      logs: input.logs.some((log) => log.steps.length > 0),
      yaml: input.workflow !== null && input.workflow.errors.length === 0,
      parsedShare: readings.length === 0 ? 1 : share(explained, readable.length),
    },
  };
}

/** A failed step whose log nobody has (expired, not handed in): that it failed is all there is to say. */
function unreadFailure(job: RunJob, step: RunStep, placed: readonly PlacedValidation[]): Seen {
  const validation = placed.find((candidate) => candidate.step === step)?.validation ?? null;
  const finding = {
    message: `${step.name} ended in ${step.conclusion ?? "failure"}; its log is missing`,
    lines: [],
    tool: null,
    class: step.conclusion === "cancelled" ? ("cancelled" as const) : ("unknown" as const),
    cwd: "",
  };
  const ref = { number: step.number, name: step.name };
  const scene = { job: job.name, step: ref, command: validation?.command ?? null, validation: validation?.id ?? null };
  return toFailure(finding, { source: "", lines: [] }, { ...scene, repoFiles: null });
}

/** With an invalid workflow file nothing runs (`startup_failure`): the file's errors are then the failures. */
function workflowFailures(workflow: Workflow | null): readonly Seen[] {
  return (workflow?.errors ?? []).map(({ message, line, col }) => {
    const finding = {
      message,
      lines: line === null ? [] : [line],
      location: { file: workflow?.path ?? "", line, col },
      tool: null,
      class: "configuration_error" as const,
      cwd: "",
    };
    const scene = { job: null, step: null, command: null, validation: null, repoFiles: null };
    return toFailure(finding, { source: workflow?.path ?? "", lines: [] }, scene);
  });
}

/** To two decimals. */
function share(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 100) / 100;
}

interface StepReading {
  readonly job: RunJob;
  readonly step: RunStep;
  readonly reading: Reading;
  readonly seen: readonly Seen[];
}

function readFailed(
  job: RunJob,
  step: RunStep,
  placed: readonly PlacedValidation[],
  input: OrganizeInput,
): StepReading {
  const log = decisiveLog(step);
  const validation = placed.find((candidate) => candidate.step === step)?.validation ?? null;
  if (log === null) return { job, step, reading: { findings: [], byTool: false }, seen: [] };
  // A gate that stands alone is the whole failure: it then says so with its exit line.
  const repeats =
    isGate(step) &&
    placed.some((other) => other.job === job && other.step !== step && other.validation.status === "failed");
  const reading = repeats
    ? { findings: [], byTool: true }
    : readSaid(step, log, validation?.context.workingDirectory ?? "", input.readers);
  const red = input.green === undefined ? reading.findings : subtractGreen(reading.findings, log.lines, input.green);
  const seen = red.map((finding) =>
    toFailure(finding, log, {
      job: job.name,
      step: step.name === "" ? null : { number: step.number, name: step.name },
      // An action without a command of its own has a validation all the same: it is named there.
      command:
        step.definition?.run === null
          ? log.command
          : (log.command ?? (step.definition && validation ? validation.command : null)),
      validation: validation?.id ?? null,
      repoFiles: input.repoFiles,
    }),
  );
  return { job, step, reading, seen };
}

const TROUBLE =
  /error|fail|fatal|panic|exception|traceback|assert|cannot|could not|not found|denied|unexpected|invalid|missing|undefined|expected|[✗✖✕×]/i;

/** A text without any frame is a failure only where its words are: nothing else says that anything ended badly. */
function readSaid(step: RunStep, log: SplitStep, cwd: string, readers: Readers): Reading {
  const reading = readStep(log, cwd, readers);
  if (step.name !== "" || log.failure !== "none" || reading.byTool) return reading;
  const findings = reading.findings.filter(({ message, location }) => location != null || TROUBLE.test(message));
  return { ...reading, findings };
}

/** A job that only looks at the results of others fails of theirs: of the first job it needs, else of the first one. */
function withGates(failures: readonly Failure[], placed: readonly PlacedValidation[]): readonly Failure[] {
  const gates = new Map(placed.filter(({ step }) => isGate(step)).map(({ validation, job }) => [validation.id, job]));
  const causes = failures.filter(({ cascadeOf, validation }) => cascadeOf === null && !gates.has(validation ?? ""));
  return failures.map((failure) => {
    const job = gates.get(failure.validation ?? "");
    if (job === undefined || failure.cascadeOf !== null) return failure;
    const others = causes.filter((cause) => cause.job !== failure.job);
    const needed = others.find((cause) => {
      const key = placed.find(({ validation }) => validation.id === cause.validation)?.job.key ?? null;
      return key !== null && (job.definition?.needs ?? []).includes(key);
    });
    return { ...failure, cascadeOf: (needed ?? others[0])?.id ?? null };
  });
}

/** What a step turned out to run names its tool better than its command does: `make check`, an action. */
function validationsOf(placed: readonly PlacedValidation[], readings: readonly StepReading[]): Evidence["validations"] {
  return placed.map(({ validation, step }) => {
    const tool = readings.find((reading) => reading.step === step)?.reading.findings[0]?.tool ?? null;
    if (tool === null) return validation;
    return { ...validation, tool: tool.name, kind: validation.kind === "other" ? tool.kind : validation.kind };
  });
}

function isMatrixJob(name: string | null, jobs: readonly RunJob[]): boolean {
  const job = jobs.find((candidate) => candidate.name === name);
  if (job?.definition) return job.definition.legs.length > 1 || job.definition.dynamicMatrix;
  return name !== null && / \([^()]+\)$/.test(name);
}
