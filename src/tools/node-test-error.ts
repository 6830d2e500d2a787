import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location, StackFrame } from "../domain/evidence.ts";
import { relativePath } from "./repository-path.ts";
import { isJsFrame, readJsFrame, toStackFrame } from "./stack-frames.ts";
import { testCategory } from "./test-report.ts";

/** The error under one failing test of node's own runner, in its spec or its TAP form. */
export interface NodeError {
  readonly message: string;
  readonly lines: readonly number[];
  readonly code: string | null;
  readonly expected: string | null;
  readonly actual: string | null;
  readonly stack: readonly StackFrame[];
  /** `location:` of the TAP block: where the test is written. */
  readonly testAt: Location | null;
  readonly category: FailureClass;
}

const FIELD = /^\s*(location|failureType|code|name|expected|actual|error): (.*?),?\s*$/;
const BLOCK_START = /^[|>]-?$/;
const OTHER_FIELD =
  /^\s*(?:duration_ms|type|exitCode|signal|stack|operator|generatedMessage|diff|cause|errno|syscall|at):?(?: |$)/;
// node's frames in a TAP block have no `at `.
const TAP_FRAME = /^\s*(?:(?:async )?(\S.*?) \()?(?:file:\/\/)?((?:\/|[A-Za-z]:\\)[^():]+):(\d+):(\d+)\)?\s*$/;

/** Reads the lines under a `✖` or `not ok`. Quotes the message and the differing values, not the brackets around them. */
export function readNodeError(body: readonly LogLine[]): NodeError {
  const fields = new Map<string, string>();
  const message: string[] = [];
  const lines: number[] = [];
  const stack: StackFrame[] = [];
  let open: string | null = null;
  let inStack = false;
  for (const { number, text } of body) {
    if (/^\s*(?:---|\.\.\.|[{}[\]],?)?\s*$/.test(text)) continue;
    const js = readJsFrame(text);
    const frame = js ? toStackFrame(js) : inStack ? readTapFrame(text) : null;
    if (frame) {
      if (stack.length === 0) lines.push(number);
      stack.push(frame);
      open = null;
      continue;
    }
    if (isJsFrame(text)) {
      open = null;
      inStack = true;
      continue;
    }
    const [, name, value] = FIELD.exec(text) ?? [];
    if (name !== undefined && value !== undefined) {
      open = value === "" || BLOCK_START.test(value) ? name : null;
      inStack = false;
      if (open === null) fields.set(name, unquote(value));
      if (name === "error" && open === null) message.push(unquote(value));
      if (name === "expected" || name === "actual" || (name === "error" && open === null)) lines.push(number);
      continue;
    }
    if (OTHER_FIELD.test(text)) {
      open = null;
      inStack = /^\s*stack:/.test(text);
      continue;
    }
    if (inStack || stack.length > 0) continue;
    if (open === "expected" || open === "actual") {
      fields.set(open, `${fields.get(open) ?? ""}${text.trim()}\n`);
      continue;
    }
    message.push(text.trim());
    lines.push(number);
  }
  const said = message.join("\n").slice(0, 2_000);
  const code = /\[(ERR_\w+)\]/.exec(said)?.[1] ?? fields.get("code") ?? null;
  const expected = readValue(fields.get("expected"));
  const actual = readValue(fields.get("actual"));
  const words = [fields.get("name"), code, said].filter((word) => word !== undefined && word !== null).join(" ");
  return {
    message: said,
    lines,
    code,
    expected,
    actual,
    stack,
    testAt: readPlace(fields.get("location")),
    category: testCategory(words, { expected, actual }),
  };
}

function readTapFrame(text: string): StackFrame | null {
  const match = TAP_FRAME.exec(text);
  const file = match?.[2] === undefined ? null : relativePath(match[2]);
  return file === null ? null : { file, line: Number(match?.[3]), fn: match?.[1] ?? null };
}

function readPlace(text: string | undefined): Location | null {
  const match = /^(.+?):(\d+):(\d+)$/.exec(text ?? "");
  const file = match?.[1] === undefined ? null : relativePath(match[1]);
  return file === null ? null : { file, line: Number(match?.[2]), col: Number(match?.[3]) };
}

/** `undefined` on either side is no value worth comparing: node prints it for every assertion without one. */
function readValue(value: string | undefined): string | null {
  const trimmed = value?.trim() ?? "";
  return trimmed === "" || trimmed === "undefined" ? null : trimmed;
}

function unquote(value: string): string {
  return value.replace(/^'(.*)'$/, "$1").replace(/^"(.*)"$/, "$1");
}
