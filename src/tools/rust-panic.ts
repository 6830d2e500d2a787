import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location, StackFrame } from "../domain/evidence.ts";
import { relativePath } from "./repository-path.ts";
import { readRustcErrors } from "./rustc-errors.ts";

/** What the output of one failing Rust test says. */
export interface RustTestBody {
  readonly message: string | null;
  readonly lines: readonly number[];
  readonly expected: string | null;
  readonly actual: string | null;
  readonly location: Location | null;
  readonly stack: readonly StackFrame[];
  readonly category: FailureClass;
}

/** `thread 'tests::adds' (14652) panicked at src/lib.rs:12:46:`; before Rust 1.73 the message stood in front of the place. */
export const PANIC = /^\s*thread '(.*?)' (?:\(\d+\) )?panicked at (.+)$/;
const NEW_PLACE = /^(\S.*?):(\d+):(\d+):?$/;
const OLD_PLACE = /^'(.*)', (\S+?):(\d+):(\d+)$/;
const OLD_START = /^'(.*)$/;
const OLD_END = /^(.*)', (\S+?):(\d+):(\d+)$/;
const FRAME = /^\s+at (\S.*?\.rs):(\d+)(?::\d+)?$/;
// Before Rust 1.73 in backticks, with the rest of the sentence behind.
const SIDE = /^\s*(left|right): (?:`(.*)`(?:,|: .*|', \S.*)?|(.*))$/;
const OVER = /^\s*(?:note: |stack backtrace:|thread '|failures:$|test result: )|```/;
const RETURNED = /^\s*Error: (\S.*)$/;
const NOTE =
  /^\s*note: (test did not panic as expected(?: at (\S+):(\d+):(\d+))?|panic did not contain expected string)/;
const NOTE_DETAIL = /^\s*(?:panic message|expected substring): /;
const DOCTEST = /^Test (?:executable (?:failed|succeeded)|compiled successfully)/;

// The words of a panic are few; what is longer shows captured output.
const MAX_MESSAGE = 6;
const MAX_FRAMES = 10;

/** Reads the first panic, returned error or note in a test's output. */
export function readRustBody(body: readonly LogLine[]): RustTestBody {
  return readPanic(body) ?? readNote(body) ?? readCompile(body) ?? readReturned(body) ?? NOTHING;
}

const NOTHING: RustTestBody = {
  message: null,
  lines: [],
  expected: null,
  actual: null,
  location: null,
  stack: [],
  category: "test_failure",
};

function readPanic(body: readonly LogLine[]): RustTestBody | null {
  const at = body.findIndex(({ text }) => PANIC.test(text));
  const head = body[at];
  const said = PANIC.exec(head?.text ?? "")?.[2];
  if (head === undefined || said === undefined) return null;
  const below: LogLine[] = [];
  for (const line of body.slice(at + 1, at + 1 + MAX_MESSAGE)) {
    if (line.text.trim() === "" || OVER.test(line.text)) break;
    below.push(line);
  }
  const stack = framesIn(body.slice(at + 1));
  const { message, place } = wordsOf(said, below);
  const note = readNote(body.slice(at + 1));
  const own =
    place !== null && relativePath(place.file) !== null ? { ...place, file: relativePath(place.file) ?? "" } : null;
  const first = stack[0];
  return {
    message: note === null ? message : `${note.message ?? ""}; it panicked: ${message}`,
    lines: [head, ...below].map(({ number }) => number).concat(note?.lines ?? []),
    ...sidesOf(below),
    // A panic inside the standard library says nothing of where it was asked for.
    location: own ?? (first === undefined ? null : { file: first.file, line: first.line, col: null }),
    stack,
    category: /assert(?:ion)?\b|^snapshot\b/.test(message) || note !== null ? "assertion_error" : "runtime_error",
  };
}

function wordsOf(
  said: string,
  below: readonly LogLine[],
): { readonly message: string; readonly place: Location | null } {
  const old = OLD_PLACE.exec(said);
  if (old !== null)
    return { message: old[1] ?? "", place: { file: old[2] ?? "", line: Number(old[3]), col: Number(old[4]) } };
  const place = NEW_PLACE.exec(said);
  if (place !== null) {
    const message = below.map(({ text }) => text.trim()).join("\n");
    return { message, place: { file: place[1] ?? "", line: Number(place[2]), col: Number(place[3]) } };
  }
  const start = OLD_START.exec(said)?.[1] ?? said;
  const end = below.map(({ text }) => OLD_END.exec(text)).find((one) => one !== null);
  const words = [start, ...below.map(({ text }) => OLD_END.exec(text)?.[1] ?? text)].map((text) => text.trim());
  const known = end === undefined ? null : { file: end[2] ?? "", line: Number(end[3]), col: Number(end[4]) };
  return { message: words.join("\n"), place: known };
}

/** `assert_eq!(actual, expected)` by custom: left is what was, right what should be. */
function sidesOf(below: readonly LogLine[]): Pick<RustTestBody, "expected" | "actual"> {
  const sides = new Map(
    below.map(({ text }) => SIDE.exec(text)).flatMap((one) => (one ? [[one[1], one[2] ?? one[3] ?? ""]] : [])),
  );
  return { expected: sides.get("right") ?? null, actual: sides.get("left") ?? null };
}

function framesIn(body: readonly LogLine[]): readonly StackFrame[] {
  const frames: StackFrame[] = [];
  for (const [at, { text }] of body.entries()) {
    const [, path, line] = FRAME.exec(text) ?? [];
    const file = path === undefined ? null : relativePath(path);
    if (file === null) continue;
    const fn = /^\s*\d+: (.+)$/.exec(body[at - 1]?.text ?? "")?.[1] ?? null;
    frames.push({ file, line: Number(line), fn });
    if (frames.length === MAX_FRAMES) break;
  }
  return frames;
}

/** `#[should_panic]` tests that did not, or with other words. */
function readNote(body: readonly LogLine[]): RustTestBody | null {
  const at = body.findIndex(({ text }) => NOTE.test(text));
  const head = body[at];
  const match = NOTE.exec(head?.text ?? "");
  if (head === undefined || match === null) return null;
  const detail = body.slice(at + 1, at + 3).filter(({ text }) => NOTE_DETAIL.test(text));
  const file = match[2] === undefined ? null : relativePath(match[2]);
  return {
    ...NOTHING,
    message: [match[1] ?? "", ...detail.map(({ text }) => text.trim())].join("; "),
    lines: [head, ...detail].map(({ number }) => number),
    location: file === null ? null : { file, line: Number(match[3]), col: Number(match[4]) },
    category: "assertion_error",
  };
}

/** A doctest that does not compile. */
function readCompile(body: readonly LogLine[]): RustTestBody | null {
  const first = readRustcErrors(body)[0];
  if (first === undefined) return null;
  return {
    ...NOTHING,
    message: first.message,
    lines: first.lines,
    category: "doc_docstring",
    location: first.location ?? null,
  };
}

/** A test that returned an error, or a doctest that ended otherwise than it should. */
function readReturned(body: readonly LogLine[]): RustTestBody | null {
  const line = body.find(({ text }) => RETURNED.test(text) || DOCTEST.test(text));
  if (line === undefined) return null;
  return { ...NOTHING, message: RETURNED.exec(line.text)?.[1] ?? line.text, lines: [line.number] };
}
