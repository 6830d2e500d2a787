import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { type Classify, saidIn, toDiagnostic } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const ERROR =
  /^\s*(?<file>\S.{0,400}?\.(?:pyi?|ipynb)):(?<line>\d+):(?<col>\d+) - error: (?<message>.+?)(?: \((?<rule>report\w+)\))?$/;
// Long explanations go on in deeper lines; the rule stands at the end of the last one.
const CONTINUED = /^ {4,}\S/;
const RULE = /\((?<rule>report\w+)\)$/;

const classify: Classify = ({ rule = "", message = "" }) => {
  if (/^reportMissing(?:Imports|ModuleSource)$/.test(rule)) return "dependency_issue";
  const parser =
    /^(?:Expected |Unexpected |Unindent|".+" was not closed|Statements must be separated|Invalid expression)/;
  return rule === "" && parser.test(message) ? "syntax_error" : null;
};

export const pyright: Tool = {
  name: "pyright",
  kind: "type",
  category: "type_checking",
  answersTo: (command) => runs(command, ["pyright", "basedpyright"]),
  /** One diagnostic an `error`, with the deeper lines that explain it. */
  read: (step) => {
    const lines = bareLines(step);
    return lines.flatMap((line, at) => readError(line, lines, at));
  },
};

// Explanations of overloads can be long; their first lines say what does not fit.
const MAX_DEEPER = 6;

function readError({ number, text }: LogLine, lines: readonly LogLine[], at: number): Diagnostic[] {
  const said = saidIn(text, [ERROR]);
  if (said === null) return [];
  const deeper: LogLine[] = [];
  for (let i = at + 1; said.rule === undefined && deeper.length < MAX_DEEPER; i++) {
    const line = lines[i];
    if (line === undefined || !CONTINUED.test(line.text) || saidIn(line.text, [ERROR]) !== null) break;
    deeper.push(line);
    if (RULE.test(line.text)) break;
  }
  const rule = said.rule ?? RULE.exec(deeper.at(-1)?.text ?? "")?.groups?.rule;
  return [toDiagnostic({ ...said, rule }, [number, ...deeper.map((line) => line.number)], classify)];
}
