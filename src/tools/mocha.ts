import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { readMochaReport } from "./mocha-report.ts";
import { relativePath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import { testCategory } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const CYPRESS = /^\s*\(Run (?:Starting|Finished)\)$/;
const LOADING = /^ ?Exception during run: (\S.*)$/;
const NOTHING = /^Error: (No test files found: .*)$/;
const IMPORTER = /imported from (\S+)$/;

export const mocha: Tool = {
  name: "mocha",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => runs(command, ["mocha", "_mocha", "ts-mocha", "electron-mocha", "mocha-parallel-tests"]),
  /** The numbered failures behind `N failing`; what kept the tests from being loaded. */
  read: (step) => {
    const lines = bareLines(step);
    if (lines.some(({ text }) => CYPRESS.test(text))) return [];
    return [...lines.flatMap(readLoading), ...readMochaReport(lines)];
  },
};

function readLoading({ number, text }: LogLine): Diagnostic[] {
  const nothing = NOTHING.exec(text)?.[1];
  if (nothing !== undefined)
    return [{ message: nothing, rule: "no-tests", lines: [number], category: "configuration_error" }];
  const message = LOADING.exec(text)?.[1];
  if (message === undefined) return [];
  const importer = IMPORTER.exec(message)?.[1];
  const file = importer === undefined ? null : relativePath(importer);
  return [
    {
      message,
      rule: "load",
      lines: [number],
      location: file === null ? null : { file, line: null, col: null },
      category: testCategory(message, { expected: null, actual: null }),
    },
  ];
}
