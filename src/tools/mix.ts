import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const TEST = /^ {2}\d+\) (?:(?:test|property|doctest) )?(.+ \([\w.]+\))$/;
const PLACE = /^\s{5}(\S+\.exs?):(\d+)(?::(\d+))?$/;
const FRAME = /^\s+(?:\(\S+ [\d.]+\) )?((?:lib|test|apps|web)\/\S+\.exs?):(\d+): /;
const COMPILE = /^\*\* \((\w*(?:Error|Exception))\) (\S+\.exs?):(\d+)(?::(\d+))?: (.+)$/;
// Elixir 1.15 and later point with a corner under the error.
const POINT = /^\s+└─ (\S+\.exs?):(\d+)(?::(\d+))?/;
const MIX = /^\*\* \((Mix(?:\.\w+)?)\) (.+)$/;
const UNFORMATTED = /^\s+\* (\S+\.(?:exs?|heex))$/;
const MAX_BODY = 30;
const MAX_SAID = 8;

/** mix: compiling, testing and formatting Elixir. */
export const mix: Tool = {
  name: "mix",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => /^(?:mix|elixir|elixirc)$/.test(programOf(command)?.program ?? ""),
  read: (step) => {
    const lines = bareLines(step);
    return lines.flatMap((line, at): readonly Diagnostic[] => {
      const below = lines.slice(at + 1, at + 1 + MAX_BODY);
      return readTest(line, below) ?? readCompile(line) ?? readPointed(line, below) ?? readMix(line, below) ?? [];
    });
  },
};

function readTest(line: LogLine, below: readonly LogLine[]): readonly Diagnostic[] | null {
  const test = TEST.exec(line.text)?.[1];
  const place = PLACE.exec(below[0]?.text ?? "");
  if (test === undefined || !place) return null;
  const end = below.findIndex(
    ({ text }, i) => TEST.test(text) || (text.trim() === "" && below[i + 1]?.text.trim() === ""),
  );
  const body = (end === -1 ? below : below.slice(0, end)).slice(1).filter(({ text }) => text.trim() !== "");
  const stop = body.findIndex(({ text }) => /^\s{5}stacktrace:$/.test(text));
  const said = (stop === -1 ? body : body.slice(0, stop)).slice(0, MAX_SAID);
  const frames = (stop === -1 ? [] : body.slice(stop + 1)).flatMap((one) => {
    const [, file, row] = FRAME.exec(one.text) ?? [];
    return file === undefined ? [] : [{ line: one, frame: { file, line: Number(row), fn: null } }];
  });
  const words = said.map(({ text }) => text.trim());
  const side = (name: string): string | undefined =>
    words
      .find((text) => text.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const [actual, expected] = [side("left"), side("right")];
  const first = frames[0]?.frame ?? { file: place[1] ?? "", line: Number(place[2]), fn: null };
  return [
    {
      message:
        words
          .filter((text) => !/^(?:code|left|right):/.test(text))
          .join("\n")
          .slice(0, 1_000) || test,
      testId: test,
      lines: [line, ...below.slice(0, 1), ...said, ...(frames[0] ? [frames[0].line] : [])].map(({ number }) => number),
      location: { file: first.file, line: first.line, col: null },
      stack: frames.map(({ frame }) => frame),
      ...(expected !== undefined && actual !== undefined ? { expected, actual } : {}),
      category: words.some((text) => text.startsWith("** (")) ? "runtime_error" : "assertion_error",
    },
  ];
}

function readCompile({ number, text }: LogLine): readonly Diagnostic[] | null {
  const [, rule = "", path, row, col, message = ""] = COMPILE.exec(text) ?? [];
  if (path === undefined) return null;
  const location = { file: repositoryPath(path) ?? path, line: Number(row), col: col ? Number(col) : null };
  return [{ message, rule, lines: [number], location, category: compileClass(rule) }];
}

function compileClass(rule: string): FailureClass {
  if (/Syntax|Token|MissingTerminator/.test(rule)) return "syntax_error";
  return rule === "CompileError" ? "type_checking" : "runtime_error";
}

function readPointed(line: LogLine, below: readonly LogLine[]): readonly Diagnostic[] | null {
  const message = /^\s*error: (.+)$/.exec(line.text)?.[1];
  if (message === undefined) return null;
  const near = below.slice(0, 12);
  const end = near.findIndex(({ text }) => /^\s*(?:error|warning): /.test(text));
  const point = (end === -1 ? near : near.slice(0, end)).find(({ text }) => POINT.test(text));
  const [, path, row, col] = POINT.exec(point?.text ?? "") ?? [];
  if (point === undefined || path === undefined) return null;
  const location = { file: repositoryPath(path) ?? path, line: Number(row), col: col ? Number(col) : null };
  return [{ message, lines: [line.number, point.number], location, category: "type_checking" }];
}

/** What mix itself refuses; the files that are not formatted stand below. */
function readMix(line: LogLine, below: readonly LogLine[]): readonly Diagnostic[] | null {
  const message = MIX.exec(line.text)?.[2];
  if (message === undefined) return null;
  if (!/check-formatted/.test(message)) {
    const category = /dependenc|deps\.get|lock/i.test(message) ? "dependency_issue" : "configuration_error";
    return [{ message, lines: [line.number], location: null, category }];
  }
  const files = below.flatMap((one) => {
    const file = UNFORMATTED.exec(one.text)?.[1];
    return file === undefined ? [] : [{ file, number: one.number }];
  });
  const said = { message, category: "code_formatting" as const };
  if (files.length === 0) return [{ ...said, lines: [line.number], location: null }];
  return files.map(({ file, number }) => ({
    ...said,
    lines: [line.number, number],
    location: { file, line: null, col: null },
  }));
}
