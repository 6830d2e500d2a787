import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { StackFrame } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { relativePath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const NUMBERED = /^\d+\) ((?:\w+\\)*\w+::\w+.*)$/;
// Pest and Laravel's own printer: the title is cut to the width of the terminal.
const COLLISION = /^\s*FAILED {2}(\S.*? > .*?)(?:\s{2,}[\d.]+s)?(?:\s{2,}\S*(?:Exception|Error))?\s*$/;
const FRAME = /^(\/?\S[^:]*\.php):(\d+)$/;
const AT = /^\s+at (\S+\.php):(\d+)$/;
const POINTED = /^\s*➜\s+\d+▕/;
const CODE = /^\s+\d+▕/;
const END =
  /^(?:--|(?:FAILURES|ERRORS|WARNINGS)!|Tests: \d+.*|There (?:was|were) \d+ .*|\s+Tests: .*|\s*─{20,}|\s*FAILED {2}\S.*)$/;
// A trace of PHP itself in the message; Laravel closes it with a rule.
const TRACE = /^Stack trace:$|^#\d+ /;
const TRACE_END = /^-{20,}$/;
const LEAD_IN = /^The following (?:exception|error)s? occurred during the last request:$/;
const DIFF = /^(?:--- Expected|\+\+\+ Actual|@@ .*@@)$/;
const FOREIGN = /(?:^|\/)vendor\//;
const MAX_BODY = 400;
const MAX_SAID = 8;
const MAX_DIFF = 20;

export const phpunit: Tool = {
  name: "phpunit",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => {
    const call = programOf(command);
    if (call === null) return false;
    if (call.program === "php")
      return (
        call.args.some(({ value }) => /(?:^|\/)(?:phpunit|pest|paratest)(?:\.phar)?$/.test(value)) ||
        (call.args[0]?.value === "artisan" && call.args[1]?.value === "test")
      );
    return /^(?:phpunit|simple-phpunit|pest|paratest)(?:\.phar)?$/.test(call.program);
  },
  /** Numbered failures of PHPUnit and the blocks that Pest and Laravel print. */
  read: (step) => {
    const lines = bareLines(step);
    return lines.flatMap((line, at): Diagnostic[] => {
      const numbered = NUMBERED.exec(line.text)?.[1];
      const test = numbered ?? COLLISION.exec(line.text)?.[1];
      if (test === undefined) return [];
      return [toDiagnostic(test.trim(), line, bodyBelow(lines, at))];
    });
  },
};

function bodyBelow(lines: readonly LogLine[], at: number): readonly LogLine[] {
  const body: LogLine[] = [];
  for (const line of lines.slice(at + 1, at + 1 + MAX_BODY)) {
    if (NUMBERED.test(line.text) || END.test(line.text)) break;
    if (line.text.trim() !== "") body.push(line);
  }
  return body;
}

interface Read {
  readonly said: LogLine[];
  readonly diff: LogLine[];
  readonly frames: { readonly line: LogLine; readonly frame: StackFrame }[];
  readonly pointed: LogLine[];
}

function readBody(body: readonly LogLine[]): Read {
  const read: Read = { said: [], diff: [], frames: [], pointed: [] };
  let inDiff = false;
  let inTrace = false;
  for (const line of body) {
    inTrace = (inTrace || TRACE.test(line.text)) && !TRACE_END.test(line.text);
    const match = FRAME.exec(line.text) ?? AT.exec(line.text);
    if (match) {
      inDiff = false;
      const file = relativePath(match[1] ?? "");
      if (file !== null && !FOREIGN.test(file))
        read.frames.push({ line, frame: { file, line: Number(match[2]), fn: null } });
      continue;
    }
    if (POINTED.test(line.text)) read.pointed.push(line);
    if (
      inTrace ||
      CODE.test(line.text) ||
      POINTED.test(line.text) ||
      TRACE_END.test(line.text) ||
      LEAD_IN.test(line.text)
    )
      continue;
    inDiff ||= DIFF.test(line.text);
    if (inDiff) {
      if (/^[-+](?!-- |\+\+ )/.test(line.text) && read.diff.length < MAX_DIFF) read.diff.push(line);
    } else if (read.frames.length === 0 && read.said.length < MAX_SAID) read.said.push(line);
  }
  return read;
}

function toDiagnostic(test: string, head: LogLine, body: readonly LogLine[]): Diagnostic {
  const { said, diff, frames, pointed } = readBody(body);
  const words = said.map(({ text }) => text.trim()).join("\n");
  const category = classOf(words);
  const inTest = frames.find(({ frame }) => /(?:Test|Spec)\.php$|(?:^|\/)tests?\//i.test(frame.file));
  const own = (category === "assertion_error" ? inTest : undefined) ?? frames[0];
  const side = (mark: string): string =>
    diff
      .filter(({ text }) => text.startsWith(mark))
      .map(({ text }) => text.slice(1).trim())
      .join("\n");
  const sides = diff.length > 0 ? { expected: side("-"), actual: side("+") } : {};
  const numbers = [head, ...said, ...diff, ...(own ? [own.line] : []), ...pointed.slice(0, 1)].map(
    ({ number }) => number,
  );
  return {
    message: (words || test).slice(0, 1_000),
    testId: test,
    lines: [...new Set(numbers)].sort((a, b) => a - b),
    location: own ? { file: own.frame.file, line: own.frame.line, col: null } : null,
    stack: frames.map(({ frame }) => frame),
    ...sides,
    category,
  };
}

function classOf(words: string): FailureClass {
  if (
    /^(?:Failed asserting|Expectation failed|Expected .* but received|Method .* was expected to be called)/m.test(words)
  )
    return "assertion_error";
  if (/^(?:\w+\\)*(?:ParseError)\b/m.test(words)) return "syntax_error";
  return /^(?:\w+\\)*\w*(?:Exception|Error)\b/m.test(words) ? "runtime_error" : "test_failure";
}
