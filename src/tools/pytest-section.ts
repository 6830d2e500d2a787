import type { LogLine } from "../domain/ci-run.ts";
import type { StackFrame } from "../domain/evidence.ts";
import { importCategory, pythonCategory } from "./python-category.ts";
import { relativePath } from "./repository-path.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic } from "./tool.ts";

// `--tb=auto|short|line`: `path.py:3: KeyError`, `path.py:3: in test_x`; `--tb=native`: `File "path.py", line 3, in test_x`.
const SHORT_FRAME =
  /^((?:[A-Za-z]:[\\/])?[^\s:]+\.pyx?):(\d+): ?(?:in (.+)|([\w.]*(?:Error|Exception|Failed|Warning|Exit)?\b.*))?$/;
const NATIVE_FRAME = /^(?:E\s+)?\s*File "(.+?)", line (\d+)(?:, in (.+))?$/;
const E_LINE = /^E(?:$|\s{1,7}(.*)$)/;
// `available fixtures: …` is pointed at too, and says nothing of the failure.
const POINTED = /^>\s{2,}(?!available fixtures:|use 'pytest --fixtures)\S/;
const NATIVE_ERROR = /^([\w.]+(?:Error|Exception|Exit|Interrupt|Warning))(?::.*)?$/;
const CAPTURED = /^-+ ?Captured .+ -+$/;

/** Why one test (or the collecting of one file) failed: its `E` lines, the place, the frames of the repository. */
export function readPytestSection(title: LogLine, body: readonly LogLine[], collected: string | null): Diagnostic {
  const quoted: number[] = [];
  const said: string[] = [];
  const frames: StackFrame[] = [];
  for (const { number, text } of body) {
    // What the test printed is its own voice, not pytest's.
    if (CAPTURED.test(text)) break;
    const frame = readFrame(text);
    const error = E_LINE.exec(text);
    if (frame) {
      frames.push(frame.frame);
      if (frame.isEnd) quoted.push(number);
    } else if (error) {
      quoted.push(number);
      said.push(error[1] ?? "");
    } else if (POINTED.test(text)) quoted.push(number);
    else if (NATIVE_ERROR.test(text) && said.length === 0) {
      quoted.push(number);
      said.push(text);
    }
  }
  const own = frames.filter(({ file }) => relativePath(file) !== null);
  const message = messageOf(said) || title.text.replace(/^_+ ?| ?_+$/g, "");
  const last = own.at(-1);
  const diff = readAssertion(said);
  const location = last ? { file: last.file, line: last.line, col: null } : null;
  return {
    message,
    lines: [title.number, ...quoted].slice(0, MAX_QUOTED),
    testId: null,
    location:
      location ?? (collected === null ? null : { file: relativePath(collected) ?? collected, line: null, col: null }),
    expected: diff?.expected ?? null,
    actual: diff?.actual ?? null,
    stack: own,
    category: importCategory(message, packagesOf(own)) ?? pythonCategory(message),
  };
}

function readFrame(text: string): { readonly frame: StackFrame; readonly isEnd: boolean } | null {
  const short = SHORT_FRAME.exec(text);
  const match = short ?? NATIVE_FRAME.exec(text);
  if (!match?.[1]) return null;
  const file = relativePath(match[1]) ?? match[1];
  return {
    frame: { file, line: Number(match[2]), fn: match[3] ?? null },
    isEnd: short !== null && match[3] === undefined,
  };
}

/** The first line of the error; an `assert` with its explanation in three lines. */
function messageOf(said: readonly string[]): string {
  const lines = said.map((line) => line.trim()).filter((line) => line !== "");
  const error = lines.findLastIndex((line) => /^[\w.]*(?:Error|Exception|Failed|Exit|Warning)\b/.test(line));
  return lines
    .slice(Math.max(error, 0), Math.max(error, 0) + 3)
    .join("\n")
    .slice(0, 2_000);
}

/** `assert 3 == 4`: the left side is what was, the right what should have been. */
function readAssertion(said: readonly string[]): { readonly expected: string; readonly actual: string } | null {
  for (const line of said) {
    const match = /^(?:AssertionError: )?\s*assert (.{1,500}?) == (.{1,500})$/.exec(line.trim());
    if (match?.[1] !== undefined && match[2] !== undefined) return { actual: match[1], expected: match[2] };
  }
  return null;
}

/** The repository's own packages, as far as the frames show: `src/app/x.py` → `src`, `app`. */
function packagesOf(frames: readonly StackFrame[]): readonly string[] {
  return [...new Set(frames.flatMap(({ file }) => file.split("/").slice(0, -1)))];
}
