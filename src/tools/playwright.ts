import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import { MAX_QUOTED, readTestBody, testCategory } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const TEST = String.raw`(?:\[([^\]]{1,100})\] › )?(\S.{0,300}?\.[cm]?[jt]sx?):(\d+):(\d+) › (\S.*?)(?: [─━]+)?\s*$`;
const HEAD = new RegExp(String.raw`^\s{0,6}\d+\) ${TEST}`);
const SUMMARY = new RegExp(String.raw`^\s{4,}${TEST}`);
const COUNT = /^\s+\d+ (failed|flaky|passed|skipped|did not run|interrupted)\b/;
const RETRY = /^\s*Retry #\d+/;
// What was attached, and how to look at it.
const ATTACHED = /^\s*(?:attachment #\d+:|Error Context: |Usage:$)/;
const MISSING =
  /^\s*║? *(?:Error: )?(browserType\.launch: .*|Executable doesn't exist at .*|Error: No tests found.*|Error: Timed out waiting \d+ms from config\.webServer.*|Error: Process from config\.webServer .*)$/;

export const playwright: Tool = {
  name: "playwright",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => runs(command, ["playwright"]) && programOf(command)?.args[0]?.value !== "install",
  /** One diagnostic a failed test with its first attempt; tests that passed when tried again are left out. */
  read: (step) => {
    const lines = bareLines(step);
    const flaky = flakyTests(lines);
    const failed = readTests(lines).filter(({ testId }) => !flaky.has(testId));
    return failed.length > 0 ? failed : readStart(lines);
  },
};

type TestDiagnostic = Diagnostic & { readonly testId: string };

function idOf(match: RegExpExecArray): string {
  const [, project, file = "", , , title = ""] = match;
  return `${project === undefined ? "" : `[${project}] `}${repositoryPath(file) ?? file} > ${title.replaceAll(" › ", " > ")}`;
}

/** What the summary lists under `N flaky`. */
function flakyTests(lines: readonly LogLine[]): ReadonlySet<string> {
  const found = new Set<string>();
  let count: string | null = null;
  for (const { text } of lines) {
    count = COUNT.exec(text)?.[1] ?? count;
    const listed = count === "flaky" && !HEAD.test(text) ? SUMMARY.exec(text) : null;
    if (listed !== null) found.add(idOf(listed));
  }
  return found;
}

function readTests(lines: readonly LogLine[]): TestDiagnostic[] {
  const found = new Map<string, TestDiagnostic>();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at];
    const match = HEAD.exec(line?.text ?? "");
    if (line === undefined || match === null) continue;
    let end = at + 1;
    while (end < lines.length && !isEnd(lines[end]?.text ?? "")) end++;
    const id = idOf(match);
    // Some reporters print a failure when it happens and once more at the end.
    if (!found.has(id)) found.set(id, readTest(line, match, lines.slice(at + 1, end), id));
    at = end - 1;
  }
  return [...found.values()];
}

function isEnd(text: string): boolean {
  return HEAD.test(text) || RETRY.test(text) || ATTACHED.test(text) || COUNT.test(text) || text.startsWith("##[");
}

function readTest(head: LogLine, match: RegExpExecArray, body: readonly LogLine[], testId: string): TestDiagnostic {
  const [, , file = "", line, col, title = ""] = match;
  const said = readTestBody(body);
  const declared = { file: repositoryPath(file) ?? file, line: Number(line), col: Number(col) };
  return {
    message: said.message || title,
    testId,
    lines: [head.number, ...said.lines].slice(0, MAX_QUOTED),
    location: said.location ?? declared,
    expected: said.expected,
    actual: said.actual,
    stack: said.stack,
    category: testCategory(said.message, said),
  };
}

/** Playwright did not get to testing: no browser, no server, no tests. */
function readStart(lines: readonly LogLine[]): Diagnostic[] {
  for (const { number, text } of lines) {
    const message = MISSING.exec(text)?.[1];
    if (message === undefined) continue;
    const category = /No tests found/.test(message) ? "configuration_error" : "environment_error";
    return [{ message: message.trim(), rule: "start", lines: [number], location: null, category }];
  }
  return [];
}
