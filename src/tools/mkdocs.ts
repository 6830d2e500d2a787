import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// `WARNING  -  Doc file 'a.md' contains …`, wrapped to the width of the terminal with deep indents.
const SAID = /^(?:\S+ +)?(WARNING|ERROR|CRITICAL) +- {1,4}(\S.*)$/;
const WRAPPED = /^ {11,}\S/;
const STRICT = /^Aborted with \d+ (?:\w+ )?warnings? in strict mode!|^(?:Exited|Aborted) with .*strict/;
const ABORTED = /^Aborted with a (?:Configuration|BuildError|Build)/i;
const FILE = /(?:[Dd]oc(?:umentation)? file|Template|[Rr]elative path to|page) '([^']{1,400}\.\w+)'/;
const CONFIG =
  /^(?:Config value|Config file|'[\w.]+' is not a recognised|A relative path to '.*' is included in the 'nav'|The following pages)/;

export const mkdocs: Tool = {
  name: "mkdocs",
  kind: "docs",
  category: "doc_docstring",
  answersTo: (command) => runs(command, ["mkdocs", "mike", "zensical", "properdocs"]),
  /** Errors; in strict mode the warnings too, for they are what aborted it. */
  read: (step) => {
    const lines = bareLines(step);
    const strict = lines.some(({ text }) => STRICT.test(text));
    const aborted = lines.some(({ text }) => ABORTED.test(text));
    return lines.flatMap((line, at) => readSaid(line, lines, at, strict || aborted));
  },
};

function readSaid(line: LogLine, lines: readonly LogLine[], at: number, strict: boolean): Diagnostic[] {
  const [, severity, first] = SAID.exec(line.text) ?? [];
  if (severity === undefined || first === undefined || (severity === "WARNING" && !strict)) return [];
  const rest: LogLine[] = [];
  for (let i = at + 1; i <= at + 3 && WRAPPED.test(lines[i]?.text ?? ""); i++) {
    const wrapped = lines[i];
    if (wrapped !== undefined) rest.push(wrapped);
  }
  const message = [first, ...rest.map(({ text }) => text.trim())].join(" ");
  const config = CONFIG.test(message);
  const file = config ? "mkdocs.yml" : FILE.exec(message)?.[1];
  return [
    {
      message,
      lines: [line.number, ...rest.map(({ number }) => number)],
      location: file === undefined ? null : { file, line: null, col: null },
      ...(config && severity !== "WARNING" ? { category: "configuration_error" as const } : {}),
    },
  ];
}
