import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { lineFindings } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";

// Since 0.39 a severity stands before the rule; the first versions had spaces behind the colons; `mdl` names no alias.
const FORMATS = [
  /^(?<file>[^\s:][^:]{0,400}):(?<line>\d+)(?::(?<col>\d+))?:? (?:error )?(?<rule>MD\d{3}(?:\/[a-z][\w-]*)*) (?<message>\S.*)$/,
  /^(?<file>[^\s:][^:]{0,400}): (?<line>\d+): (?<rule>MD\d{3}(?:\/[a-z][\w-]*)*) (?<message>\S.*)$/,
];

export const markdownlint: Tool = {
  name: "markdownlint",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["markdownlint", "markdownlint-cli2", "mdl"]),
  /** One diagnostic a finding; the rule is its number: `MD009`. */
  read: (step) =>
    lineFindings(bareLines(step), FORMATS).map((found) => ({ ...found, rule: found.rule?.split("/")[0] ?? null })),
  fix: {
    derive: (command) =>
      changeArgs(command, [
        { programs: ["markdownlint"], add: ["--fix"], append: true, unless: /^(?:-f|--fix)$/ },
        { programs: ["markdownlint-cli2"], add: ["--fix"], append: true, unless: /^--fix$/ },
      ]),
    installs: false,
    proven: "derivation-only",
  },
};
