import type { LogLine } from "../domain/ci-run.ts";
import type { StackFrame } from "../domain/evidence.ts";
import { relativePath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

// vstest's console sets the time in brackets, Microsoft.Testing.Platform in parentheses.
const TIME = String.raw`(?:< )?[\d.,]+ ?m?s(?: [\d.,]+ ?m?s)*`;
const FAILED = new RegExp(`^\\s{0,4}(?:Failed|failed|X) (\\S.*?) (?:\\[${TIME}\\]|\\(${TIME}\\))$`);
const XUNIT = /^(?:\[xUnit\.net [\d:.]+\])?\s+(\S.*?) \[FAIL\]$/;
const XUNIT_LINE = /^\[xUnit\.net [\d:.]+\]\s{2,}/;
const MESSAGE = /^\s*Error Message:$/;
const STACK = /^\s*Stack Trace:$/;
const FRAME = /^\s*(?:at .+? in (.+?):line (\d+)|(\S.*?)\((\d+),\d+\): at .+)\s*$/;
const ENDS =
  /^\s*(?:Standard (?:Output|Error) Messages:|Passed |Failed |Skipped |Passed!|Failed!|Test Run |Total tests:|Finished:|=== )|^\[xUnit\.net [\d:.]+\]\s+\S.* \[(?:FAIL|SKIP)\]/;
const CRASHED = /^(?:The active test run was aborted\. Reason: .+|Test host process crashed.*|Test Run Aborted\.?.*)$/;
const LABEL = /^\s*(?:Expected|But was|Actual):\s*/;
const MAX_BODY = 60;
const MAX_MESSAGE = 8;

/** Failed tests as vstest's console (xUnit, NUnit, MSTest) and xUnit's own runner print them. */
export function readVstest(lines: readonly LogLine[]): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const [at, line] of lines.entries()) {
    const test = FAILED.exec(line.text)?.[1] ?? XUNIT.exec(line.text)?.[1];
    if (test !== undefined) add(found, readTest(test, line, lines, at));
    else if (CRASHED.test(line.text)) add(found, crash(line));
  }
  return [...found.values()];
}

/** xUnit's adapter tells a failure while it runs and vstest once more: the fuller one stays, with the lines of both. */
function add(found: Map<string, Diagnostic>, one: Diagnostic): void {
  const key = one.testId ?? one.message;
  const known = found.get(key);
  if (known === undefined) return void found.set(key, one);
  const fuller = known.location != null || known.message !== key ? known : one;
  found.set(key, { ...fuller, lines: [...known.lines, ...one.lines].slice(0, 40) });
}

function crash({ number, text }: LogLine): Diagnostic {
  return { message: text.trim(), lines: [number], location: null, category: "runtime_error" };
}

function readTest(test: string, head: LogLine, lines: readonly LogLine[], at: number): Diagnostic {
  const said: LogLine[] = [];
  const frames: { readonly line: LogLine; readonly frame: StackFrame }[] = [];
  let inStack = false;
  for (const line of lines.slice(at + 1, at + 1 + MAX_BODY)) {
    const text = line.text.replace(XUNIT_LINE, "      ");
    if (ENDS.test(line.text) || FAILED.test(line.text) || XUNIT.test(line.text)) break;
    if (MESSAGE.test(text)) continue;
    if (STACK.test(text)) {
      inStack = true;
      continue;
    }
    const frame = readFrame(text);
    if (frame !== null) frames.push({ line, frame });
    else if (!inStack && !/^\s*at /.test(text) && text.trim() !== "" && said.length < MAX_MESSAGE) said.push(line);
  }
  const message = said.map(({ text }) => text.replace(XUNIT_LINE, "").trim()).join("\n");
  const category = classOf(message);
  // Helpers that compare stand above the test's own frame; what crashed stands first.
  const inTest = frames.find(({ frame }) => /(?:Tests?|Spec)\.\w+$/.test(frame.file));
  const own = (category === "runtime_error" ? undefined : inTest) ?? frames[0];
  return {
    message: (message || test).slice(0, 1_000),
    testId: test,
    lines: [head, ...said, ...(own ? [own.line] : [])].map(({ number }) => number),
    location: own ? { file: own.frame.file, line: own.frame.line, col: null } : null,
    stack: frames.map(({ frame }) => frame),
    ...sides(said.map(({ text }) => text.replace(XUNIT_LINE, ""))),
    category,
  };
}

function readFrame(text: string): StackFrame | null {
  const [, vstest, vstestLine, own, ownLine] = FRAME.exec(text) ?? [];
  const path = vstest ?? own;
  const file = path === undefined ? null : relativePath(path);
  return file === null ? null : { file, line: Number(vstestLine ?? ownLine), fn: null };
}

function sides(said: readonly string[]): Pick<Diagnostic, "expected" | "actual"> {
  const after = (says: RegExp): string | null => {
    const line = said.find((text) => says.test(text));
    return line === undefined ? null : line.replace(LABEL, "");
  };
  const expected = after(/^\s*Expected:\s/);
  const actual = after(/^\s*(?:Actual|But was):\s/);
  return expected === null || actual === null ? {} : { expected, actual };
}

function classOf(message: string): NonNullable<Diagnostic["category"]> {
  if (/^\s*(?:Assert\.|Assert\w*|Expected|Shouldly|.*\bshould\b)|Assertion|AssertFailed|Expected:/m.test(message))
    return "assertion_error";
  return /^\S*(?:Exception|Error)\b/m.test(message) ? "runtime_error" : "test_failure";
}
