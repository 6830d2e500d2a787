import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const STYLISH = /^\s*(\d+):(\d+)\s+(error|warning)\s+(\S.*?)(?:\s{2,}(\S+))?\s*$/;
const NEXT_LINT = /^\s*(\d+):(\d+)\s+(Error|Warning): (.*?)(?:\s{2,}(\S+))?\s*$/;
const COMPACT = /^(\S.*?): line (\d+), col (\d+), (Error|Warning) - (.*?)(?: \(([^()\s]+)\))?$/;
const UNIX = /^(\S.*?):(\d+):(\d+): (.*) \[(Error|Warning)(?:\/([^\]]+))?\]$/;
const FILE = /^(?:[A-Za-z]:)?[^\s:*?"<>|][^:*?"<>|]*\.\w+$/;
const CRASHED = /^Oops! Something went wrong!/;
const CRASH_NOISE = /^(?:ESLint: \d|Oops!|\s*at\s|\s*$|Please see|Make sure|You'll then|If you )/;
const CONFIG =
  /^(?:Error: )?(?:ESLint couldn't find|No files matching the pattern|Cannot read config file|ESLint configuration in .* is invalid|Failed to load (?:plugin|parser|config)|Invalid option ')/;

interface Finding extends Diagnostic {
  readonly isError: boolean;
}

export const eslint: Tool = {
  name: "eslint",
  kind: "lint",
  category: "linting",
  answersTo: (command) =>
    runs(command, ["eslint", "eslint_d"]) || (runs(command, ["next"]) && programOf(command)?.args[0]?.value === "lint"),
  /** Errors; warnings only when no error is there and `--max-warnings` made them fail. */
  read: (step) => {
    const lines = bareLines(step);
    const findings = readFindings(lines);
    const errors = findings.filter(({ isError }) => isError);
    const wanted = errors.length > 0 || !lines.some(({ text }) => /too many warnings/.test(text)) ? errors : findings;
    return [...wanted.map(({ isError: _, ...diagnostic }) => diagnostic), ...readCrash(lines)];
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        {
          programs: ["next"],
          subcommand: ["lint"],
          add: ["--fix"],
          append: true,
          unless: /^--fix$/,
        },
        {
          programs: ["eslint", "eslint_d"],
          drop: /^(?:--fix-dry-run|--no-fix)$/,
          // A report written into the tree is no repair.
          dropValued: /^(?:-o|--output-file)$/,
          add: ["--fix"],
          append: true,
          unless: /^--(?:fix|init|print-config|version|env-info)(?:=|$)/,
        },
      ]),
    installs: false,
    proven: "executed",
  },
};

function readFindings(lines: readonly LogLine[]): Finding[] {
  const found: Finding[] = [];
  let file: string | null = null;
  for (const { number, text } of lines) {
    const listed = STYLISH.exec(text) ?? NEXT_LINT.exec(text);
    if (listed !== null) {
      const [, line = "", col = "", severity = "", message = "", rule] = listed;
      if (file !== null) found.push(finding({ file, line, col, severity, message, rule, number }));
      continue;
    }
    const compact = COMPACT.exec(text);
    const unix = UNIX.exec(text);
    if (compact !== null) {
      const [, path = "", line = "", col = "", severity = "", message = "", rule] = compact;
      found.push(finding({ file: path, line, col, severity, message, rule, number }));
    } else if (unix !== null) {
      const [, path = "", line = "", col = "", message = "", severity = "", rule] = unix;
      found.push(finding({ file: path, line, col, severity, message, rule, number }));
    } else if (FILE.test(text)) file = text.trim();
  }
  return found;
}

interface Reported {
  readonly file: string;
  readonly line: string;
  readonly col: string;
  readonly severity: string;
  readonly message: string;
  readonly rule: string | undefined;
  readonly number: number;
}

function finding({ file, line, col, severity, message, rule, number }: Reported): Finding {
  return {
    message,
    rule: rule ?? null,
    lines: [number],
    location: { file: repositoryPath(file) ?? file, line: Number(line), col: Number(col) },
    ...(message.startsWith("Parsing error") ? { category: "syntax_error" as const } : {}),
    isError: severity.toLowerCase() === "error",
  };
}

/** ESLint did not get to linting: its own words say why, and the configuration is to blame. */
function readCrash(lines: readonly LogLine[]): Diagnostic[] {
  const crashed = lines.findIndex(({ text }) => CRASHED.test(text));
  const said =
    crashed === -1
      ? lines.find(({ text }) => CONFIG.test(text))
      : lines.slice(crashed).find(({ text }) => !CRASH_NOISE.test(text));
  if (said === undefined) return [];
  return [{ message: said.text.trim(), lines: [said.number], location: null, category: "configuration_error" }];
}
