import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { lineFindings } from "./line-findings.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const TABLE_FILE = /^ {1,3}Line {2,}(\S.*?\.\w+)(?: \(in context of .*\))?\s*$/;
const TABLE_ROW = /^ {1,3}:?(\d+|-) {2,}(\S.*)$/;
const TABLE_MORE = /^ {8,}(\S.*)$/;
const IDENTIFIER = /^(?:🪪|🔖) +(\S+)/u;
const RULE = /^ {1,3}-{3,} -{3,}/;
// Analysers that cannot start.
const TROUBLE =
  /^\s*(Invalid configuration:|Bootstrap file .+ does not exist\.|Child process error:.*|Internal error: .*)$/;

const php =
  (names: RegExp) =>
  (command: string): boolean => {
    const call = programOf(command);
    if (call === null) return false;
    return (
      names.test(call.program) ||
      (call.program === "php" && call.args.some(({ value }) => names.test(value.split("/").at(-1) ?? "")))
    );
  };

export const phpstan: Tool = {
  name: "phpstan",
  kind: "type",
  category: "type_checking",
  answersTo: php(/^(?:phpstan|larastan)(?:\.phar)?$/),
  /** The table it prints: the file in the head, the line and the message in each row, wrapped over several lines. */
  read: (step) => {
    const found: Diagnostic[] = [];
    let file: string | null = null;
    for (const line of bareLines(step)) {
      const head = TABLE_FILE.exec(line.text)?.[1];
      if (head !== undefined) file = repositoryPath(head) ?? head;
      else if (line.text.trim() === "") file = null;
      else if (file !== null && !RULE.test(line.text)) takeRow(found, file, line);
      const trouble = TROUBLE.exec(line.text)?.[1];
      if (trouble !== undefined)
        found.push({ message: trouble, lines: [line.number], location: null, category: "configuration_error" });
    }
    return found;
  },
};

function takeRow(found: Diagnostic[], file: string, line: LogLine): void {
  const [, row, said = ""] = TABLE_ROW.exec(line.text) ?? [];
  if (row !== undefined) {
    const location = { file, line: row === "-" ? null : Number(row), col: null };
    found.push({ message: said.trim(), rule: null, lines: [line.number], location });
    return;
  }
  const more = TABLE_MORE.exec(line.text)?.[1]?.trim();
  const last = found.at(-1);
  if (more === undefined || last === undefined) return;
  const rule = IDENTIFIER.exec(more)?.[1];
  const message = rule === undefined && !/^(?:💡|✏️)/u.test(more) ? `${last.message} ${more}` : last.message;
  found[found.length - 1] = { ...last, message, rule: rule ?? last.rule ?? null, lines: [...last.lines, line.number] };
}

export const psalm: Tool = {
  name: "psalm",
  kind: "type",
  category: "type_checking",
  answersTo: php(/^psalm(?:\.phar)?$/),
  read: (step) =>
    lineFindings(
      bareLines(step),
      [/^ERROR: (?<rule>\w+) - (?<file>\S+?):(?<line>\d+):(?<col>\d+) - (?<message>.+?)(?: \(see https:\S+\))?$/],
      ({ rule = "" }) => (rule === "ParseError" ? "syntax_error" : /^Unused/.test(rule) ? "linting" : null),
    ),
};
