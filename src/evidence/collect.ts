import type { CiJob } from "../domain/ci-run.ts";
import type { Evidence } from "../domain/evidence.ts";
import type { Workflow } from "../domain/workflow.ts";
import type { LogFile, LogSource } from "../ports/log-source.ts";
import { LineReader } from "../text/lines.ts";
import { guessWorkflow, type WorkflowFile } from "./guess-workflow.ts";
import { inlineCalls } from "./inline-calls.ts";
import { type JobLog, type ListedStep, readLogName } from "./job-logs.ts";
import { organize } from "./organize.ts";
import { readRawLine } from "./raw-line.ts";
import type { Readers } from "./read-step.ts";
import { readWorkflow } from "./read-workflow.ts";
import { LogSplitter, MAX_GREEN_STEPS, type SplitLog, type SplitStep, withFacts } from "./split-log.ts";
import { GreenLines, type GreenTemplates } from "./subtract.ts";

export interface CollectInput {
  readonly source: LogSource;
  readonly workflow: WorkflowFile | null;
  readonly jobs: readonly CiJob[] | null;
  readonly readers: Readers;
  /** Paths of the repository's files, where they are known. */
  readonly repoFiles?: readonly string[] | null;
  /**
   * What green runs of these jobs print: that is not why this one is red. Asked only where a failure is known by its words
   * alone; a rejection counts as nothing known.
   */
  readonly passing?: (jobs: readonly string[]) => Promise<GreenTemplates>;
}

/** Reads logs and workflow and organizes them. Rejects with UnreadableSource when there is no log to be had. */
export async function collectEvidence(input: CollectInput): Promise<Evidence> {
  const { evidence } = await collectGuessing({ ...input, candidates: [] });
  return evidence;
}

/**
 * The same; without a workflow named, the only one of `candidates` whose steps are those of the log is taken. `guessed` is
 * its path, to be said to people; null when nothing was guessed. Local workflows that it calls are looked up there, too.
 */
export async function collectGuessing(
  input: CollectInput & { readonly candidates: readonly WorkflowFile[] },
): Promise<{ readonly evidence: Evidence; readonly guessed: string | null }> {
  const logs = await readLogs(input.source, input.jobs);
  const guessed = input.workflow === null ? await guessWorkflow(logs, input.candidates) : null;
  const file = input.workflow ?? guessed;
  const written: Workflow | null = file && (await readWorkflow(file.path, file.text));
  const workflow = written && (await inlineCalls(written, input.candidates));
  const repoFiles = input.repoFiles ? new Set(input.repoFiles) : null;
  const red = { logs, jobs: input.jobs, workflow, readers: input.readers, repoFiles };
  const evidence = organize(red);
  const green = await askGreen(evidence, input.passing);
  return { evidence: green.size === 0 ? evidence : organize({ ...red, green }), guessed: guessed?.path ?? null };
}

async function askGreen({ failures }: Evidence, passing: CollectInput["passing"]): Promise<GreenTemplates> {
  // What a reader knows by test, rule or place is never taken away (`subtractGreen`).
  const doubtful = failures.filter(
    ({ testId, rule, location, lines }) => testId === null && rule === null && location === null && lines.length > 0,
  );
  if (passing === undefined || doubtful.length === 0) return NOTHING_GREEN;
  const jobs = new Set(doubtful.flatMap(({ job, legs }) => [...(job === null ? [] : [job]), ...legs]));
  return passing([...jobs]).catch(() => NOTHING_GREEN);
}

const NOTHING_GREEN: GreenTemplates = new Set();

/** The shapes of what a log prints, of its first `maxBytes`. Rejects when it cannot be read. */
export async function readGreen(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<GreenTemplates> {
  const templates = new GreenLines();
  const reader = new LineReader((line) => templates.add(readRawLine(line).text));
  let left = maxBytes;
  for await (const chunk of chunks) {
    reader.push(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) break;
  }
  reader.end();
  return templates.found;
}

/** The jobs of all logs, in the order of the files. Where an archive holds a job's whole log, its step files only lend their names. */
export async function readLogs(source: LogSource, jobs: readonly CiJob[] | null): Promise<readonly JobLog[]> {
  const files = (await source.files()).map((file) => ({ file, name: readLogName(file.name) }));
  // Beside jobs and steps an archive holds the runner's own `system.txt`.
  const isArchive = files.some(({ name }) => name.kind !== "other");
  const whole = new Set(files.flatMap(({ name }) => (name.kind === "job" ? [name.job] : [])));
  const listed = new Map<string, ListedStep[]>();
  for (const { name } of files) {
    if (name.kind === "step") listed.set(name.job, [...(listed.get(name.job) ?? []), name.step]);
  }
  const logs: JobLog[] = [];
  const pieces = new Map<string, JobLog>();
  let room = MAX_RUN_STEPS;
  for (const { file, name } of files) {
    if (isArchive && name.kind === "other") continue;
    if (name.kind === "step" && whole.has(name.job)) continue;
    const split = await splitFile(file, jobs, Math.min(MAX_GREEN_STEPS, Math.max(MIN_JOB_STEPS, room)));
    room -= split.steps.length;
    if (name.kind === "step") {
      const before = pieces.get(name.job) ?? { name: name.job, steps: [], listed: listed.get(name.job) ?? [] };
      const facts = { number: name.step.number, givenName: name.step.name, job: name.job, jobIndex: 0 };
      const steps = split.steps.map((step) => withFacts(step, facts));
      pieces.set(name.job, { ...before, steps: [...before.steps, ...steps] });
      continue;
    }
    const fileJob = name.kind === "job" ? name.job : null;
    logs.push(...jobsOf(split, fileJob, listed.get(fileJob ?? "") ?? []));
  }
  return [...logs, ...pieces.values()];
}

// A run of 256 jobs with 20 steps each; in a larger one every job keeps at least so many as jobs commonly have.
const MAX_RUN_STEPS = 5_000;
const MIN_JOB_STEPS = 60;

async function splitFile(file: LogFile, jobs: readonly CiJob[] | null, maxGreen: number): Promise<SplitLog> {
  const red = new Set(
    (jobs ?? []).flatMap((job) => job.steps.filter((step) => step.conclusion === "failure").map((step) => step.name)),
  );
  const splitter = new LogSplitter(file.name, ({ name }) => red.has(name), maxGreen);
  for await (const chunk of file.chunks()) splitter.push(chunk);
  return splitter.end();
}

function jobsOf(split: SplitLog, fileJob: string | null, listed: readonly ListedStep[]): JobLog[] {
  const byJob = new Map<number, SplitStep[]>();
  for (const step of split.steps) {
    const steps = byJob.get(step.jobIndex);
    if (steps === undefined) byJob.set(step.jobIndex, [step]);
    else steps.push(step);
  }
  return [...byJob.values()].map((steps) => ({
    name: steps[0]?.job ?? fileJob,
    steps,
    listed: byJob.size === 1 ? listed : [],
  }));
}
