import type { LogLine } from "../domain/ci-run.ts";
import { bareText } from "./bare-lines.ts";
import { type Classify, type Said, saidIn, toDiagnostic } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// `standard` puts the file above its findings, `github` as a group; `parsable` in each line.
const FILE = /^(?:##\[group\])?(?<file>(?:[^\s:][^:]{0,300}[\\/])?[^\s:\\/][^:\\/]{0,200}\.(?:ya?ml|yamllint|cff))$/i;
const FORMATS = [
  /^ {2}(?<line>\d+):(?<col>\d+) {2,}(?<severity>error|warning) {2,}(?<message>\S.*?) {2}\((?<rule>[a-z][a-z-]*)\)$/,
  /^ {2}(?<line>\d+):(?<col>\d+) {2,}(?<severity>error) {2,}(?<message>syntax error: .*?)(?: \((?<rule>syntax)\))?$/,
  /^(?<file>[^\s:][^:]{0,400}):(?<line>\d+):(?<col>\d+): \[(?<severity>error|warning)\] (?<message>\S.*?)(?: \((?<rule>[a-z][a-z-]*)\))?$/,
  /^(?<line>\d+):(?<col>\d+) (?:\[(?<rule>[a-z][a-z-]*)\] )?(?<message>\S.*)$/,
];
// The last form has no severity of its own: GitHub's mark tells it.
const MARK = /^##\[error\]|^::error /;

const classify: Classify = ({ message = "" }) => (/^syntax error: /.test(message) ? "syntax_error" : null);

export const yamllint: Tool = {
  name: "yamllint",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["yamllint"]),
  /** Errors; warnings only when no error is there, as under `--strict`. */
  read: (step) => {
    const found = readFindings(step.lines);
    const errors = found.filter(({ isError }) => isError);
    return (errors.length > 0 ? errors : found).map(({ diagnostic }) => diagnostic);
  },
};

interface Found {
  readonly isError: boolean;
  readonly diagnostic: Diagnostic;
}

function readFindings(lines: readonly LogLine[]): Found[] {
  const found: Found[] = [];
  let file: string | undefined;
  for (const { number, text } of lines) {
    const bare = bareText(text);
    const named = FILE.exec(bare)?.groups?.file;
    if (named !== undefined) file = named;
    else if (bare.trim() === "") file = undefined;
    const said: (Said & { readonly severity?: string }) | null = saidIn(bare, FORMATS);
    if (said === null) continue;
    if (said.file === undefined && file === undefined) continue;
    if (said.severity === undefined && !MARK.test(text)) continue;
    found.push({
      isError: said.severity !== "warning",
      diagnostic: toDiagnostic({ ...said, file: said.file ?? file }, [number], classify),
    });
  }
  return found;
}
