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
  readonly file?: string;
}

// First match wins (crates/uv/src/commands and uv-resolver's error.rs).
const ROWS: readonly Row[] = [
  {
    rule: "lockfile",
    says: /^error: (The lockfile at `.*` needs to be updated.*|Unable to find lockfile at .*|Failed to parse `uv\.lock`.*|(?:Found existing|Could not find) (?:alias|root package).*lockfile.*)$/,
    category: "dependency_issue",
    file: "uv.lock",
  },
  {
    rule: "resolution",
    says: /^\s*[×x] (No solution found when resolving .*)$/,
    category: "dependency_issue",
    file: "pyproject.toml",
  },
  { rule: "build", says: /^\s*[×x] (Failed to (?:build|download and build) .*)$/, category: "package_install_error" },
  {
    rule: "python",
    says: /^error: (No interpreter found for .*|The (?:requested|current) (?:interpreter|Python version).*(?:incompatible|not supported|resolved).*|The Python request from .*)$/,
    category: "environment_error",
  },
  {
    rule: "pyproject",
    says: /^error: (Failed to (?:parse|build|read|deserialize)[: ].*|(?:Group|Extra|Package) `.*` is not defined .*|No `(?:pyproject\.toml|project)`.* (?:found|table).*|`.*\.toml` .*|TOML parse error.*)$/,
    category: "configuration_error",
    file: "pyproject.toml",
  },
  { rule: "spawn", says: /^error: (Failed to spawn: .*)$/, category: "dependency_issue", file: "pyproject.toml" },
  {
    rule: "requirement",
    says: /^error: (.* was not found in the (?:package registry|provided package locations).*|Distribution `.*` can't be installed .*|No virtual environment found.*|The wheel filename .*)$/,
    category: "package_install_error",
  },
];
// What goes on with an error: uv draws the causes, older versions say `Caused by:`.
const CAUSE = /^\s*(?:├─▶|╰─▶|▶|Caused by:)/;
const DEEPER = /^ {4,}\S/;
const ADVICE = /^\s*(?:hint|help):/;
// The explanation of a conflict; what a build printed says why near its end.
const MAX_CAUSES = 12;

export const uv: Tool = {
  name: "uv",
  kind: "install",
  category: "package_install_error",
  answersTo: (command) => programCall(command)?.program === "uv",
  /** uv's own errors with the causes drawn below them. */
  read: (step) => {
    const lines = bareLines(step);
    return lines.flatMap((line, at) => readError(line, lines, at));
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        { programs: ["uv"], subcommand: ["lock"], drop: /^--(?:check|locked|frozen)$/, needsDrop: true },
        // `uv sync --locked` installs; the lock file alone is what must change.
        { programs: ["uv"], subcommand: ["sync", "--locked"], becomes: ["lock"], drop: /./ },
      ]),
    installs: true,
    mayTouch: (path) => /(?:^|\/)uv\.lock$/.test(path),
    proven: "derivation-only",
  },
};

function readError({ number, text }: LogLine, lines: readonly LogLine[], at: number): Diagnostic[] {
  const row = ROWS.find(({ says }) => says.test(text));
  const message = row?.says.exec(text)?.[1];
  if (row === undefined || message === undefined) return [];
  const causes: LogLine[] = [];
  for (let i = at + 1; i < lines.length && causes.length < MAX_CAUSES; i++) {
    const line = lines[i];
    if (line === undefined || ADVICE.test(line.text)) break;
    if (!CAUSE.test(line.text) && !(causes.length > 0 && DEEPER.test(line.text))) break;
    causes.push(line);
  }
  return [
    {
      message: [message, ...causes.map((line) => line.text.replace(/^[\s├╰─▶]+/, ""))].join("\n").slice(0, 2_000),
      rule: row.rule,
      lines: [number, ...causes.map((line) => line.number)],
      location: row.file === undefined ? null : { file: row.file, line: null, col: null },
      category: row.category,
    },
  ];
}
