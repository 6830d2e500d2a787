import { bareLines } from "./bare-lines.ts";
import { lineFindings } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";

// The quoted source below a finding (`  |`) repeats the file.
const FORMAT =
  /^(?<file>(?:\S{0,300}[\\/])?\.github[\\/]\S{1,300}\.ya?ml):(?<line>\d+):(?<col>\d+): (?<message>\S.*) \[(?<rule>[a-z][a-z-]*)\]$/;

export const actionlint: Tool = {
  name: "actionlint",
  kind: "lint",
  category: "configuration_error",
  answersTo: (command) => runs(command, ["actionlint"]),
  /** Workflows are configuration, whatever is wrong in them. */
  read: (step) => lineFindings(bareLines(step), [FORMAT]),
};
