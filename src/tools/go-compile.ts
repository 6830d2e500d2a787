import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { repositoryPath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

const PACKAGE = /^# (?!\s)(\S+)(?: \[(\S+)\])?$/;
const PLACED = /^(vet: )?((?:\.{1,2}[\\/]|[A-Za-z]:[\\/])?[^\s:()]+\.(?:go|s|c|h|cc|cpp)):(\d+)(?::(\d+))?: (\S.*)$/;
// Without its package in front an error of the loader or parser is still known by its words.
const LOADER =
  /build constraints exclude all Go files|use of (?:internal|vendored) package|is a program, not an importable package|^(?:expected '|illegal (?:character|label)|missing (?:return|import path)|found packages|pattern .*: no matching files found|unexpected \S+ at|invalid (?:import path|package name|go:embed))/;
const CYCLE = /^package (\S+)$/;
const CYCLE_STEP = /^\s+imports \S+/;
const OVER = /^(?:FAIL|ok {2}|\? {3})\t|^=== (?:RUN|FAIL)|^--- (?:PASS|FAIL|SKIP)/;
const MORE = /^\s+(?:(?:have|want) \(|\S+\.go:\d+:\d+: |\S)/;
const MAX_MORE = 6;

// The words of the analyzers that `go vet`, and `go test` of itself, run.
const VET =
  /\b(?:format %\S+ (?:has|reads)|call has (?:arguments|possible)|non-constant format string|possible (?:misuse|formatting directive)|unreachable code|struct field tag|unkeyed fields|passes lock by value|copies lock|self-assignment|loop variable \S+ captured|result of \S+ call not used|should have signature|the cancel function|using \S+ before checking for errors|is always (?:true|false|nil)|redundant (?:or|and):|arg list ends with redundant newline|declaration of \S+ shadows|malformed (?:build constraint|name)|has malformed)\b/;

/** What the Go compiler, its loader and `go vet` say of source files, each place once. Findings under tests are left out. */
export function readGoCompile(lines: readonly LogLine[]): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  let inPackage = false;
  for (const [at, line] of lines.entries()) {
    if (PACKAGE.test(line.text)) inPackage = true;
    else if (OVER.test(line.text)) inPackage = false;
    const diagnostic = readPlaced(line, lines, at, inPackage) ?? readCycle(line, lines, at);
    // A package and its tests are built apart: both say what is wrong in the package.
    const key = diagnostic === null ? "" : JSON.stringify([diagnostic.location, diagnostic.message]);
    if (diagnostic !== null && !found.has(key)) found.set(key, diagnostic);
  }
  return [...found.values()];
}

function readPlaced(line: LogLine, lines: readonly LogLine[], at: number, inPackage: boolean): Diagnostic | null {
  const [, vet, path = "", row, col, message] = PLACED.exec(line.text) ?? [];
  if (message === undefined || (!inPackage && vet === undefined && !LOADER.test(message))) return null;
  if (/^warning: |^too many errors$/.test(message)) return null;
  const more: LogLine[] = [];
  for (const next of lines.slice(at + 1, at + 1 + MAX_MORE)) {
    if (!MORE.test(next.text)) break;
    more.push(next);
  }
  return {
    message,
    lines: [line.number, ...more.map(({ number }) => number)],
    location: {
      file: repositoryPath(path) ?? path,
      line: Number(row),
      col: col === undefined ? null : Number(col),
    },
    category: categoryOf(message),
  };
}

function readCycle(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic | null {
  if (!CYCLE.test(line.text)) return null;
  const steps: LogLine[] = [];
  for (const next of lines.slice(at + 1, at + 1 + 4 * MAX_MORE)) {
    if (!CYCLE_STEP.test(next.text)) break;
    steps.push(next);
  }
  const last = steps.at(-1);
  if (last === undefined || !last.text.includes(": ")) return null;
  return {
    message: last.text.trim(),
    lines: [line, ...steps].map(({ number }) => number),
    location: null,
    category: "type_checking",
  };
}

function categoryOf(message: string): FailureClass {
  if (/^syntax error|^expected |^illegal |^unexpected |not terminated$/.test(message)) return "syntax_error";
  if (/fatal error: .*No such file/.test(message)) return "environment_error";
  return VET.test(message) ? "linting" : "type_checking";
}
