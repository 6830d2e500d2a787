import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

interface Row {
  readonly says: RegExp;
  readonly category: FailureClass;
  /** A line that only goes on with the one of this rule above it. */
  readonly joins?: string;
  readonly rule: string;
}

// pip's own words (src/pip/_internal/exceptions.py, resolution/resolvelib/factory.py, req/constructors.py).
const ROWS: readonly Row[] = [
  {
    rule: "conflict",
    says: /^ERROR: (Cannot install .+ because these package versions have conflicting dependencies\.)$/,
    category: "dependency_issue",
  },
  { rule: "conflict", joins: "conflict", says: /^ERROR: (ResolutionImpossible): /, category: "dependency_issue" },
  {
    rule: "not-found",
    says: /^ERROR: (Could not find a version that satisfies the requirement .+)$/,
    category: "dependency_issue",
  },
  {
    rule: "not-found",
    joins: "not-found",
    says: /^ERROR: (No matching distribution found for .+)$/,
    category: "dependency_issue",
  },
  {
    rule: "python",
    says: /^ERROR: (Package '.+' requires a different Python: .+)$/,
    category: "environment_error",
  },
  {
    rule: "hashes",
    says: /^ERROR: (THESE PACKAGES DO NOT MATCH THE HASHES.*|Hashes are required in --require-hashes mode.*|In --require-hashes mode.*)$/,
    category: "dependency_issue",
  },
  {
    rule: "requirements",
    says: /^ERROR: (Could not open requirements file: .*|Invalid requirement: .*|Double requirement given: .*|Directory '.*' is not installable\..*|\S+ does not appear to be a Python project.*|Cannot determine archive format .*|.* is not a valid editable requirement.*|File "setup\.py".* not found.*)$/,
    category: "configuration_error",
  },
  { rule: "managed", says: /^(?:error|×): (externally-managed-environment)$/, category: "environment_error" },
];
// Only what stands between two lines of the same conflict tells what conflicts.
const CONFLICT_FACT = /^ {4}(?:The user requested .+|\S+ \S+ depends on .+|\S.* depends on .+)$/;
const BUILD_FAILED = /^\s*(?:error: subprocess-exited-with-error|ERROR: Command errored out with exit status \d+:.*)$/;
// Between the verdict on a build and its output stand a few lines of pip's own.
const REACH = 12;
const BUILD_OUTPUT = /^\s*╰─> \[\d+ lines? of output\]$|^\s*Complete output \(\d+ lines?\):$/;
const BUILD_END = /^\s*\[end of output\]$|^\s*-{40}$/;
const BUILD_VERDICT =
  /^\s*(?:ERROR: +(Failed building wheel for \S+|Failed to build .+|Could not build wheels for .+)|error: (metadata-generation-failed|legacy-install-failure|failed-wheel-build-for-install))/;
const WHAT_BROKE = /\b(?:[A-Z]\w*(?:Error|Exception)\b|error[: ]|fatal[: ]|not found|command .+ failed)/i;
const LACKS =
  /fatal error: .+\.h: No such file|(?:gcc|g\+\+|cc|cl|cargo|rustc|cmake|pg_config|mysql_config)\S*(?:'|\b).{0,40}(?:not found|No such file|is required)|Microsoft Visual C\+\+ .* is required|pkg-config|Rust(?:c)? (?:toolchain|and Cargo)/i;
const FROM_FILE =
  /\(from (?:-[rc] )?([^\s()]+\.(?:txt|in|toml|cfg))(?: \(line (\d+)\))?\)|\(from line (\d+) of ([^\s()]+)\)/;
const NAMED_FILE = /requirements file: .*?'([^']+)'/;

export const pip: Tool = {
  name: "pip",
  kind: "install",
  category: "package_install_error",
  answersTo: (command) => {
    const call = programOf(command);
    if (call === null) return false;
    if (call.program === "uv") return call.args[0]?.value === "pip";
    return /^pip(?:[\d.]+)?$|^pip-(?:sync|compile)$|^pipenv$/.test(call.program);
  },
  /** What the resolver refused, requirements that cannot be read, and packages whose build broke with the line that says why. */
  read: (step) => {
    const lines = bareLines(step);
    return [...readSayings(lines), ...readBuilds(lines)];
  },
};

function readSayings(lines: readonly LogLine[]): Diagnostic[] {
  const found: (Diagnostic & { readonly rule: string })[] = [];
  for (const { number, text } of lines) {
    const last = found.at(-1);
    if (last?.rule === "conflict" && CONFLICT_FACT.test(text)) {
      found[found.length - 1] = { ...last, message: `${last.message}\n${text.trim()}`, lines: [...last.lines, number] };
      continue;
    }
    const row = ROWS.find(({ says }) => says.test(text));
    const message = row?.says.exec(text)?.[1];
    if (row === undefined || message === undefined) continue;
    if (row.joins !== undefined && last?.rule === row.joins) {
      found[found.length - 1] = { ...last, lines: [...last.lines, number] };
      continue;
    }
    found.push({ message, rule: row.rule, lines: [number], location: placeOf(message), category: row.category });
  }
  return found;
}

function placeOf(message: string): Location | null {
  const from = FROM_FILE.exec(message);
  const named = NAMED_FILE.exec(message)?.[1];
  const file = from?.[1] ?? from?.[4] ?? named;
  if (file === undefined) return null;
  const line = from?.[2] ?? from?.[3];
  return { file: repositoryPath(file) ?? file, line: line === undefined ? null : Number(line), col: null };
}

/** `subprocess-exited-with-error`: the build's output, down to the verdict on the package. */
function readBuilds(lines: readonly LogLine[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (let at = 0; at < lines.length; at++) {
    const start = lines[at];
    if (start === undefined || !BUILD_FAILED.test(start.text)) continue;
    const { told, end } = readOutput(lines, at);
    const verdict = lines.slice(end, end + 40).find(({ text }) => BUILD_VERDICT.test(text));
    const why =
      told.findLast(({ text }) => /^\s*[\w.]*(?:Error|Exception)\b/.test(text)) ??
      told.findLast(({ text }) => WHAT_BROKE.test(text)) ??
      told.at(-1);
    const first = told.find(({ text }) => LACKS.test(text));
    const quoted = [start, first, why, verdict].flatMap((line) => line?.number ?? []);
    const says = BUILD_VERDICT.exec(verdict?.text ?? "");
    const message = first ?? why;
    found.push({
      message: message?.text.trim() ?? says?.[1] ?? says?.[2] ?? "a package could not be built",
      rule: "build",
      lines: [...new Set(quoted)].sort((a, b) => a - b),
      location: null,
      category: first === undefined ? "package_install_error" : "environment_error",
    });
    at = end;
  }
  return found;
}

function readOutput(
  lines: readonly LogLine[],
  from: number,
): { readonly told: readonly LogLine[]; readonly end: number } {
  const gap = lines.slice(from + 1, from + 1 + REACH).findIndex(({ text }) => BUILD_OUTPUT.test(text));
  if (gap === -1) return { told: [], end: from };
  const open = from + 1 + gap;
  let end = open + 1;
  while (end < lines.length && !BUILD_END.test(lines[end]?.text ?? "")) end++;
  return { told: lines.slice(open + 1, end).filter(({ text }) => text.trim() !== ""), end };
}
