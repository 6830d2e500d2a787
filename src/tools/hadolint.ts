import { bareLines } from "./bare-lines.ts";
import { type Classify, lineFindings } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";

// `tty` and `gnu`; before 2.0 without a severity. What cannot be parsed has no rule.
const FORMATS = [
  /^(?:\S*hadolint: ?)?(?<file>\S{1,400}?):(?<line>\d+):?(?:(?<col>\d+):?)? (?<rule>(?:DL|SC)\d{4}) (?:(?:error|warning|info|style): )?(?<message>\S.*)$/,
  /^(?<file>\S{0,400}Dockerfile\S{0,100}?):(?<line>\d+):(?<col>\d+) (?<message>unexpected .+)$/,
];

const classify: Classify = ({ rule }) => (rule === undefined ? "syntax_error" : null);

export const hadolint: Tool = {
  name: "hadolint",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["hadolint"]),
  read: (step) => lineFindings(bareLines(step), FORMATS, classify),
};
