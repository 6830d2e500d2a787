import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { frameLocation, isJsFrame, type JsFrame, readJsFrame, toStackFrame } from "./stack-frames.ts";
import { MAX_QUOTED, testCategory } from "./test-report.ts";
import type { Diagnostic } from "./tool.ts";

// mocha's `spec` reporter and the ones built on it, Cypress's too: all failures stand behind the count.
const COUNT = /^\s*\d+ failing\b/;
const HEAD = /^(\s{1,4})(\d+)\) (\S.*)$/;
const DIFF = /^\s*\+ expected - actual$/;
const DIFF_LINE = /^ {4,}([-+])(.*)$/;
const BUNDLED = /webpack:\/{2,3}(?:[\w@.-]+\/)?(?:\.\/)?/;
// A suite's name, its parts and the test's, each in a line of its own.
const MAX_TITLE = 12;

/** Each numbered failure of mocha reports among these lines, in order. `spec`: the file that ran at a line, when known. */
export function readMochaReport(
  lines: readonly LogLine[],
  spec: (line: number) => string | null = () => null,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  let inside = false;
  let next = 1;
  for (let at = 0; at < lines.length; at++) {
    const { text, number } = lines[at] ?? { text: "", number: 0 };
    if (COUNT.test(text)) {
      inside = true;
      next = 1;
      continue;
    }
    const head = inside ? HEAD.exec(text) : null;
    if (head === null || Number(head[2]) !== next) continue;
    next++;
    const end = endOf(lines, at + 1, next);
    const { title, bodyAt } = readTitle(lines, at, end);
    found.push(readFailure(title, lines.slice(at, bodyAt), lines.slice(bodyAt, end), spec(number)));
    at = end - 1;
  }
  return found;
}

/** The line of the next numbered failure, or where the report is left: unindented words after an empty line. */
function endOf(lines: readonly LogLine[], from: number, next: number): number {
  for (let at = from; at < lines.length; at++) {
    const text = lines[at]?.text ?? "";
    if (Number(HEAD.exec(text)?.[2]) === next || COUNT.test(text)) return at;
    if (
      /^(?:##\[|npm ERR!|npm error|error Command|ELIFECYCLE|={10,}|Process completed| {2}\(Results\))/.test(
        text.trimEnd(),
      )
    )
      return at;
  }
  return lines.length;
}

function readTitle(
  lines: readonly LogLine[],
  at: number,
  end: number,
): { readonly title: string; readonly bodyAt: number } {
  const parts: string[] = [];
  for (let i = at; i < Math.min(end, at + MAX_TITLE); i++) {
    const text = (lines[i]?.text ?? "").replace(HEAD, "$3").trim();
    if (text === "") break;
    parts.push(text.replace(/:$/, ""));
    if (text.endsWith(":")) return { title: parts.join(" > "), bodyAt: i + 1 };
  }
  return { title: parts[0] ?? "", bodyAt: at + 1 };
}

function readFailure(
  title: string,
  head: readonly LogLine[],
  body: readonly LogLine[],
  spec: string | null,
): Diagnostic {
  const { message, quoted, expected, actual, frames } = readBody(body);
  const own = frames[0];
  const place: Location | null = own
    ? frameLocation(own)
    : spec === null
      ? null
      : { file: spec, line: null, col: null };
  const diff = {
    expected: expected.length > 0 ? expected.join("\n") : null,
    actual: actual.length > 0 ? actual.join("\n") : null,
  };
  return {
    message: message || title,
    testId: title,
    lines: [...head.map(({ number }) => number), ...quoted].slice(0, MAX_QUOTED),
    location: place,
    ...diff,
    stack: frames.map(toStackFrame),
    category: testCategory(message, diff),
  };
}

interface Body {
  message: string;
  readonly quoted: number[];
  readonly expected: string[];
  readonly actual: string[];
  readonly frames: JsFrame[];
}

function readBody(body: readonly LogLine[]): Body {
  const read: Body = { message: "", quoted: [], expected: [], actual: [], frames: [] };
  let diff = false;
  let silent = false;
  for (const { number, text } of body) {
    if (text.trim() === "") continue;
    const frame = readJsFrame(text.replace(BUNDLED, ""));
    if (frame !== null && read.frames.length === 0) read.quoted.push(number);
    if (frame !== null) read.frames.push(frame);
    if (frame !== null || isJsFrame(text) || /^\s+at /.test(text)) {
      silent = true;
      continue;
    }
    if (DIFF.test(text)) {
      diff = true;
      continue;
    }
    const changed = diff ? DIFF_LINE.exec(text) : null;
    if (changed !== null) {
      (changed[1] === "+" ? read.expected : read.actual).push((changed[2] ?? "").trim());
      read.quoted.push(number);
    } else if (!diff && !silent && read.quoted.length < MESSAGE_LINES) {
      read.message = read.message === "" ? text.trim() : `${read.message}\n${text.trim()}`;
      read.quoted.push(number);
    }
  }
  return read;
}

// The error's first lines say what went wrong; assert's own picture of both sides follows.
const MESSAGE_LINES = 8;
