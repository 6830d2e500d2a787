import { bareLines } from "./bare-lines.ts";
import { type Classify, lineFindings } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";

// `text` and `colorized` (the same without colours), the older `parseable`, and `--output-format=github`'s words.
const FORMATS = [
  /^(?<file>\S.{0,400}?\.pyi?):(?<line>\d+):(?:(?<col>\d+):)? (?<code>[CRWEFI]\d{4}): (?<message>.+) \((?<rule>[a-z][\w-]+)\)$/,
  /^(?<file>\S.{0,400}?\.pyi?):(?<line>\d+): \[(?<code>[CRWEFI]\d{4})\((?<rule>[a-z][\w-]+)\), ?[^\]]*\] (?<message>.+)$/,
];

const classify: Classify = ({ rule = "" }) => {
  if (rule === "syntax-error") return "syntax_error";
  if (/docstring/.test(rule)) return "doc_docstring";
  return /^(?:import-error|no-name-in-module)$/.test(rule) ? "dependency_issue" : null;
};

export const pylint: Tool = {
  name: "pylint",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["pylint"]),
  read: (step) => lineFindings(bareLines(step), FORMATS, classify),
};
