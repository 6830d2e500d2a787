import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const OFFENSE = /^(\S.*?):(\d+):(\d+): ([CWEFR]): (?:\[Correctable\] )?(?:([A-Z]\w*(?:\/\w+)+): )?(.*)$/;
const CONFIG =
  /^(?:Error: (?:unrecognized cop|RuboCop found unknown)|Unable to find gem|cannot load such file -- rubocop|.*\.rubocop\.yml: \S)/;

export const rubocop: Tool = {
  name: "rubocop",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["rubocop", "standardrb"]),
  read: (step) =>
    bareLines(step).flatMap(({ number, text }): Diagnostic[] => {
      const [, path, line, col, severity, cop, message = ""] = OFFENSE.exec(text) ?? [];
      if (path !== undefined) {
        const location = { file: repositoryPath(path) ?? path, line: Number(line), col: Number(col) };
        const syntax = severity === "F" || cop === "Lint/Syntax";
        const formats = cop?.startsWith("Layout/") === true;
        return [
          {
            message,
            rule: cop ?? null,
            lines: [number],
            location,
            ...(syntax ? { category: "syntax_error" as const } : {}),
            ...(formats ? { category: "code_formatting" as const } : {}),
          },
        ];
      }
      if (!CONFIG.test(text)) return [];
      return [{ message: text, lines: [number], location: null, category: "configuration_error" }];
    }),
  fix: {
    /** Only corrections that rubocop calls safe. */
    derive: (command) =>
      changeArgs(command, [
        {
          programs: ["rubocop"],
          dropValued: /^(?:-o|--out)$/,
          add: ["--autocorrect"],
          append: true,
          unless: /^(?:-[aAx]|--auto-?correct(?:-all)?|--fix-layout)$/,
        },
        { programs: ["standardrb"], add: ["--fix"], append: true, unless: /^--fix/ },
      ]),
    installs: false,
    proven: "derivation-only",
  },
};
