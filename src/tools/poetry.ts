import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { programCall } from "./program-call.ts";
import type { Diagnostic, Tool } from "./tool.ts";

interface Row {
  readonly says: RegExp;
  readonly rule: string;
  readonly category: FailureClass;
  readonly file: string | null;
  /** The lines above it that belong to it, nearest first. */
  readonly above?: RegExp;
  readonly below?: RegExp;
}

const MANIFEST = "pyproject.toml";
const ROWS: readonly Row[] = [
  {
    rule: "lockfile",
    says: /^(?:Error: )?(pyproject\.toml changed significantly since poetry\.lock was last generated\..*|(?:Warning: )?poetry\.lock is not (?:consistent|up to date) with pyproject\.toml.*)$/,
    category: "dependency_issue",
    file: "poetry.lock",
  },
  {
    rule: "resolution",
    says: /^\s*((?:So, )?because .{1,2000}, version solving failed\.|Because .{1,2000}, version solving failed\.|version solving failed\.)$/i,
    category: "dependency_issue",
    file: MANIFEST,
    above: /^\s*(?:(?:And|Because|So,|Thus,)\b.*|and \S.*|or \S.*)$/i,
  },
  {
    rule: "python",
    says: /^\s*(The current project's (?:supported )?Python (?:requirement|range) \(.*\) is not compatible with .*|The currently activated Python version .* is not supported by the project .*)$/,
    category: "dependency_issue",
    file: MANIFEST,
    below: /^\s*- \S.* requires Python /,
  },
  {
    rule: "configuration",
    says: /^(?:Error: )?(The Poetry configuration is invalid:?.*|Could not parse version constraint.*|Group\(s\) not found: .*|Extra\(s\) not found: .*|Extra \[.*\] is not specified\.)$/,
    category: "configuration_error",
    file: MANIFEST,
    below: /^\s*- \S/,
  },
  {
    rule: "candidates",
    says: /^\s*(Unable to find installation candidates for .*)$/,
    category: "package_install_error",
    file: "poetry.lock",
  },
  {
    rule: "missing",
    says: /^\s*(Could not find a matching version of package .*)$/,
    category: "dependency_issue",
    file: MANIFEST,
  },
  {
    rule: "build",
    says: /^\s*(Note: This error originates from the build backend, .*)$/,
    category: "package_install_error",
    file: null,
  },
  { rule: "command", says: /^(Command not found: \S+)$/, category: "dependency_issue", file: MANIFEST },
];
const MAX_RELATED = 12;

export const poetry: Tool = {
  name: "poetry",
  kind: "install",
  category: "package_install_error",
  answersTo: (command) => programCall(command)?.program === "poetry",
  /** poetry's own errors; a conflict with the reasons above its verdict. */
  read: (step) => {
    const lines = bareLines(step);
    return lines.flatMap((line, at) => readError(line, lines, at));
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [{ programs: ["poetry"], subcommand: ["check", "--lock"], becomes: ["lock"], drop: /./ }]),
    installs: true,
    mayTouch: (path) => /(?:^|\/)poetry\.lock$/.test(path),
    proven: "derivation-only",
  },
};

function readError(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic[] {
  const row = ROWS.find(({ says }) => says.test(line.text));
  const message = row?.says.exec(line.text)?.[1];
  if (row === undefined || message === undefined) return [];
  const above =
    row.above === undefined ? [] : related(lines.slice(Math.max(0, at - MAX_RELATED), at).reverse(), row.above);
  const below = row.below === undefined ? [] : related(lines.slice(at + 1, at + 1 + MAX_RELATED), row.below);
  const told = [...above.reverse(), line, ...below];
  return [
    {
      message:
        told.length === 1
          ? message
          : told
              .map(({ text }) => text.trim())
              .join("\n")
              .slice(0, 2_000),
      rule: row.rule,
      lines: told.map(({ number }) => number),
      location: row.file === null ? null : { file: row.file, line: null, col: null },
      category: row.category,
    },
  ];
}

function related(lines: readonly LogLine[], says: RegExp): LogLine[] {
  const end = lines.findIndex(({ text }) => !says.test(text));
  return lines.slice(0, end === -1 ? lines.length : end);
}
