import type { LogLine } from "../domain/ci-run.ts";
import type { Location, StackFrame } from "../domain/evidence.ts";
import { frameLocation, type JsFrame, readJsFrame, toStackFrame } from "./stack-frames.ts";
import type { Diagnostic } from "./tool.ts";

/** A failure never quotes more lines than a person would read. */
export const MAX_QUOTED = 40;

/** What the body of one failing JavaScript test says, whichever runner printed it. */
export interface TestBody {
  readonly message: string;
  readonly lines: readonly number[];
  readonly expected: string | null;
  readonly actual: string | null;
  readonly location: Location | null;
  readonly stack: readonly StackFrame[];
}

const DIFF_HEADER = /^\s*[-+] (?:Expected|Received|Snapshot)(?:\s+[-+] ?\d+)?\s*$/;
const DIFF_LINE = /^\s*(?:[-+](?: .*)?|[-+]\s*".*")$/;
const INLINE = /^\s*(?:[-+] )?(Expected|Received|Snapshot)(?: [\w ]+?)?(?::|\s{2,})\s*(\S.*)$/;
const CODE_FRAME = /^\s*>?\s*\d+\s*[|│]/;
const POINTED = /^\s*>\s*\d+\s*[|│]/;
const CARET = /^\s*[|│]\s*\^?/;
const SEPARATOR = /^\s*[⎯─]{3,}/;
const ADVICE =
  /^\s*(?:If this is a long-running test|This error originated in|The latest test that might|Snapshot name:|Details:|\(Run with|Did you forget)/;

/**
 * Reads a failure's body (the lines after its title): the message up to the diff or the stack, the diff, the frames of
 * the repository and the source line that the runner points at. Quotes only lines that say why.
 */
export function readTestBody(body: readonly LogLine[]): TestBody {
  const quoted: number[] = [];
  const message: string[] = [];
  const expected: string[] = [];
  const actual: string[] = [];
  const frames: JsFrame[] = [];
  let speaking = true;
  let diff = false;
  for (const { number, text } of body) {
    if (text.trim() === "") {
      if (message.length > 0) speaking = false;
      continue;
    }
    const frame = readJsFrame(text);
    if (frame) {
      if (frames.length === 0) quoted.push(number);
      frames.push(frame);
      speaking = false;
      continue;
    }
    if (SEPARATOR.test(text) || ADVICE.test(text)) continue;
    if (CODE_FRAME.test(text) || CARET.test(text)) {
      if (POINTED.test(text)) quoted.push(number);
      speaking = false;
      diff = false;
      continue;
    }
    if (DIFF_HEADER.test(text)) {
      diff = true;
      speaking = false;
      continue;
    }
    const inline = INLINE.exec(text);
    if (inline) {
      quoted.push(number);
      (inline[1] === "Received" ? actual : expected).push(inline[2] ?? "");
      speaking = false;
      continue;
    }
    if (diff && DIFF_LINE.test(text)) {
      quoted.push(number);
      (text.trim().startsWith("-") ? expected : actual).push(text.trim().slice(1).trim().replace(/,$/, ""));
      continue;
    }
    if (!speaking || /^\s+at /.test(text) || /^\s*❯ /.test(text)) continue;
    message.push(text.trim());
    quoted.push(number);
  }
  const first = frames[0];
  return {
    message: message.join("\n").slice(0, 2_000),
    lines: quoted.slice(0, MAX_QUOTED),
    expected: expected.length > 0 ? expected.join("\n") : null,
    actual: actual.length > 0 ? actual.join("\n") : null,
    location: first ? frameLocation(first) : null,
    stack: frames.map(toStackFrame),
  };
}

interface Clue {
  readonly says: RegExp;
  readonly category: NonNullable<Diagnostic["category"]>;
}

// The first clue that fits decides; the message's own words before what the body merely shows.
const CLUES: readonly Clue[] = [
  { says: /Cannot find (?:module|package) '[^./]|Failed to resolve import "[^./]/, category: "dependency_issue" },
  { says: /Cannot find (?:module|package)|Failed to (?:resolve|load)|ERR_MODULE_NOT_FOUND/, category: "runtime_error" },
  { says: /\berror TS\d+|TypeCheckError/, category: "type_checking" },
  { says: /SyntaxError|unexpected token|Transform failed|Parse failure|ParseError/i, category: "syntax_error" },
  { says: /snapshot/i, category: "assertion_error" },
  { says: /timed out|timeout/i, category: "test_failure" },
  { says: /AssertionError|AssertionFailed|ERR_ASSERTION|\bexpect(?:ed)?\b/, category: "assertion_error" },
  { says: /\b(?:[A-Z]\w*)?Error\b|ECONNREFUSED|is not a function|Unhandled/, category: "runtime_error" },
];

/** The class of a failing test from what it said (papers §8.8). */
export function testCategory(
  message: string,
  body: Pick<TestBody, "expected" | "actual">,
): NonNullable<Diagnostic["category"]> {
  const clue = CLUES.find(({ says }) => says.test(message));
  if (clue) return clue.category;
  return body.expected !== null || body.actual !== null ? "assertion_error" : "test_failure";
}

const TEST_FILE = /[.-](?:test|spec)\b|(?:^|\/)__tests__\/|(?:^|\/)tests?\//;

/**
 * Where a failing test is to be looked at: what crashed in the code stands first in the stack; an expectation that was
 * not met is the test's own line, whatever helper compared.
 */
export function placeOfFailure(
  body: TestBody,
  testFile: string | null,
  category: Diagnostic["category"],
): Location | null {
  const inTest = body.stack.find(({ file }) => file === testFile);
  const own =
    category !== "runtime_error" && inTest && body.location?.file !== testFile ? { ...inTest, col: null } : null;
  const place = own ? { file: own.file, line: own.line, col: null } : body.location;
  return place ?? (testFile === null ? null : { file: testFile, line: null, col: null });
}

/** The test files that these failures are about, sorted; null when one of them is about something else. */
export function failedTestFiles(diagnostics: readonly Diagnostic[]): readonly string[] | null {
  const files = new Set<string>();
  for (const { location, stack } of diagnostics) {
    const named = [location?.file, ...(stack ?? []).map((frame) => frame.file)];
    const file = named.find((one) => one !== undefined && TEST_FILE.test(one));
    if (file === undefined) return null;
    files.add(file);
  }
  return files.size === 0 ? null : [...files].sort();
}
