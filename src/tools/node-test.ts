import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { readNodeError } from "./node-test-error.ts";
import { withArgs } from "./program-call.ts";
import { relativePath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import { quoteWord } from "./shell-words.ts";
import { frameLocation, readJsFrame } from "./stack-frames.ts";
import { failedTestFiles, MAX_QUOTED, testCategory } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const FAILING_TESTS = /^✖ failing tests:\s*$/;
const TEST_AT = /^test at (.+?):(\d+):(\d+)\s*$/;
const CROSS = /^(\s*)✖ (.+?)(?: \(\d[\d.]*ms\))?(?: # .+)?\s*$/;
const SUMMARY = /^(?:ℹ|#) (?:tests|suites|pass|fail|duration_ms) /;
const NOT_OK = /^(\s*)not ok \d+ - (.*?)(?: # (?:TODO|SKIP).*)?\s*$/;
const SUBTEST = /^(\s*)# Subtest: (.*?)\s*$/;
// A file that could not be loaded is a test of its own; what it died of stands above the report.
const FILE_TEST = /^\/?(?:[A-Za-z]:[\\/])?\S+\.[cm]?[jt]sx?$/;
const THROWN = /^(?:# )?((?:[A-Z]\w*)?Error(?: \[\w+\])?: .+)$/;
const PARENT = /failureType: 'subtestsFailed'|^\s*(?:✖ )?'?\d+ subtests? failed'?$/;
const THRESHOLD = /^(?:ℹ|#) (Error: [\d.]+% \w+ coverage does not meet threshold of [\d.]+%\.)/;

export const nodeTest: Tool = {
  name: "node --test",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => {
    const call = programOf(command);
    return (call?.program === "node" || call?.program === "tsx") && call.args.some(({ value }) => value === "--test");
  },
  read: (step) => {
    const lines = bareLines(step);
    const isReport = lines.some(
      ({ text }) => SUMMARY.test(text) || FAILING_TESTS.test(text) || text === "TAP version 13",
    );
    if (!isReport) return [];
    const spec = readSpec(lines);
    const tests = spec.length > 0 ? spec : readTap(lines);
    const thrown = readThrown(lines);
    return [...tests.map((test) => withThrownError(test, thrown)), ...readThresholds(lines)];
  },
  /** The failing files instead of the patterns that the command names. */
  narrow: (command, diagnostics) => {
    const call = programOf(command);
    const files = failedTestFiles(diagnostics);
    if (call?.program !== "node" || files === null) return null;
    const at = call.args.findIndex(({ value }) => value === "--test");
    if (at < 0) return null;
    // Everything up to `--test` and its own options stay; patterns after it go.
    const kept = call.args.filter(({ value }, i) => i <= at || value.startsWith("--test"));
    return withArgs(call, [...kept.map(({ raw }) => raw), ...files.map(quoteWord)]);
  },
};

interface Thrown {
  readonly number: number;
  readonly message: string;
  readonly below: readonly string[];
}

// More files than this do not fail to load for reasons of their own.
const MAX_THROWN = 100;
const STACK_LINES = 20;

/** Errors that no test caught, with their stacks. */
function readThrown(lines: readonly LogLine[]): readonly Thrown[] {
  const found: Thrown[] = [];
  for (const [index, { number, text }] of lines.entries()) {
    const message = THROWN.exec(text)?.[1];
    if (message === undefined) continue;
    const below = lines.slice(index + 1, index + 1 + STACK_LINES).map((line) => line.text.replace(/^# /, ""));
    found.push({ number, message, below });
    if (found.length === MAX_THROWN) break;
  }
  return found;
}

/** `test failed` says nothing: the first uncaught error whose stack names the file does. */
function withThrownError(test: Diagnostic, thrown: readonly Thrown[]): Diagnostic {
  const file = test.location?.file;
  if (file === undefined || !/^'?test failed'?$/.test(test.message)) return test;
  const reason = thrown.find(({ below }) => below.some((text) => text.includes(file)));
  if (!reason) return test;
  const frame = reason.below.map(readJsFrame).find((found) => found !== null);
  return {
    ...test,
    message: reason.message,
    lines: [...new Set([reason.number, ...test.lines])].sort((a, b) => a - b),
    location: frame ? frameLocation(frame) : (test.location ?? null),
    category: testCategory(reason.message, { expected: null, actual: null }),
  };
}

/** The list under `✖ failing tests:`; the crosses of the running report when the log was cut before it. */
function readSpec(lines: readonly LogLine[]): Diagnostic[] {
  const list = lines.findIndex(({ text }) => FAILING_TESTS.test(text));
  const from = list < 0 ? 0 : list + 1;
  const found: Diagnostic[] = [];
  let place: { readonly file: string; readonly line: number; readonly col: number } | null = null;
  for (let i = from; i < lines.length; i++) {
    const line = lines[i];
    if (!line) break;
    const at = TEST_AT.exec(line.text);
    if (at?.[1]) place = { file: relativePath(at[1]) ?? at[1], line: Number(at[2]), col: Number(at[3]) };
    const cross = CROSS.exec(line.text);
    const name = cross?.[2];
    if (name === undefined || FAILING_TESTS.test(line.text)) continue;
    const depth = cross?.[1]?.length ?? 0;
    let end = i + 1;
    while (end < lines.length && isDeeper(lines[end]?.text ?? "", depth)) end++;
    const body = lines.slice(i + 1, end);
    // A suite fails because of its tests, and a cross without a body in the running report is told again below.
    const isParent = body.some(({ text }) => PARENT.test(text)) || !body.some(({ text }) => text.trim() !== "");
    if (!isParent) found.push(toDiagnostic(line, name, place, body));
    i = end - 1;
    place = null;
  }
  return found;
}

function isDeeper(text: string, depth: number): boolean {
  if (text.trim() === "") return true;
  return text.length - text.trimStart().length > depth && !CROSS.test(text);
}

/** TAP: `not ok` with a YAML block; parents come after their tests, names in `# Subtest:` lines before. */
function readTap(lines: readonly LogLine[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  const names: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (!line) break;
    const subtest = SUBTEST.exec(line.text);
    if (subtest) names.splice((subtest[1]?.length ?? 0) / 4, names.length, subtest[2] ?? "");
    const failed = NOT_OK.exec(line.text);
    if (!failed) continue;
    const depth = failed[1]?.length ?? 0;
    let end = i + 1;
    while (end < lines.length && !/^\s*\.\.\.$/.test(lines[end]?.text ?? "") && isDeeper(lines[end]?.text ?? "", depth))
      end++;
    const body = lines.slice(i + 1, end);
    const isTodo = / # TODO/.test(line.text);
    const path = [...names.slice(0, depth / 4), failed[2] ?? ""].filter(
      (name) => name !== "" && !/^\S+\.[cm]?[jt]s$/.test(name),
    );
    if (!isTodo && !body.some(({ text }) => PARENT.test(text)))
      found.push(toDiagnostic(line, path.join(" > "), null, body));
    i = end - 1;
  }
  return found;
}

function toDiagnostic(
  title: LogLine,
  name: string,
  place: Diagnostic["location"] | null,
  body: readonly LogLine[],
): Diagnostic {
  const error = readNodeError(body);
  const own = place ?? error.testAt;
  const inTest = error.stack.find(({ file }) => own !== null && own !== undefined && file === own.file);
  const thrown = error.stack[0];
  const location = inTest ?? thrown;
  return {
    message: error.message || name,
    lines: [...new Set([title.number, ...error.lines])].slice(0, MAX_QUOTED),
    rule: error.code,
    testId: name === "" || FILE_TEST.test(name) ? null : name,
    location: location ? { file: location.file, line: location.line, col: null } : (own ?? null),
    expected: error.expected,
    actual: error.actual,
    stack: error.stack,
    category: error.category,
  };
}

function readThresholds(lines: readonly LogLine[]): Diagnostic[] {
  return lines.flatMap(({ number, text }): Diagnostic[] => {
    const message = THRESHOLD.exec(text)?.[1];
    return message === undefined ? [] : [{ message, rule: "coverage", lines: [number], category: "test_failure" }];
  });
}
