import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { type Classify, saidIn, toDiagnostic } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const ERROR =
  /^(?<file>\S.{0,400}?\.pyi?):(?<line>\d+):(?:(?<col>\d+):)?(?:\d+:\d+:)? error: (?<message>.+?)(?: {2}\[(?<rule>[a-z][\w-]*)\])?$/;
// Files that mypy could not begin with.
const BROKEN = [
  /^mypy: (?<message>can't read file '(?<file>[^']+)': .+)$/,
  /^(?<file>\S.{0,400}?\.pyi?): error: (?<message>(?:Duplicate module named|Source file found twice|.* is not a valid Python package name).+?)(?: {2}\[(?<rule>[a-z-]+)\])?$/,
];
// `--pretty` wraps its lines: the code may stand alone in the next one.
const CODE_ALONE = /^\[(?<rule>[a-z][\w-]*)\]$/;
const WORD_OF_MYPY = /^(?:Found \d+ errors? in \d+ files?|Success: no issues found)/;

const classify: Classify = ({ rule = "", message = "" }) => {
  if (rule === "syntax" || /^(?:invalid syntax|unexpected indent|unindent does not match)/i.test(message)) {
    return "syntax_error";
  }
  return null;
};

const CONFIGURATION: Classify = () => "configuration_error";

export const mypy: Tool = {
  name: "mypy",
  kind: "type",
  category: "type_checking",
  answersTo: (command) => runs(command, ["mypy", "dmypy", "stubtest", "mypy.stubtest"]),
  /** One diagnostic an `error:`; `note:` lines only explain and are left out. */
  read: (step) => {
    const lines = bareLines(step);
    const found = lines.flatMap((line, at) => readError(line, lines[at + 1]));
    const spoke = found.some(({ rule }) => rule !== null) || lines.some(({ text }) => WORD_OF_MYPY.test(text));
    const broken = lines.flatMap(({ number, text }): Diagnostic[] => {
      const said = saidIn(text, BROKEN);
      return said === null ? [] : [toDiagnostic(said, [number], CONFIGURATION)];
    });
    return [...(spoke ? distinct(found) : []), ...broken];
  },
};

function readError({ number, text }: LogLine, next: LogLine | undefined): Diagnostic[] {
  const said = saidIn(text, [ERROR]);
  if (said === null) return [];
  const wrapped = said.rule === undefined ? saidIn(next?.text ?? "", [CODE_ALONE]) : null;
  const lines = wrapped === null || next === undefined ? [number] : [number, next.number];
  return [toDiagnostic({ ...said, ...wrapped }, lines, classify)];
}

function distinct(found: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return found.filter(({ message, location }) => {
    const key = JSON.stringify([message, location]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
