import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { lineFindings, saidIn, toDiagnostic } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// numpydoc's validation, alone or in a project's own script; pydoclint and darglint name the code behind the place.
const FORMATS = [
  /^(?<file>\S{1,400}\.pyx?):(?<line>\d+):(?<rule>(?:GL|SS|ES|PR|RT|YD|SA|EX)\d{2}):(?<message>\S.*)$/,
  /^(?<file>\S{1,400}\.py):\w+:(?<line>\d+): (?<rule>DAR\d{3}): (?<message>\S.*)$/,
];
const PLACE = /^(?<file>\S.{0,400}\.py):(?<line>\d+) (?:at module level|in (?:public|private) .+):$/;
const FINDING = /^\s+(?<rule>D\d{3}): (?<message>\S.*)$/;

/** pydocstyle, numpydoc and darglint: what docstrings lack. */
export const docstrings: Tool = {
  name: "docstrings",
  kind: "docs",
  category: "doc_docstring",
  answersTo: (command) => runs(command, ["pydocstyle", "numpydoc", "validate-docstrings", "darglint", "pydoclint"]),
  read: (step) => {
    const lines = bareLines(step);
    return [...lineFindings(lines, FORMATS), ...lines.flatMap((line, at) => readTwoLines(line, lines[at + 1]))];
  },
};

function readTwoLines(line: LogLine, next: LogLine | undefined): Diagnostic[] {
  const place = saidIn(line.text, [PLACE]);
  const said = saidIn(next?.text ?? "", [FINDING]);
  return place === null || said === null || next === undefined
    ? []
    : [toDiagnostic({ ...place, ...said }, [line.number, next.number])];
}
