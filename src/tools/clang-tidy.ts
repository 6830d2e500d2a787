import { bareLines } from "./bare-lines.ts";
import { readCompilerErrors } from "./compiler-errors.ts";
import { C_FILES, compilerClass, isWarningFlag } from "./gcc.ts";
import { mergeFindings } from "./merge-findings.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";

export const clangTidy: Tool = {
  name: "clang-tidy",
  kind: "lint",
  category: "linting",
  answersTo: (command) =>
    runs(command, [
      "clang-tidy",
      "run-clang-tidy",
      "run-clang-tidy.py",
      "clang-tidy-diff",
      "clang-tidy-diff.py",
      "clang-tidy-cache",
    ]),
  /** Checks that are errors (`-warnings-as-errors`); a plain warning fails nothing. */
  read: (step) =>
    mergeFindings(
      readCompilerErrors(bareLines(step), C_FILES).flatMap(({ flag, file, line, col, message, lines }) => {
        if (flag === null || isWarningFlag(flag)) return [];
        const rule = flag.replace(/,?-warnings-as-errors/, "");
        // `clang-diagnostic-error` is what the compiler itself refuses, be it fatal or not.
        const refused = rule === "clang-diagnostic-error";
        const category = refused ? compilerClass({ message, flag: null, fatal: true, code: null }) : "linting";
        return [{ message, rule, lines, location: { file, line, col }, category }];
      }),
    ),
};
