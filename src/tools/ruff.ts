import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { fileDiagnostic, mentions } from "./unformatted-files.ts";

const CONCISE = /^(\S.*?\.(?:py|pyi|ipynb|toml)):(?:cell \d+:)?(\d+):(\d+): (?:([A-Z]{1,4}\d{3,4})\b:? )?(.+)$/;
const GROUP_FILE = /^(\S.*\.(?:py|pyi|ipynb)):$/;
const GROUPED = /^\s+(\d+):(\d+)\s+([A-Z]{1,4}\d{3,4}) (.+)$/;
// Since 0.13 the full form puts the rule first and the place in the next line.
const FULL = /^([A-Z]{1,4}\d{3,4}|invalid-syntax):? (?:\[\*\] )?(\S.*)$/;
const FULL_PLACE = /^\s*--> (\S.*?):(?:cell \d+:)?(\d+):(\d+)$/;
const WOULD = /^Would reformat: (\S.*)$/;
const COUNT = /^\d+ files? would be reformatted/;
const FAILED = /^error: (Failed to (?:parse|read|lint|format) (\S.*?\.\w+)(?::(\d+):(\d+))?:? .*)$/;
const CONFIG =
  /^(?:ruff failed|error: (?:invalid value|unexpected argument)|\s*Cause: (?:Failed to parse|TOML parse|unknown))/;

export const ruff: Tool = {
  name: "ruff",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["ruff"]),
  /** Findings of `ruff check` in any text form, files of `ruff format --check`. flake8 has the same short form: the step must speak of ruff. */
  read: (step) => {
    const lines = bareLines(step);
    const speaks =
      mentions(step, /\bruff\b/) ||
      lines.some(({ text }) =>
        /^Found \d+ errors?\.|^Would reformat: |^\[\*\] \d+ fixable|^[A-Z]+\d+ \[\*\]/.test(text),
      );
    return speaks ? readLines(lines) : [];
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        { programs: ["ruff"], subcommand: ["format"], drop: /^--(?:check|diff)$/, needsDrop: true },
        {
          programs: ["ruff"],
          subcommand: ["check"],
          drop: /^--(?:no-fix|diff|exit-non-zero-on-fix|watch|statistics)$/,
          dropValued: /^(?:-o|--output-file)$/,
          add: ["--fix"],
          unless: /^--fix(?:-only)?$/,
        },
      ]),
    installs: false,
    proven: "derivation-only",
  },
};

function readLines(lines: readonly LogLine[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  let group: string | null = null;
  for (const [at, line] of lines.entries()) {
    const heading = GROUP_FILE.exec(line.text)?.[1];
    if (heading !== undefined) group = heading;
    if (COUNT.test(line.text)) {
      // The verdict itself: it says that the files named above are why the step is red.
      const last = found.pop();
      if (last !== undefined) found.push({ ...last, lines: [...last.lines, line.number] });
      continue;
    }
    const diagnostic = readLine(line, lines[at + 1], group);
    if (diagnostic !== null) found.push(diagnostic);
  }
  return found;
}

function readLine({ number, text }: LogLine, next: LogLine | undefined, group: string | null): Diagnostic | null {
  const file = WOULD.exec(text)?.[1];
  if (file !== undefined) return { ...fileDiagnostic(file, [number]), category: "code_formatting" };
  const concise = CONCISE.exec(text);
  if (concise !== null) {
    const [, path = "", line = "", col = "", rule, message = ""] = concise;
    return finding({ path, line, col, rule, message }, [number]);
  }
  const grouped = GROUPED.exec(text);
  if (grouped !== null && group !== null) {
    const [, line = "", col = "", rule, message = ""] = grouped;
    return finding({ path: group, line, col, rule, message }, [number]);
  }
  const full = FULL.exec(text);
  const place = FULL_PLACE.exec(next?.text ?? "");
  if (full !== null && place !== null && next !== undefined) {
    const [, path = "", line = "", col = ""] = place;
    return finding({ path, line, col, rule: full[1], message: full[2] ?? "" }, [number, next.number]);
  }
  const failed = FAILED.exec(text);
  if (failed !== null) {
    const [, message = "", path = "", line = "", col = ""] = failed;
    return finding({ path, line, col, rule: "invalid-syntax", message }, [number]);
  }
  if (!CONFIG.test(text)) return null;
  return { message: text.trim(), lines: [number], location: null, category: "configuration_error" };
}

interface Reported {
  readonly path: string;
  readonly line: string;
  readonly col: string;
  readonly rule: string | undefined;
  readonly message: string;
}

function finding({ path, line, col, rule, message }: Reported, lines: readonly number[]): Diagnostic {
  const category = categoryOf(rule, message);
  return {
    message: message.replace(/^\[\*\] /, ""),
    rule: rule ?? null,
    lines,
    location: {
      file: repositoryPath(path) ?? path,
      line: line === "" ? null : Number(line),
      col: col === "" ? null : Number(col),
    },
    ...(category === null ? {} : { category }),
  };
}

function categoryOf(rule: string | undefined, message: string): FailureClass | null {
  if (rule === undefined || rule === "invalid-syntax" || rule === "E999" || /^SyntaxError/.test(message)) {
    return "syntax_error";
  }
  return /^(?:D|DOC)\d/.test(rule) ? "doc_docstring" : null;
}
