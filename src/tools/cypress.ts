import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { readMochaReport } from "./mocha-report.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const BANNER = /^\s*\(Run (?:Starting|Finished)\)$/;
const RUNNING = /^ {2}Running: +(\S.*?) +\(\d+ of \d+\)$/;
// Cypress could not go on: `Cypress could not verify that this server is running`, `Cypress failed to verify …`.
const STOPPED =
  /^(Cypress (?:could not|failed to|verification timed out|executable not found)\b.*|The cypress npm package is installed, but the Cypress binary is missing\..*|Can't run because (?:no spec files were found|you've entered an invalid browser name).*|Your configFile .* threw an error.*|Your system is missing the dependency: .*)$/;

export const cypress: Tool = {
  name: "cypress",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => runs(command, ["cypress"]) && programOf(command)?.args[0]?.value !== "install",
  /** The numbered failures of each spec, at the spec where no frame of the repository is shown. */
  read: (step) => {
    const lines = bareLines(step);
    const stopped = lines.flatMap(readStopped);
    if (!lines.some(({ text }) => BANNER.test(text))) return stopped;
    return [...stopped, ...readMochaReport(lines, specAt(lines))];
  },
};

function readStopped({ number, text }: LogLine): Diagnostic[] {
  const message = STOPPED.exec(text.trim())?.[1];
  return message === undefined
    ? []
    : [{ message, rule: "start", lines: [number], location: null, category: "environment_error" }];
}

/** The spec that was running at a line; asked in ascending order. */
function specAt(lines: readonly LogLine[]): (line: number) => string | null {
  const starts = lines.flatMap(({ number, text }) => {
    const file = RUNNING.exec(text)?.[1];
    return file === undefined ? [] : [{ number, file: repositoryPath(file) ?? file }];
  });
  let at = -1;
  return (line) => {
    while (at + 1 < starts.length && (starts[at + 1]?.number ?? 0) < line) at++;
    return starts[at]?.file ?? null;
  };
}
