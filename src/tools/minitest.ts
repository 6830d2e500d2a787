import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { relativePath } from "./repository-path.ts";
import { rubyFrame } from "./ruby-frames.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// Minitest numbers its failures; Rails prints the same without a number, right when they happen.
const HEAD = /^(?:\s*\d+\) )?(Failure|Error):$/;
const FAILURE_TEST = /^([A-Z][\w:]*(?:::.+?|#.+?)) \[(\S.*?):(\d+)\]:?\s*(.*)$/;
const ERROR_TEST = /^([A-Z][\w:]*(?:#|::).+?):$/;
// test-unit: `Failure: test_adds(CartTest)`, the place in the next lines.
const TEST_UNIT = /^(Failure|Error): (test[\w ?!]*\([\w:]+\)|[\w: ]+)(?:: (.*))?$/;
const RERUN = /^(?:bin\/)?rails test (\S+?):(\d+)$/;
const END = /^(?:\s*\d+\) )?(?:Failure|Error|Skipped):$|^\d+ (?:runs|tests), |^={10,}$|^Finished in /;
const EXPECTED = /^\s*Expected: (.*)$/;
const ACTUAL = /^\s*Actual: (.*)$/;
const MAX_BODY = 40;
const MAX_SAID = 8;

export const minitest: Tool = {
  name: "minitest",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => {
    const call = programOf(command);
    if (call === null) return false;
    if (/^(?:rails|rake|ruby)$/.test(call.program))
      return call.args.some(({ value }) => /^test|(?:^|\/)test\/|_test\.rb$/.test(value));
    return call.program === "m" || call.program === "minitest";
  },
  read: (step) => {
    const lines = bareLines(step);
    return lines.flatMap((line, at): Diagnostic[] => {
      const unit = TEST_UNIT.exec(line.text);
      if (unit) return readTestUnit(line, bodyBelow(lines, at), unit);
      const kind = HEAD.exec(line.text)?.[1];
      return kind === undefined ? [] : readNumbered(line, bodyBelow(lines, at), kind);
    });
  },
};

function bodyBelow(lines: readonly LogLine[], at: number): readonly LogLine[] {
  const below = lines.slice(at + 1, at + 1 + MAX_BODY);
  const end = below.findIndex(({ text }) => END.test(text));
  return end === -1 ? below : below.slice(0, end);
}

function readNumbered(head: LogLine, body: readonly LogLine[], kind: string): Diagnostic[] {
  const title = body[0];
  if (title === undefined) return [];
  const [, test = ERROR_TEST.exec(title.text)?.[1], path, row, inline] = FAILURE_TEST.exec(title.text) ?? [];
  if (test === undefined) return [];
  const rest = body.slice(1);
  const frames = rest.flatMap((line) => {
    const frame = rubyFrame(line.text);
    return frame === null ? [] : [{ line, frame }];
  });
  const stop = rest.findIndex(
    ({ text }, i) =>
      rubyFrame(text) !== null || /:\d+:in /.test(text) || RERUN.test(text) || (text.trim() === "" && i > 0),
  );
  const said = (stop === -1 ? rest : rest.slice(0, stop)).filter(({ text }) => text.trim() !== "").slice(0, MAX_SAID);
  const words = [inline ?? "", ...said.map(({ text }) => text.trim())].filter((text) => text !== "");
  const file = path === undefined ? null : (relativePath(path) ?? path);
  const first = frames[0];
  return [
    {
      message: (words.join("\n") || test).slice(0, 1_000),
      testId: test,
      lines: [head, title, ...said, ...(first ? [first.line] : [])].map(({ number }) => number),
      location:
        file !== null
          ? { file, line: Number(row), col: null }
          : first
            ? { file: first.frame.file, line: first.frame.line, col: null }
            : null,
      stack: frames.map(({ frame }) => frame),
      ...sides(said),
      category: kind === "Error" ? errorClass(words.join("\n")) : "assertion_error",
    },
  ];
}

function readTestUnit(
  head: LogLine,
  body: readonly LogLine[],
  [, kind, test = "", inline]: RegExpExecArray,
): Diagnostic[] {
  const frames = body.slice(0, 15).flatMap((line) => {
    const frame = rubyFrame(line.text);
    return frame === null ? [] : [{ line, frame }];
  });
  const first = frames[0];
  if (first === undefined) return [];
  const said = body
    .filter(({ text }) => /^<.*>(?: expected but was)?$|^\S*(?:Error|Exception)\b/.test(text))
    .slice(0, 4);
  const words = [inline ?? "", ...said.map(({ text }) => text.trim())].filter((text) => text !== "").join("\n");
  return [
    {
      message: (words || test).slice(0, 1_000),
      testId: test,
      lines: [...new Set([head, first.line, ...said].map(({ number }) => number))].sort((a, b) => a - b),
      location: { file: first.frame.file, line: first.frame.line, col: null },
      stack: frames.map(({ frame }) => frame),
      category: kind === "Error" ? errorClass(words) : "assertion_error",
    },
  ];
}

function sides(said: readonly LogLine[]): Pick<Diagnostic, "expected" | "actual"> {
  const expected = said.map(({ text }) => EXPECTED.exec(text)?.[1]).find((one) => one !== undefined);
  const actual = said.map(({ text }) => ACTUAL.exec(text)?.[1]).find((one) => one !== undefined);
  return expected === undefined || actual === undefined ? {} : { expected, actual };
}

function errorClass(words: string): FailureClass {
  if (/^LoadError\b/m.test(words)) return "dependency_issue";
  return /^SyntaxError\b/m.test(words) ? "syntax_error" : "runtime_error";
}
