import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { withArgs } from "./program-call.ts";
import { relativePath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import { quoteWord } from "./shell-words.ts";
import { failedTestFiles, MAX_QUOTED, readTestBody, testCategory } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// ` FAIL  src/a.test.ts > suite > name`; workspaces put `|unit|` or ` unit ` in front of the file.
const FAIL = /^\s*FAIL\s{1,4}(?:\|[^|]+\|\s+|[\w-]+\s{1,3}(?=\S+\.\w+))?(\S.*)$/;
const FILE = /^(\S+?\.(?:[cm]?[jt]sx?|vue|svelte))(?: > (.*?))?(?: \[ .* \])?\s*$/;
const SECTION =
  /^\s*⎯+\s*(Unhandled (?:Rejection|Error|Exception)|Uncaught Exception|Startup Error|Typecheck Error)s?\s*⎯+/;
const SEPARATOR = /^\s*⎯{3,}/;
const CROSS = /^\s*[×✗]\s+(.*?)(?:\s+\d+(?:\.\d+)?m?s)?\s*$/;
const THRESHOLD = /^\s*ERROR: (Coverage for .+ does not meet .*threshold.*)$/;
const NOTHING = /^\s*(No test (?:files|suite) found.*|No projects matched the filter.*|failed to load config from .+)$/;

export const vitest: Tool = {
  name: "vitest",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => runs(command, ["vitest"]),
  read: (step) => {
    const lines = bareLines(step);
    const tests = readBlocks(lines);
    const titles = new Map(lines.flatMap((line) => crossOf(line)));
    const quoted = tests.map((test) => withProgressLine(test, titles));
    return [...quoted, ...readSingles(lines)];
  },
  /** Files are filters, and filters widen each other: the command's own are left out. */
  narrow: (command, diagnostics) => {
    const call = programOf(command);
    const files = failedTestFiles(diagnostics);
    if (call?.program !== "vitest" || files === null) return null;
    const kept = call.args.filter(({ value }, i) => isKept(value, call.args[i - 1]?.value, i));
    return withArgs(call, [...kept.map(({ raw }) => raw), ...files.map(quoteWord)]);
  },
};

const VALUED =
  /^(?:-c|--config|-r|--root|--dir|--project|--reporter|--environment|--pool|--shard|--mode|-t|--testNamePattern)$/;

function isKept(value: string, previous: string | undefined, index: number): boolean {
  if (index === 0 && /^(?:run|watch|dev)$/.test(value)) return true;
  return value.startsWith("-") || VALUED.test(previous ?? "");
}

function readBlocks(lines: readonly LogLine[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  const seen = new Set<string>();
  for (let i = 0; i < lines.length; i++) {
    const titles = titlesAt(lines, i);
    if (titles.length === 0) continue;
    const start = i + titles.length;
    let end = start;
    while (end < lines.length && !isBoundary(lines[end]?.text ?? "")) end++;
    const body = readTestBody(lines.slice(start, end));
    for (const { line, file, test } of titles) {
      const key = JSON.stringify([file, test, body.message]);
      if (!seen.has(key)) found.push(toDiagnostic(line, file, test, body));
      seen.add(key);
    }
    i = end - 1;
  }
  return found;
}

interface Title {
  readonly line: LogLine;
  readonly file: string | null;
  readonly test: string | null;
}

/** Equal errors share one body: several titles may stand above it. */
function titlesAt(lines: readonly LogLine[], from: number): Title[] {
  const titles: Title[] = [];
  for (let i = from; i < lines.length; i++) {
    const line = lines[i];
    if (!line) break;
    const section = SECTION.exec(line.text);
    if (section && titles.length === 0) return [{ line, file: null, test: null }];
    const target = FAIL.exec(line.text)?.[1];
    const match = target === undefined ? null : FILE.exec(target);
    if (!match?.[1]) break;
    titles.push({ line, file: relativePath(match[1]) ?? match[1], test: match[2] ?? null });
  }
  return titles;
}

function isBoundary(text: string): boolean {
  return SEPARATOR.test(text) || FAIL.test(text) || /^\s*(?:Test Files|Snapshots|Type Errors) {2}/.test(text);
}

function toDiagnostic(
  title: LogLine,
  file: string | null,
  test: string | null,
  body: ReturnType<typeof readTestBody>,
): Diagnostic {
  const inFile = body.stack.find((frame) => frame.file === file);
  const own =
    inFile && body.location?.file !== file ? { file: inFile.file, line: inFile.line, col: null } : body.location;
  const message = body.message || (test ?? title.text.trim());
  return {
    message,
    lines: [title.number, ...body.lines].slice(0, MAX_QUOTED),
    testId: test,
    location: own ?? (file === null ? null : { file, line: null, col: null }),
    expected: body.expected,
    actual: body.actual,
    stack: body.stack,
    category: file === null ? "runtime_error" : testCategory(message, body),
  };
}

function crossOf({ number, text }: LogLine): [string, number][] {
  const name = CROSS.exec(text)?.[1];
  return name === undefined ? [] : [[name, number]];
}

/** The line of the running report that crossed the test out says so too. */
function withProgressLine(test: Diagnostic, titles: ReadonlyMap<string, number>): Diagnostic {
  const id = test.testId;
  const line = id ? (titles.get(id) ?? titles.get(id.slice(id.lastIndexOf(" > ") + 3).trim())) : undefined;
  if (line === undefined) return test;
  return { ...test, lines: [...new Set([line, ...test.lines])].sort((a, b) => a - b).slice(0, MAX_QUOTED) };
}

/** What is said in one line outside any block: thresholds, no tests, a broken configuration. */
function readSingles(lines: readonly LogLine[]): Diagnostic[] {
  return lines.flatMap(({ number, text }): Diagnostic[] => {
    const threshold = THRESHOLD.exec(text)?.[1];
    if (threshold) return [{ message: threshold, lines: [number], rule: "coverage", category: "test_failure" }];
    const nothing = NOTHING.exec(text)?.[1];
    return nothing ? [{ message: nothing, lines: [number], category: "configuration_error" }] : [];
  });
}
