import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// Newer versions separate by two spaces, older ones pad the message; the rule is the last word.
const FINDING = /^\s+(\d+)(?::(\d+))?\s+([✖×✘⚠])\s+(\S.*?)(?:\s{2,}([\w@./-]+))?\s*$/;
const FILE = /^(?:[A-Za-z]:)?[^\s:*?"<>|][^:*?"<>|]*\.\w+$/;
const CONFIG = /^(?:Error|ConfigurationError|AllFilesIgnoredError|NoFilesFoundError): (.*)$/;
const CONFIG_SAID = /configuration|Could not find|No files matching|files matching|Unknown rule|all input files/i;

export const stylelint: Tool = {
  name: "stylelint",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["stylelint"]),
  /** Errors under the file they are in; `⚠` warnings do not make it fail. */
  read: (step) => {
    const found: Diagnostic[] = [];
    let file: string | null = null;
    for (const { number, text } of bareLines(step)) {
      const finding = FINDING.exec(text);
      const config = CONFIG.exec(text)?.[1];
      if (finding !== null) {
        const [, line, col, mark, message = "", rule] = finding;
        if (file === null || mark === "⚠") continue;
        found.push({
          message,
          rule: rule ?? null,
          lines: [number],
          location: { file, line: Number(line), col: col === undefined ? null : Number(col) },
          ...(rule === "CssSyntaxError" ? { category: "syntax_error" as const } : {}),
        });
      } else if (config !== undefined && CONFIG_SAID.test(config)) {
        found.push({ message: config, lines: [number], location: null, category: "configuration_error" });
      } else if (FILE.test(text)) file = repositoryPath(text) ?? text;
    }
    return found;
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        {
          programs: ["stylelint"],
          dropValued: /^(?:-o|--output-file)$/,
          add: ["--fix"],
          append: true,
          unless: /^--(?:fix(?:=.*)?|print-config|version)$/,
        },
      ]),
    installs: false,
    proven: "executed",
  },
};
