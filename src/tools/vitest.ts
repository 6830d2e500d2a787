import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { withArgs } from "./program-call.ts";
import { relativePath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import { quoteWord } from "./shell-words.ts";
import { failedTestFiles, MAX_QUOTED, placeOfFailure, readTestBody, testCategory } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// ` FAIL  src/a.test.ts > suite > name`; workspaces put `|unit|` or ` unit ` in front of the file.
const FAIL = /^\s*FAIL\s{1,4}(?:\|[^|]+\|\s+|[\w-]+\s{1,3}(?=\S+\.\w+))?(\S.*)$/;
const FILE = /^(\S+?\.(?:[cm]?[jt]sx?|vue|svelte))(?: > (.*?)|(?= \[ ))(?: \[ .* \])?\s*$/;
const SECTION =
  /^\s*⎯+\s*(Unhandled (?:Rejection|Error|Exception)|Uncaught Exception|Startup Error|Typecheck Error)\s*⎯+/;
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
    const block = lines.slice(start, end);
    for (const { line, file, test } of titles) {
      const one = toDiagnostic(line, file, test, block);
      const key = JSON.stringify([file, test, one.message]);
      if (!seen.has(key)) found.push(one);
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

function toDiagnostic(title: LogLine, file: string | null, test: string | null, block: readonly LogLine[]): Diagnostic {
  const body = readTestBody(block);
  const broken = test === null ? readBroken(block) : null;
  const message = [body.message || (test ?? title.text.trim()), broken?.message].filter(Boolean).join(" ");
  const category = file === null ? "runtime_error" : testCategory(message, body);
  return {
    message,
    lines: [...new Set([title.number, ...body.lines, ...(broken?.lines ?? [])])]
      .sort((a, b) => a - b)
      .slice(0, MAX_QUOTED),
    testId: test,
    location: broken?.location ?? placeOfFailure(body, file, category),
    expected: body.expected,
    actual: body.actual,
    stack: body.stack,
    category,
  };
}

// What a file that cannot be parsed looks like: oxc's box (vite 8), esbuild's line (before).
const OXC_ERROR = /^\[[A-Z_]+\] (.+)$/;
const OXC_PLACE = /^\s*╭─\[ ?(\S+?):(\d+):(\d+) ?\]/;
const ESBUILD = /^\s*(\S+?):(\d+):(\d+): ERROR: (.+)$/;

interface Broken {
  readonly message: string | null;
  readonly lines: readonly number[];
  readonly location: Location | null;
}

/** Where a test file could not even be parsed, which no stack tells; null when its block names no such place. */
function readBroken(block: readonly LogLine[]): Broken | null {
  const lines: number[] = [];
  let message: string | null = null;
  for (const { number, text } of block) {
    const place = ESBUILD.exec(text) ?? OXC_PLACE.exec(text);
    const said = ESBUILD.exec(text)?.[4] ?? OXC_ERROR.exec(text)?.[1];
    if (said !== undefined) message ??= said;
    if (said !== undefined || place) lines.push(number);
    const file = place?.[1] === undefined ? null : relativePath(place[1]);
    if (place && file !== null)
      return { message, lines, location: { file, line: Number(place[2]), col: Number(place[3]) } };
  }
  return null;
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
