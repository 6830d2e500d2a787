import type { Annotation, Step } from "../state/nouns.ts";
import type { Matcher } from "./problem-matchers.ts";

/** Writes one job's log in the dialect of GitHub's runner. */
export interface JobLog {
  /** Lines go to this step from now on. */
  enter(step: Step): void;
  line(text: string): void;
  lines(...texts: readonly string[]): void;
  group(title: string, texts: readonly string[]): void;
  error(text: string): void;
  /** One line of a step's output, where `::error file=…::` and its kin are orders to the runner. */
  output(text: string): void;
  /** Output of later steps is looked at by these too. */
  watch(matchers: readonly Matcher[]): void;
  readonly annotations: Annotation[];
}

/** GitHub keeps at most ten annotations of a level for each step. */
const ANNOTATIONS_A_STEP = 10;
const COMMAND = /^::(error|warning|notice|group|endgroup|debug|add-mask)(?: ([^:]*(?::(?!:)[^:]*)*))?::(.*)$/;
const ANSI = /\u001b\[[\d;]*m/g;
const LEVEL: Readonly<Record<string, string>> = { error: "failure", warning: "warning", notice: "notice" };

/** `places`: folders of this machine and what they are called at GitHub, longest first. */
export function openJobLog(now: () => number, places: readonly (readonly [string, string])[]): JobLog {
  let step: Step | null = null;
  let counts = new Map<string, number>();
  const masks: string[] = [];
  const watching: Matcher[] = [];
  const annotations: Annotation[] = [];
  const stamp = timestamps(now);

  const write = (text: string) => {
    const placed = places.reduce((line, [here, there]) => line.replaceAll(here, there), text);
    const masked = masks.reduce((line, secret) => line.replaceAll(secret, "***"), placed);
    step?.log.push(`${stamp()} ${masked}`);
  };
  const annotate = (kind: string, message: string, properties: Readonly<Record<string, string>>) => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    if (count > ANNOTATIONS_A_STEP) return;
    const line = Number(properties.line ?? 1) || 1;
    annotations.push({
      path: properties.file ?? ".github",
      start_line: line,
      end_line: Number(properties.endLine ?? line) || line,
      start_column: Number(properties.col) || null,
      end_column: Number(properties.endColumn) || null,
      annotation_level: LEVEL[kind] ?? "notice",
      title: properties.title ?? null,
      message,
      raw_details: null,
    });
  };
  /** A plain line of output, marked when a matcher knows it. */
  const plain = (text: string) => {
    const [match] = watching.flatMap((matcher) => matcher(text.replace(ANSI, "")) ?? []);
    if (match === undefined) return write(text);
    write(`##[${match.level}]${text}`);
    const { level, file, line, column, message } = match;
    annotate(level, message, { file, line: String(line), col: String(column) });
  };
  const error = (text: string) => {
    write(`##[error]${text}`);
    annotate("error", text, {});
  };

  return {
    annotations,
    watch: (matchers) => void watching.push(...matchers),
    enter(next) {
      step = next;
      counts = new Map();
    },
    line: write,
    lines: (...texts) => texts.forEach(write),
    group(title, texts) {
      for (const text of [`##[group]${title}`, ...texts, "##[endgroup]"]) write(text);
    },
    error,
    output(text) {
      const [, name, properties = "", message = ""] = COMMAND.exec(text) ?? [];
      if (name === undefined) return plain(text);
      if (name === "debug") return; // shown only with debug logging
      if (name === "add-mask") return void (message !== "" && masks.push(message));
      write(`##[${name}]${unescapeData(message)}`);
      if (name in LEVEL) annotate(name, unescapeData(message), readProperties(properties));
    },
  };
}

function readProperties(text: string): Record<string, string> {
  const pairs = text.split(",").map((pair) => pair.split("="));
  return Object.fromEntries(pairs.map(([key = "", ...value]) => [key.trim(), unescapeData(value.join("="))]));
}

function unescapeData(text: string): string {
  const plain: Readonly<Record<string, string>> = { "%25": "%", "%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": "," };
  return text.replace(/%25|%0D|%0A|%3A|%2C/g, (code) => plain[code] ?? code);
}

/** GitHub's seven digits of a second; a counter fills the digits that a millisecond clock does not have. */
function timestamps(now: () => number): () => string {
  let last = "";
  let count = 0;
  return () => {
    const ms = new Date(now()).toISOString().slice(0, -1);
    count = ms === last ? Math.min(count + 1, 9999) : 0;
    last = ms;
    return `${ms}${String(count).padStart(4, "0")}Z`;
  };
}
