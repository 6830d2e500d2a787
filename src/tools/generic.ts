import type { FailureClass } from "../domain/category.ts";
import type { LogLine, StepLog } from "../domain/ci-run.ts";
import type { Location, StackFrame } from "../domain/evidence.ts";
import { bareText } from "./bare-lines.ts";
import { readFrameLine } from "./code-frames.ts";
import { SHAPES, type Shape } from "./generic-shapes.ts";
import { guessCategory } from "./guess-category.ts";
import { isEcho, isNoise } from "./log-noise.ts";
import { faultFile, namedFile } from "./named-file.ts";
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
// How far below the last line of a diagnostic a detail still belongs to it.
const REACH = 12;
// Plain words count where the step ended, not in the chatter long before; beside sure lines only at the very end.
const PLAIN_REACH = 40;
const PLAIN_REACH_BESIDE_SURE = 12;
// The body of a diagnostic: how far we look, and how much of it says why.
const BODY_SPAN = 40;
const BODY_LINES = 6;
const BODY_FRAMES = 5;

const MARK = /^##\[error\]|^::error\b/;
const BOUNDARY = /^##\[error\]Process completed with exit code \d+/;
const BULLET = /^\s*(?:[|•└│├╰]|- )/;
const MARKED: Shape = { says: /^/, part: "head", category: null, sure: true };

interface Said {
  /** Its place among the step's lines. */
  readonly index: number;
  readonly number: number;
  readonly text: string;
  readonly shape: Shape;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

interface Body {
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  readonly frames: readonly (StackFrame & { readonly location: Location })[];
}

/**
 * What a step says is wrong when no tool of ours knows its words (papers §8.2, algorithm K): lines with the shape of an
 * error, with what belongs to them in one diagnostic; without any, the last lines that are no noise; without these, the
 * exit line. Empty only when the step printed nothing. Linear in the input; never throws.
 */
export function readGeneric(step: StepLog): readonly Diagnostic[] {
  const groups = group(speakingLines(step.lines));
  if (groups.length === 0) return readTail(step.lines);
  const diagnostics = groups.map((said, i) =>
    toDiagnostic(said, step.lines, groups[i + 1]?.[0]?.index ?? step.lines.length),
  );
  return withinBudget(mergeEqual(diagnostics), step.lines);
}

/** Sure lines, and plain ones near the end: few beside sure ones, more where nothing is sure. */
function speakingLines(lines: readonly LogLine[]): readonly Said[] {
  const repeats = new Map<string, number>();
  const found: Said[] = [];
  for (const [index, line] of lines.entries()) {
    const said = readLine(line, index);
    if (said === null) continue;
    if (!said.shape.sure) {
      const template = said.text.slice(0, 120).replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#");
      const seen = (repeats.get(template) ?? 0) + 1;
      repeats.set(template, seen);
      if (seen > MAX_REPEATS) continue;
    }
    found.push(said);
  }
  const isSure = found.some(({ shape }) => shape.sure && shape.part === "head");
  const reach = isSure ? PLAIN_REACH_BESIDE_SURE : PLAIN_REACH;
  const near = found.filter(({ shape, index }) => shape.sure || lines.length - index <= reach);
  return isSure || near.length > 0 ? near : found.slice(-TAIL);
}

function readLine(line: LogLine, index: number): Said | null {
  if (BOUNDARY.test(line.text)) return null;
  const marked = MARK.test(line.text);
  const text = bareText(line.text).slice(0, MAX_SEEN);
  if (isEcho(text) || (!marked && isNoise(text))) return null;
  for (const shape of SHAPES) {
    const match = shape.says.exec(text);
    if (!match) continue;
    return {
      index,
      number: line.number,
      text,
      shape: marked ? { ...shape, sure: true } : shape,
      groups: match.groups ?? {},
    };
  }
  return marked && text.trim() !== "" ? { index, number: line.number, text, shape: MARKED, groups: {} } : null;
}

/** A head opens a group; details join the group above when it is near, else they are left out. */
function group(said: readonly Said[]): Said[][] {
  const groups: Said[][] = [];
  for (const one of said) {
    const open = groups.at(-1);
    const last = open?.at(-1);
    const near = last !== undefined && one.index - last.index <= REACH;
    if (near && (one.shape.part === "detail" || givesReason(open, one))) open?.push(one);
    else if (one.shape.part === "head") groups.push([one]);
  }
  return groups;
}

/** A title without a reason yet takes the error that stands below it. */
function givesReason(open: readonly Said[] | undefined, one: Said): boolean {
  const first = open?.[0];
  if (!first || open.length >= MAX_QUOTED) return false;
  return first.groups.test !== undefined && one.groups.test === undefined && one.shape.sure;
}

function toDiagnostic(said: readonly Said[], lines: readonly LogLine[], end: number): Diagnostic {
  const first = said[0];
  const above = said.map((one) => framesAbove(lines, one.index));
  const bodies = said.map((one, i) => bodyBelow(lines, one, said[i + 1]?.index ?? end));
  const pythonFrames = above.flatMap((one) => one.frames);
  const frames = [...pythonFrames, ...bodies.flatMap((one) => one.frames)];
  const body = bodies.flatMap((one) => one.lines);
  const reason = said.find(({ groups }) => groups.message) ?? first;
  const words = (reason?.groups.message ?? reason?.text ?? "").trim();
  const message = words === "" ? (body[0]?.text.trim() ?? first?.text.trim() ?? "") : words;
  const numbers = [...above.flatMap((one) => one.lines), ...said, ...body].map(({ number }) => number);
  return {
    message: message.slice(0, 500),
    lines: [...new Set(numbers)].sort((a, b) => a - b).slice(0, MAX_QUOTED),
    rule: firstGroup(said, "rule"),
    testId: firstGroup(said, "test"),
    location:
      locationIn(said) ??
      frameLocation(frames, pythonFrames.length > 0) ??
      testFile(said) ??
      namedFileIn([...said, ...body]),
    stack: frames.map(({ file, line, fn }) => ({ file, line, fn })),
    category: categoryOf(said, body.map(({ text }) => text).join("\n")),
  };
}

/** Python puts the trace above its error: the deepest frame of the repository and the source line under it. */
function framesAbove(lines: readonly LogLine[], index: number): Body {
  for (let i = index - 1; i >= Math.max(0, index - BODY_SPAN); i--) {
    const text = bareText(lines[i]?.text ?? "").slice(0, MAX_SEEN);
    if (!/^\s/.test(text)) break;
    const frame = /^\s*File "/.test(text) ? readFrameLine(text)?.frame : null;
    if (frame) return { lines: quoteLines(lines.slice(i, Math.min(i + 2, index))), frames: [frame] };
  }
  return { lines: [], frames: [] };
}

/** What stands under a line and belongs to it: deeper or bulleted lines, and the frames of the repository. */
function bodyBelow(lines: readonly LogLine[], head: Said, end: number): Body {
  const quoted: LogLine[] = [];
  const frames: (StackFrame & { readonly location: Location })[] = [];
  const depth = indentOf(head.text);
  let explained = 0;
  for (let i = head.index + 1; i < Math.min(end, head.index + BODY_SPAN, lines.length); i++) {
    const line = lines[i];
    if (!line || line.text.startsWith("##[")) break;
    const text = bareText(line.text).slice(0, MAX_SEEN);
    if (text.trim() === "") continue;
    const frame = readFrameLine(text);
    if (frame) {
      if (frame.frame && frames.length < BODY_FRAMES) {
        frames.push(frame.frame);
        quoted.push(line);
      }
      continue;
    }
    if (/^Caused by:$/.test(text)) continue;
    if (isEcho(text) || (indentOf(text) <= depth && !BULLET.test(text))) break;
    if (explained < BODY_LINES) quoted.push(line);
    explained++;
  }
  return { lines: quoteLines(quoted), frames };
}

function quoteLines(lines: readonly LogLine[]): { number: number; text: string }[] {
  return lines.map(({ number, text }) => ({ number, text: bareText(text).slice(0, MAX_SEEN) }));
}

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

function firstGroup(said: readonly Said[], name: string): string | null {
  return said.find(({ groups }) => groups[name])?.groups[name] ?? null;
}

/** When nothing has the form of a place, the first line that names one file. */
function namedFileIn(lines: readonly { readonly text: string }[]): Location | null {
  for (const { text } of lines) {
    const named = namedFile(text);
    if (named !== null) return named;
  }
  return null;
}

function locationIn(said: readonly Said[]): Location | null {
  for (const { groups } of said) {
    const file = groups.file === undefined ? null : repositoryPath(groups.file);
    if (file === null) continue;
    return { file, line: groups.line ? Number(groups.line) : null, col: groups.col ? Number(groups.col) : null };
  }
  return null;
}

/** A title that starts with the test's file. */
function testFile(said: readonly Said[]): Location | null {
  const file = /^(\S+\.(?:[cm]?[jt]sx?|py|rb|php))(?=$|::| >| \()/.exec(firstGroup(said, "test") ?? "")?.[1];
  return file === undefined ? null : { file: repositoryPath(file) ?? file, line: null, col: null };
}

/** A failing test is repaired at its own frame, which stands deepest in a JVM trace and first in a JavaScript one. */
function frameLocation(frames: Body["frames"], above: boolean): Location | null {
  if (above) return frames[0]?.location ?? null;
  const test = frames.findLast(({ file }) => /(?:Test|Tests|Spec|IT)\.(?:java|kt|groovy|scala)$/.test(file));
  return (test ?? frames[0])?.location ?? null;
}

/** The shape's own class, unless the words are plainer; the heads' words before those of the body. */
function categoryOf(said: readonly Said[], body: string): FailureClass {
  const heads = guessCategory(said.map(({ text }) => text).join("\n"));
  const guess = heads === "unknown" ? guessCategory(body) : heads;
  const own = said.find(({ shape }) => shape.category !== null)?.shape.category ?? null;
  if (own === null) return guess;
  if (own === "code_formatting") return own;
  const plainer =
    own === "test_failure" ? ["assertion_error", "runtime_error", "linting"] : ["syntax_error", "doc_docstring"];
  return plainer.includes(guess) ? guess : own;
}

/** The same said again, as build tools do in their summaries, is the same diagnostic. */
function mergeEqual(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const merged = new Map<string, Diagnostic>();
  for (const one of diagnostics) {
    const key = JSON.stringify([one.message, one.testId, one.location]);
    const known = merged.get(key);
    merged.set(key, { ...(known ?? one), lines: [...(known?.lines ?? []), ...one.lines].slice(0, MAX_QUOTED) });
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
  const told = lines.filter(({ text }) => !BOUNDARY.test(text) && !isNoise(text.slice(0, MAX_SEEN)));
  const tail = told.slice(-TAIL);
  const last = tail.at(-1) ?? lines.findLast(({ text }) => BOUNDARY.test(text)) ?? lines.at(-1);
  if (!last) return [];
  const quoted = tail.length > 0 ? tail : [last];
  // A project's own check without a word for an error still says what is wrong in which file; advice stands below that.
  const placed = quoted.findLast((line) => faultFile(bareText(line.text)) !== null);
  const message = bareText((placed ?? last).text)
    .trim()
    .slice(0, 500);
  const text = quoted.map((line) => line.text.slice(0, MAX_SEEN)).join("\n");
  const location = placed === undefined ? null : faultFile(bareText(placed.text));
  return [{ message, lines: quoted.map(({ number }) => number), location, category: guessCategory(text) }];
}
