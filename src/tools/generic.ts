import type { FailureClass } from "../domain/category.ts";
import type { LogLine, StepLog } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareText } from "./bare-lines.ts";
import { ECHO, guessCategory, NOISE, SHAPES, type Shape } from "./generic-shapes.ts";
import { repositoryPath } from "./repository-path.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic } from "./tool.ts";

// Shapes are looked for in a line's first part only: what says something says it early.
const MAX_SEEN = 1_000;
// papers §8.2: the excerpt of a failing step.
const MAX_CHARS = 8_000;
// papers §8.2: the same template more than four times is chatter.
const MAX_REPEATS = 4;
// papers §8.2: with no strong line, what stands last explains best.
const TAIL = 40;
// How far below its head a detail still belongs to it.
const REACH = 12;
// Plain words count where the step ended, not in the chatter long before.
const PLAIN_REACH = 40;

const MARK = /^##\[error\]|^::error\b/;
const BOUNDARY = /^##\[error\](?:Process completed with exit code \d+|The process '.*' failed with exit code \d+)/;

interface Said {
  readonly line: LogLine;
  readonly text: string;
  readonly shape: Shape;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/**
 * What a step says is wrong when no tool of ours knows its words (papers §8.2, algorithm K): lines with the shape of an
 * error, those that belong together in one diagnostic; without any, the last lines that are no noise; without these, the
 * exit line. Empty only when the step printed nothing. Linear in the input; never throws.
 */
export function readGeneric(step: StepLog): readonly Diagnostic[] {
  const said = speakingLines(step.lines);
  if (said.length === 0) return readTail(step.lines);
  return withinBudget(mergeEqual(group(said).map(toDiagnostic)), step.lines);
}

/** Sure lines; plain ones only near the end, or when nothing is sure. */
function speakingLines(lines: readonly LogLine[]): readonly Said[] {
  const repeats = new Map<string, number>();
  const found: Said[] = [];
  for (const line of lines) {
    const said = readLine(line);
    if (said === null) continue;
    const template = said.shape.sure ? "" : said.text.replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#").slice(0, 120);
    const seen = (repeats.get(template) ?? 0) + 1;
    if (!said.shape.sure) repeats.set(template, seen);
    if (said.shape.sure || seen <= MAX_REPEATS) found.push(said);
  }
  const sure = found.filter(({ shape }) => shape.sure);
  if (sure.some(({ shape }) => shape.part === "head")) return sure;
  const end = lines.at(-1)?.number ?? 0;
  const near = found.filter(({ line }) => end - line.number <= PLAIN_REACH);
  return near.length > 0 ? near : found.slice(-TAIL);
}

function readLine(line: LogLine): Said | null {
  if (BOUNDARY.test(line.text)) return null;
  const marked = MARK.test(line.text);
  const text = bareText(line.text).slice(0, MAX_SEEN);
  if (ECHO.test(text)) return null;
  if (!marked && NOISE.test(text)) return null;
  for (const shape of SHAPES) {
    const match = shape.says.exec(text);
    if (match) return { line, text, shape: marked ? { ...shape, sure: true } : shape, groups: match.groups ?? {} };
  }
  return marked && text.trim() !== "" ? { line, text, shape: MARKED, groups: {} } : null;
}

const MARKED: Shape = { says: /^/, part: "head", category: null, sure: true };

/** A head opens a group; details join the group above when it is near, else they are left out. */
function group(said: readonly Said[]): Said[][] {
  const groups: Said[][] = [];
  for (const one of said) {
    const open = groups.at(-1);
    const last = open?.at(-1);
    const near = last !== undefined && one.line.number - last.line.number <= REACH;
    if (one.shape.part === "detail" ? near : near && continues(open, one)) open?.push(one);
    else if (one.shape.part === "head") groups.push([one]);
  }
  return groups;
}

/** A title without a reason yet takes the error that stands below it. */
function continues(open: readonly Said[] | undefined, one: Said): boolean {
  const first = open?.[0];
  if (!first || open.length >= MAX_QUOTED) return false;
  return first.groups.test !== undefined && one.groups.test === undefined && one.shape.sure;
}

function toDiagnostic(group: readonly Said[]): Diagnostic {
  const [first] = group;
  const reason = group.find(({ groups }) => groups.message) ?? first;
  const text = group.map((one) => one.text).join("\n");
  const message = (reason?.groups.message ?? first?.text ?? "").trim().slice(0, 500);
  const test = group.find(({ groups }) => groups.test)?.groups.test ?? null;
  return {
    message: message === "" ? (first?.text.trim() ?? "") : message,
    lines: group.map(({ line }) => line.number).slice(0, MAX_QUOTED),
    rule: group.find(({ groups }) => groups.rule)?.groups.rule ?? null,
    testId: test,
    location: locationOf(group),
    category: categoryOf(group, text),
  };
}

function locationOf(group: readonly Said[]): Location | null {
  for (const { groups } of group) {
    const file = groups.file === undefined ? null : repositoryPath(groups.file);
    if (file === null) continue;
    return { file, line: groups.line ? Number(groups.line) : null, col: groups.col ? Number(groups.col) : null };
  }
  return null;
}

function categoryOf(group: readonly Said[], text: string): FailureClass {
  const guess = guessCategory(text);
  const own = group.find(({ shape }) => shape.category !== null)?.shape.category ?? null;
  if (own === null) return guess;
  return own === "test_failure" && (guess === "assertion_error" || guess === "runtime_error") ? guess : own;
}

/** The same said again, as build tools do in their summaries, is the same diagnostic. */
function mergeEqual(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const merged = new Map<string, Diagnostic>();
  for (const one of diagnostics) {
    const key = JSON.stringify([one.message, one.testId, one.location]);
    const known = merged.get(key);
    const lines = [...(known?.lines ?? []), ...one.lines].slice(0, MAX_QUOTED);
    merged.set(key, { ...(known ?? one), lines });
  }
  return [...merged.values()];
}

/** The first diagnostics whose quoted lines fit an excerpt; the first always does. */
function withinBudget(diagnostics: readonly Diagnostic[], lines: readonly LogLine[]): Diagnostic[] {
  const length = new Map(lines.map(({ number, text }) => [number, Math.min(text.length, MAX_SEEN)]));
  let used = 0;
  return diagnostics.filter((diagnostic, index) => {
    used += diagnostic.lines.reduce((sum, number) => sum + (length.get(number) ?? 0) + 1, 0);
    return index === 0 || used <= MAX_CHARS;
  });
}

function readTail(lines: readonly LogLine[]): Diagnostic[] {
  const told = lines.filter(({ text }) => !BOUNDARY.test(text) && !NOISE.test(text.slice(0, MAX_SEEN)));
  const tail = told.slice(-TAIL);
  const last = tail.at(-1) ?? lines.findLast(({ text }) => BOUNDARY.test(text));
  if (!last) return [];
  const quoted = tail.length > 0 ? tail : [last];
  const message = bareText(last.text).trim().slice(0, 500);
  const text = quoted.map((line) => line.text.slice(0, MAX_SEEN)).join("\n");
  return [{ message, lines: quoted.map(({ number }) => number), location: null, category: guessCategory(text) }];
}
