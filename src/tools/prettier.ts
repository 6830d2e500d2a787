import type { LogLine, StepLog } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { fileDiagnostic, isBarePath, mentions } from "./unformatted-files.ts";

const WARNED_FILE = /^\[warn\] (\S.*\.\w+|\S*\/\S+|\.\w+rc)$/;
// Sentences that prettier warns with and that happen to end like a file name.
const WARNED_SENTENCE = /^\[warn\] (?:Code style|All matched|Ignored|Error occurred|Run Prettier|.*\bdeprecated\b)/;
const SYNTAX = /^\[error\] (.+?): (?:SyntaxError: )?(.*) \((\d+):(\d+)\)$/;
const CONFIG =
  /^\[error\] (No files matching|No parser could be inferred|Cannot find (?:module|package)|Invalid (?:configuration|\S+ value)|Couldn't (?:find|resolve)|Explicitly specified|.*\bCONFIG|Cannot use import)(.*)$/;

export const prettier: Tool = {
  name: "prettier",
  kind: "format",
  category: "code_formatting",
  answersTo: (command) => runs(command, ["prettier", "prettierd"]),
  /** One diagnostic a file that is not formatted or cannot be parsed. */
  read: (step) => {
    const lines = bareLines(step);
    const found = lines.flatMap(readLine);
    return found.length > 0 ? found : readListed(step, lines);
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        {
          programs: ["prettier"],
          drop: /^(?:--check|--list-different|-[cl]+)$/,
          add: ["--write"],
          needsDrop: true,
          unless: /^(?:--write|-w)$/,
        },
      ]),
    installs: false,
    proven: "executed",
  },
};

function readLine({ number, text }: LogLine): Diagnostic[] {
  const syntax = SYNTAX.exec(text);
  if (syntax !== null) {
    const [, file = "", message = "", line, col] = syntax;
    const location = { file: repositoryPath(file) ?? file, line: Number(line), col: Number(col) };
    return [{ message, lines: [number], location, category: "syntax_error" }];
  }
  if (CONFIG.test(text)) {
    return [{ message: text.replace("[error] ", ""), lines: [number], category: "configuration_error" }];
  }
  const file = WARNED_SENTENCE.test(text) ? null : WARNED_FILE.exec(text)?.[1];
  return file === null || file === undefined ? [] : [fileDiagnostic(file, [number])];
}

/** `--list-different` prints nothing but names; only believed where the command says so. */
function readListed(step: StepLog, lines: readonly LogLine[]): Diagnostic[] {
  if (!mentions(step, /\bprettier\b.*\s(?:-\w*l\w*|--list-different)(?:\s|$)/)) return [];
  return lines.filter(({ text }) => isBarePath(text)).map(({ number, text }) => fileDiagnostic(text, [number]));
}
