import type { StepLog } from "../domain/ci-run.ts";
import { type BulkTaker, LineReader } from "../text/lines.ts";
import { ByteStore } from "./byte-store.ts";
import { type LineStore, packLines } from "./packed-lines.ts";
import { isPlainLine, stampOf } from "./plain-line.ts";
import { type RawLine, readRawLine } from "./raw-line.ts";
import { readStepHeader, type StepHeader } from "./step-header.ts";
import { StepLines } from "./step-lines.ts";
import { readTravisLine } from "./travis-line.ts";

/** A step as the log alone tells it. */
export interface SplitStep extends StepLog {
  /** Which job of the file it belongs to, counted from 0: some logs hold several, one after another. */
  readonly jobIndex: number;
  /** `setup` is what the runner does before the first step, `post` what it does after the last. */
  readonly part: "setup" | "main" | "post";
  /** Inputs of an action. */
  readonly with: Readonly<Record<string, string>>;
  /** `ended`: the runner said so; `marked`: only error marks inside; `none`: nothing says that it failed. */
  readonly failure: "ended" | "marked" | "none";
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** The step name a `gh run view` log gives it; null elsewhere. */
  readonly givenName: string | null;
  /** Of a job's setup: the machine image it says it runs on (`windows-2022`); null elsewhere. */
  readonly image: string | null;
  /** The text ends in it, in the middle of a line. */
  readonly isCut: boolean;
}

export interface SplitLog {
  readonly source: string;
  readonly steps: readonly SplitStep[];
  /** The runner's (or Travis's) frame was seen; without it the whole text is one program's output. */
  readonly framed: boolean;
  readonly lineCount: number;
}

const EXIT = /^##\[error\]Process completed with exit code (-?\d+)\.?\s*$/;
const OVER =
  /^##\[error\](?:The operation was canceled\.|The action '.{0,300}' has timed out|The runner has received a shutdown signal|The job running on runner .{0,200} has exceeded)/;
const JOB_START = /^(?:Requested labels: |Current runner version: ')/;
const IMAGE = /^Image: ([\w.-]+)$/;
const JOB_NAME = /^Complete job name: (.+)$/;
// Newer runners mark the parts of a composite action.
const ACTION_MARK = /^##\[(?:start|end)-action /;
const STEP_GROUP = "##[group]Run ";
const POST = "Post job cleanup.";
const ORPHANS = "Cleaning up orphan processes";
// A log cut at its beginning may still name its step in the runner's last word.
const TIMED_OUT = /^##\[error\]The action '(.{1,300})' has timed out/;
// A header holds a script and its environment; a group that long is a step's own output.
const MAX_HEADER_LINES = 3_000;
// Only after so many lines is the dialect of a file known well enough to pass over lines by the dozen.
const DIALECT_LINES = 50;
// The runner's own words before the first step: image and name of the job stand among them.
const SETUP_LINES = 500;
// No job has as many steps: a text that does is a log repeated, and would fill memory and document.
export const MAX_GREEN_STEPS = 2_000;
const MAX_RED_STEPS = 300;

interface OpenStep {
  readonly part: SplitStep["part"];
  readonly name: string;
  readonly givenName: string | null;
  readonly header: StepHeader | null;
  readonly firstLine: number;
  readonly lines: StepLines;
  lastLine: number;
  exitCode: number | null;
  toldName: string | null;
  over: boolean;
  marked: boolean;
  lastMarked: boolean;
  startedAt: string | null;
  endedAt: string | null;
}

interface OpenHeader {
  readonly title: string;
  readonly line: number;
  readonly at: string | null;
  readonly givenName: string | null;
  readonly body: RawLine[];
}

/**
 * Cuts a log into its steps as its bytes come. Holds the open step within bounds (step-lines.ts) and, of finished steps,
 * lines only where something says that they failed, or where `keep` asks for them.
 */
export class LogSplitter {
  private readonly source: string;
  private readonly keep: (step: { readonly name: string; readonly job: string | null }) => boolean;
  private readonly bulk: BulkTaker = {
    isPlain: (bytes, from, to) => this.passesOver() && isPlainLine(bytes, from, to, this.framed),
    takePlain: (bytes, count) => this.takePlain(bytes, count),
  };
  private readonly reader = new LineReader((line) => this.takeLine(line), this.bulk);
  private readonly steps: (SplitStep & { job: string | null })[] = [];
  private readonly count = { green: 0, red: 0 };
  private readonly maxGreen: number;
  private readonly headers = new HeaderCache();
  private readonly store = new ByteStore();
  private jobBegun = false;
  private isCut = false;
  private viewed = false;
  private readonly jobNames: (string | null)[] = [null];
  private number = 0;
  private framed = false;
  private travis = false;
  private travisDone = false;
  private image: string | null = null;
  private step: OpenStep | null = null;
  private header: OpenHeader | null = null;

  constructor(
    source: string,
    keep: (step: { readonly name: string; readonly job: string | null }) => boolean = () => false,
    maxGreen: number = MAX_GREEN_STEPS,
  ) {
    this.maxGreen = maxGreen;
    this.source = source;
    this.keep = keep;
  }

  push(chunk: Uint8Array): void {
    this.reader.push(chunk);
  }

  end(): SplitLog {
    this.isCut = this.reader.end();
    if (this.header !== null) this.closeHeader("cut");
    // A build that sources its script dies with it: Travis then has no word left to say.
    if (this.travis && !this.travisDone && this.step?.header != null) this.step.over = true;
    // The end of a log is what it is about.
    this.count.green = 0;
    this.closeStep(true);
    // A job says its name when its first steps are cut already.
    for (const step of this.steps) step.job = this.jobNames[step.jobIndex] ?? null;
    return { source: this.source, steps: this.steps, framed: this.framed, lineCount: this.number };
  }

  /** Inside a step's output, where only marks of the runner matter. */
  private passesOver(): boolean {
    const { step } = this;
    return (
      step !== null &&
      (step.part !== "setup" || step.lines.count > SETUP_LINES) &&
      !step.lastMarked &&
      this.header === null &&
      !this.travis &&
      !this.viewed &&
      this.number > DIALECT_LINES
    );
  }

  private takePlain(bytes: Buffer, count: number): void {
    const { step } = this;
    if (step === null) return;
    step.lines.addRaw(this.number + 1, bytes, count);
    this.number += count;
    step.lastLine = this.number;
    step.endedAt = stampOf(bytes) ?? step.endedAt;
  }

  private takeLine(line: string): void {
    this.number++;
    if (line.startsWith("travis_") || this.travis) {
      this.travis ||= /^travis_(?:fold|time):/.test(line);
      if (this.travis) {
        this.takeTravis(line);
        return;
      }
    }
    const raw = readRawLine(line);
    this.framed ||= raw.at !== null || raw.text.startsWith("##[");
    if (raw.job !== null) this.followView(raw);
    this.take(raw);
  }

  /** `gh run view` names job and step on each line; a change of name is a boundary. */
  private followView(raw: RawLine): void {
    this.viewed = true;
    const index = this.jobNames.length - 1;
    if (this.jobNames[index] === null && this.steps.length === 0) this.jobNames[index] = raw.job;
    else if (this.jobNames[index] !== raw.job) this.startJob(raw.job);
    const step = raw.step === "UNKNOWN STEP" ? null : raw.step;
    if (step === null || step === (this.header?.givenName ?? this.step?.givenName)) return;
    if (this.header !== null) this.closeHeader("cut");
    const part =
      step === "Set up job" ? "setup" : step.startsWith("Post ") || step === "Complete job" ? "post" : "main";
    this.openStep({ part, name: step, givenName: step, header: null, firstLine: this.number, at: raw.at });
  }

  private take(raw: RawLine): void {
    const { text } = raw;
    if (this.header !== null) {
      if (text.startsWith("##[endgroup]")) {
        this.closeHeader("ended");
        return;
      }
      this.header.body.push(raw);
      if (this.header.body.length > MAX_HEADER_LINES || text.startsWith("##[group]")) this.closeHeader("overflowed");
      return;
    }
    if (text.startsWith(STEP_GROUP)) {
      const givenName = this.step?.givenName ?? null;
      this.header = { title: text.slice(STEP_GROUP.length), line: this.number, at: raw.at, givenName, body: [] };
      return;
    }
    if (JOB_START.test(text) && this.jobBegun) this.startJob(null);
    const name = JOB_NAME.exec(text)?.[1];
    if (this.step?.part === "setup") this.image = IMAGE.exec(text)?.[1] ?? this.image;
    if (name !== undefined && this.step?.part === "setup") this.jobNames[this.jobNames.length - 1] ??= name.trim();
    // A job without actions, or one that never began, has nothing to clean up but its processes.
    if (
      (text === POST || (text === ORPHANS && this.step !== null && this.step.part !== "post")) &&
      this.step?.givenName == null
    ) {
      this.openStep({ part: "post", name: text, givenName: null, header: null, firstLine: this.number, at: raw.at });
    }
    if (!ACTION_MARK.test(text)) this.addLine(text, raw.at);
  }

  private takeTravis(line: string): void {
    this.framed = true;
    if (this.header !== null) this.closeHeader("cut");
    const read = readTravisLine(line);
    this.travisDone ||= read.text?.startsWith("Done. Your build exited") ?? false;
    if (read.command !== null) {
      const header = { command: read.command, uses: null, shell: null, env: {}, with: {} };
      this.openStep({ part: "main", name: read.command, givenName: null, header, firstLine: this.number, at: null });
      return;
    }
    if (read.text !== null) this.addLine(read.text, null);
    if (read.exit === null || this.step === null) return;
    this.step.exitCode = read.exit.code;
    this.step.over = read.exit.code !== 0;
    // What follows is Travis's own: caches, `Done.`
    this.closeStep(false);
  }

  private startJob(name: string | null): void {
    if (this.header !== null) this.closeHeader("cut");
    this.closeStep(true);
    this.jobBegun = false;
    this.jobNames.push(name);
  }

  /** `ended` by its own mark, `overflowed` by what cannot stand in a header, `cut` by a boundary or the end of the log. */
  private closeHeader(how: "ended" | "overflowed" | "cut"): void {
    const open = this.header;
    this.header = null;
    if (open === null) return;
    const body = open.body.map((line) => line.text);
    const lastLine = open.line + body.length + (how === "ended" ? 1 : 0);
    const header = this.headers.read(open.title, body, how !== "cut");
    if (header !== null) {
      const name = open.givenName ?? `Run ${open.title}`;
      // A gh view log opened the step by its name already: the header belongs to it, unless it is a composite's inner step.
      const first = this.step !== null && this.step.givenName !== null && this.step.header === null;
      const firstLine = first && this.step !== null ? this.step.firstLine : open.line;
      this.openStep({ part: "main", name, givenName: open.givenName, header, firstLine, at: open.at }, first);
      if (this.step !== null) this.step.lastLine = lastLine;
      return;
    }
    this.addLineAt(open.line, `##[group]Run ${open.title}`, open.at);
    open.body.forEach((line, index) => {
      this.addLineAt(open.line + 1 + index, line.text, line.at);
    });
    if (this.step !== null) this.step.lastLine = lastLine;
  }

  private openStep(
    opening: Pick<OpenStep, "part" | "name" | "givenName" | "header" | "firstLine"> & { readonly at: string | null },
    replace = false,
  ): void {
    if (replace) this.step = null;
    this.closeStep(opening.part === "post");
    const { part, name, givenName, header, firstLine, at } = opening;
    this.jobBegun ||= part !== "setup";
    this.step = {
      part,
      name,
      givenName,
      header,
      firstLine,
      lines: new StepLines(this.store),
      lastLine: firstLine,
      exitCode: null,
      toldName: null,
      over: false,
      marked: false,
      lastMarked: false,
      startedAt: at,
      endedAt: at,
    };
  }

  private addLine(text: string, at: string | null): void {
    this.addLineAt(this.number, text, at);
  }

  private addLineAt(number: number, text: string, at: string | null): void {
    if (this.step === null) {
      const setup =
        JOB_START.test(text) || /^(?:Runner name: '|Job is |Secret source: |Prepare workflow directory)/.test(text);
      const name = setup ? "Set up job" : "";
      this.openStep({ part: setup ? "setup" : "main", name, givenName: null, header: null, firstLine: number, at });
    }
    const step = this.step;
    if (step === null) return;
    step.lines.add(number, text);
    step.lastLine = number;
    step.endedAt = at ?? step.endedAt;
    if (!/\S/.test(text)) return;
    step.lastMarked = text.startsWith("##[error]");
    step.marked ||= step.lastMarked;
    if (!step.lastMarked) return;
    const exit = EXIT.exec(text)?.[1];
    if (exit !== undefined) step.exitCode = Number(exit);
    step.toldName = TIMED_OUT.exec(text)?.[1] ?? step.toldName;
    if (exit !== undefined || OVER.test(text)) step.over = true;
  }

  private closeStep(last: boolean): void {
    const step = this.step;
    this.step = null;
    if (step === null) return;
    const failure = step.over || step.lastMarked ? "ended" : step.marked ? "marked" : "none";
    const jobIndex = this.jobNames.length - 1;
    const kept =
      failure !== "none" ||
      last ||
      !this.framed ||
      this.keep({ name: step.name, job: this.jobNames[jobIndex] ?? null });
    if (failure === "none" ? ++this.count.green > this.maxGreen : ++this.count.red > MAX_RED_STEPS) return;
    const { lines, omittedLines } = kept ? step.lines.result() : { lines: [], omittedLines: step.lines.count };
    const split: Omit<SplitStep, "lines"> = {
      source: this.source,
      job: null,
      number: step.part === "setup" && step.name !== "" ? 1 : null,
      name: step.name === "" ? (step.toldName ?? "") : step.name,
      command: step.header?.command ?? null,
      uses: step.header?.uses ?? null,
      shell: step.header?.shell ?? null,
      env: step.header?.env ?? {},
      failed: failure === "ended",
      exitCode: step.exitCode,
      firstLine: step.firstLine,
      lastLine: step.lastLine,
      omittedLines,
      jobIndex,
      part: step.part,
      with: step.header?.with ?? {},
      failure,
      startedAt: step.startedAt,
      endedAt: step.endedAt,
      givenName: step.givenName,
      image: step.part === "setup" ? this.image : null,
      isCut: this.isCut,
    };
    this.steps.push(withLines(split, packLines(lines)));
  }
}

/** The step with lines that are unpacked when somebody asks for them. */
function withLines(step: Omit<SplitStep, "lines">, store: LineStore): SplitStep {
  return Object.defineProperty({ ...step, lines: [] }, "lines", { get: store, enumerable: true, configurable: true });
}

/** The step with some facts changed; its lines stay packed. */
export function withFacts(step: SplitStep, facts: Partial<Omit<SplitStep, "lines">>): SplitStep {
  const { lines, ...descriptors } = Object.getOwnPropertyDescriptors(step);
  const copy = Object.defineProperties({}, { ...descriptors, ...Object.getOwnPropertyDescriptors(facts) });
  return Object.defineProperty(copy, "lines", lines) as SplitStep;
}

// Nearly all steps of a job have the same environment: equal headers are one object.
const MAX_HEADERS = 200;

class HeaderCache {
  private readonly known = new Map<string, StepHeader | null>();

  read(title: string, body: readonly string[], complete: boolean): StepHeader | null {
    const key = JSON.stringify([complete, title, body]);
    const found = this.known.get(key);
    if (found !== undefined) return found;
    if (this.known.size >= MAX_HEADERS) this.known.clear();
    const header = readStepHeader(title, body, complete);
    this.known.set(key, header);
    return header;
  }
}
