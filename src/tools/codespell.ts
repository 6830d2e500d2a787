import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { lineFindings } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";

const FORMAT = /^(?<file>[^\s:][^:]{0,400}):(?<line>\d+): (?<message>\S{1,100} ==> \S.*)$/;

export const codespell: Tool = {
  name: "codespell",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["codespell"]),
  /** One diagnostic a misspelt word. */
  read: (step) => lineFindings(bareLines(step), [FORMAT]),
  fix: {
    derive: (command) =>
      changeArgs(command, [{ programs: ["codespell"], add: ["-w"], append: true, unless: /^(?:-w|--write-changes)$/ }]),
    installs: false,
    proven: "derivation-only",
  },
};
