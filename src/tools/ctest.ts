import { bareLines } from "./bare-lines.ts";
import { runs } from "./run-program.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const RESULT = /^\s*\d+\/\d+ Test +#\d+: (\S.*?) \.{2,} *\*\*\*(.+?)(?: +[\d.]+ sec)?$/;
const SUMMARY_HEAD = /^The following tests FAILED:$/;
const SUMMARY = /^\s+\d+ - (\S.*?) \(([^()]+)\)(?:\s+[\w ]+)?$/;
const ALONE = /^(?:No tests were found!!!|Cannot find file: .*DartConfiguration.*)$/;
const MAX_LIST = 200;

export const ctest: Tool = {
  name: "ctest",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => runs(command, ["ctest", "ctest3"]),
  /** One diagnostic a failed test, with its line in the run and in the list at the end. */
  read: (step) => {
    const lines = bareLines(step);
    const found = new Map<string, Diagnostic>();
    const add = (test: string, how: string, number: number): void => {
      const known = found.get(test);
      if (known !== undefined) found.set(test, { ...known, lines: [...known.lines, number].slice(0, MAX_QUOTED) });
      else found.set(test, toDiagnostic(test, how, number));
    };
    let list = 0;
    for (const { number, text } of lines) {
      if (SUMMARY_HEAD.test(text)) list = MAX_LIST;
      const result = RESULT.exec(text);
      if (result?.[1] !== undefined && !/Skipped/.test(result[2] ?? "")) add(result[1], result[2] ?? "", number);
      if (list-- <= 0) continue;
      const listed = SUMMARY.exec(text);
      if (listed?.[1] !== undefined) add(listed[1], listed[2] ?? "", number);
    }
    if (found.size > 0) return [...found.values()];
    return lines.flatMap(({ number, text }): Diagnostic[] =>
      ALONE.test(text) ? [{ message: text, lines: [number], location: null, category: "configuration_error" }] : [],
    );
  },
};

function toDiagnostic(test: string, how: string, number: number): Diagnostic {
  const crashed = /Exception|SEGFAULT|SegFault|ILLEGAL|BAD_COMMAND|Abort|NUMERICAL|OTHER_FAULT/.test(how);
  const category = /Not Run/.test(how) ? "configuration_error" : crashed ? "runtime_error" : "test_failure";
  return { message: `${test}: ${how.trim()}`, testId: test, lines: [number], location: null, category };
}
