import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { withArgs } from "./program-call.ts";
import { relativePath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import { quoteWord } from "./shell-words.ts";
import {
  failedTestFiles,
  MAX_QUOTED,
  placeOfFailure,
  readTestBody,
  type TestBody,
  testCategory,
} from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const FILE_FAILED =
  /^\s?FAIL\s+(?:\S+\s+)*?((?:[\w@.()[\]-]+[\\/])*[\w@.()[\]-]+\.[cm]?[jt]sx?)(?: \([\d.]+ m?s\))?(?: \([\d.]+ [MG]B heap size\))?\s*$/;
const FILE_PASSED = /^\s?PASS\s+\S/;
const BULLET = /^ {0,2}● (.+?)\s*$/;
// Bullets that carry output, not failures.
const OUTPUT = /^(?:Console$|Cannot log after tests are done|Deprecation Warning)/;
const SUITE = "Test suite failed to run";
const CONFIG = /^Validation (?:Error|Warning)|^Multiple configurations found/;
const SUMMARY =
  /^(?:Test Suites|Tests|Snapshots|Time|Ran all test suites|Summary of all failing tests|Snapshot Summary|-+\|)/;
// What a suite that could not be loaded died of, below jest's advice: the error, and the source line under `file:line`.
const THROWN = /^\s*(?:\w*Error: |.+ - error TS\d+: |\S*[\\/]\S+\.[cm]?[jt]sx?:\d+$)/;
const AT_FILE = /^\s*\S*[\\/]\S+\.[cm]?[jt]sx?:\d+$/;
const SINGLE: readonly {
  readonly says: RegExp;
  readonly rule: string | null;
  readonly category: Diagnostic["category"];
}[] = [
  { says: /^(Jest: .*coverage threshold .* not met.*)$/, rule: "coverage", category: "test_failure" },
  { says: /^(No tests found, exiting with code 1.*)$/, rule: null, category: "configuration_error" },
  { says: /^(Error: Jest: Failed to parse .*|Preset .+ not found.*)$/, rule: null, category: "configuration_error" },
  { says: /^( › \d+ snapshots? obsolete.*)$/, rule: "obsolete-snapshot", category: "assertion_error" },
];

export const jest: Tool = {
  name: "jest",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => {
    const call = programOf(command);
    if (call?.program === "react-scripts" || call?.program === "craco") return call.args[0]?.value === "test";
    return call?.program === "jest" || call?.program === "jest-cli";
  },
  read: (step) => {
    const lines = bareLines(step);
    const blocks = readBlocks(lines);
    const singles = readSingles(lines);
    // Obsolete snapshots only turn a run red under `--ci` with nothing else wrong.
    return [...blocks, ...singles.filter(({ rule }) => rule !== "obsolete-snapshot" || blocks.length === 0)];
  },
  narrow: (command, diagnostics) => {
    const call = programOf(command);
    const files = failedTestFiles(diagnostics);
    if (call?.program !== "jest" || files === null) return null;
    // A plain word could be a pattern or an option's value: only commands made of `--flag` and `--flag=value` are safe.
    if (call.args.some(({ value }) => !value.startsWith("-"))) return null;
    return withArgs(call, [...call.args.map(({ raw }) => raw), "--runTestsByPath", ...files.map(quoteWord)]);
  },
};

function readBlocks(lines: readonly LogLine[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  const seen = new Set<string>();
  let header: { readonly file: string; readonly line: LogLine } | null = null;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (!line) break;
    const file = FILE_FAILED.exec(line.text)?.[1];
    if (file !== undefined) header = { file: relativePath(file) ?? file, line };
    else if (FILE_PASSED.test(line.text)) header = null;
    const title = BULLET.exec(line.text)?.[1];
    if (title === undefined) continue;
    const end = endOfBlock(lines, i + 1);
    const block = lines.slice(i + 1, end);
    const empty = block.every(({ text }) => text.trim() === "");
    if (!empty && !OUTPUT.test(title) && (header !== null || CONFIG.test(title))) {
      const body = readTestBody(block);
      // Many failures make jest print them all again under "Summary of all failing tests".
      const key = JSON.stringify([header?.file, title, body.message]);
      if (!seen.has(key)) found.push(toDiagnostic(title, line, header, body, block));
      seen.add(key);
    }
    i = end - 1;
  }
  return found;
}

function endOfBlock(lines: readonly LogLine[], from: number): number {
  let end = from;
  while (end < lines.length && !endsBlock(lines[end]?.text ?? "")) end++;
  return end;
}

function endsBlock(text: string): boolean {
  return (
    BULLET.test(text) || FILE_FAILED.test(text) || FILE_PASSED.test(text) || SUMMARY.test(text) || /^Jest: /.test(text)
  );
}

function toDiagnostic(
  title: string,
  line: LogLine,
  header: { readonly file: string; readonly line: LogLine } | null,
  body: TestBody,
  block: readonly LogLine[],
): Diagnostic {
  const suite = title === SUITE;
  const file = header?.file ?? null;
  const thrown = suite
    ? block.filter(({ text }, i) => THROWN.test(text) || AT_FILE.test(block[i - 1]?.text ?? ""))
    : [];
  const message = body.message || thrown[0]?.text.trim() || title;
  const said = [message, ...thrown.map(({ text }) => text.trim())].join("\n");
  const syntax = suite ? readSyntaxError(thrown) : null;
  const category = syntax ? "syntax_error" : categoryOf(title, said, body, suite);
  const numbers = [header?.line.number, line.number, ...body.lines, ...thrown.map(({ number }) => number)];
  return {
    message: syntax?.message ?? message,
    lines: [...new Set(numbers.filter((number) => number !== undefined))].sort((a, b) => a - b).slice(0, MAX_QUOTED),
    testId: suite || CONFIG.test(title) ? null : title.replaceAll(" › ", " > "),
    location: syntax?.location ?? placeOfFailure(body, file, category),
    expected: body.expected,
    actual: body.actual,
    stack: body.stack,
    category,
  };
}

/** Babel's `SyntaxError: FILE: Unexpected token (1:24)` in a file of the repository: not a matter of settings. */
function readSyntaxError(thrown: readonly LogLine[]): { readonly message: string; readonly location: Location } | null {
  for (const { text } of thrown) {
    const match = /^\s*SyntaxError: (\S+?): (.+) \((\d+):(\d+)\)$/.exec(text);
    const file = match?.[1] === undefined ? null : relativePath(match[1]);
    if (!match || file === null) continue;
    return { message: `SyntaxError: ${match[2]}`, location: { file, line: Number(match[3]), col: Number(match[4]) } };
  }
  return null;
}

function categoryOf(title: string, said: string, body: TestBody, suite: boolean): NonNullable<Diagnostic["category"]> {
  if (CONFIG.test(title)) return "configuration_error";
  // Syntax that jest cannot read is the transform's setting: the file is usually sound.
  if (suite && /Jest encountered an unexpected token/.test(said)) return "configuration_error";
  const category = testCategory(said, body);
  return suite && category === "test_failure" ? "runtime_error" : category;
}

function readSingles(lines: readonly LogLine[]): Diagnostic[] {
  return lines.flatMap(({ number, text }): Diagnostic[] => {
    for (const { says, rule, category } of SINGLE) {
      const message = says.exec(text)?.[1]?.trim();
      if (message !== undefined) return [{ message, lines: [number], rule, ...(category ? { category } : {}) }];
    }
    return [];
  });
}
