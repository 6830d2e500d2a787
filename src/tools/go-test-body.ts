import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location, StackFrame } from "../domain/evidence.ts";
import { relativePath } from "./repository-path.ts";

/** What the output of one failing Go test says. */
export interface GoTestBody {
  readonly message: string | null;
  readonly lines: readonly number[];
  readonly expected: string | null;
  readonly actual: string | null;
  readonly location: Location | null;
  readonly stack: readonly StackFrame[];
  readonly category: FailureClass;
}

/** `    cart_test.go:12: message`, as the testing package prints what a test logs. */
export const LOGGED = /^\s+([\w./\\@-]+\.go):(\d+): ?(.*)$/;

const SAYS_WRONG =
  /\b(?:got|want(?:ed)?|expect(?:ed)?|err(?:or)?|fail(?:ed|ure)?|mismatch|unexpected|not equal|diff|race|should|must|cannot|timed? ?out)\b/i;
const FRAME = /^\s+(\S+\.go):(\d+)(?: \+0x[\da-f]+)?$/;
// quicktest and testify put a title over each part; these parts say why, the others only where and what else.
const QUICKTEST = /^\s+(error|comment|got|want|stack|container|values|reason|[\w ]+):$/;
const TELLING = new Set(["error", "got", "want", "values", "reason"]);
const TESTIFY = /^\s+(Error Trace|Error|Test|Messages):\s+(\S.*)$/;
const TESTIFY_VALUE = /^\s+(expected|actual)\s*: (.*)$/;
const INLINE =
  /\bgot:?\s+(.+?)[,;]?\s+(?:but )?(?:want(?:ed)?|expected):?\s+(.+)$|\b(?:want(?:ed)?|expected):?\s+(.+?)[,;]?\s+(?:but )?got:?\s+(.+)$/i;

// What one logged message says is seldom longer; whole rendered pages are compared sometimes.
const MAX_BLOCK = 8;
const MAX_BLOCKS = 4;
const MAX_VALUE = 3;
// Title, both accesses and where their goroutines were started.
const MAX_RACE = 5;

/** How a report of the race detector opens. */
export const RACE = /^WARNING: DATA RACE$/;

interface Block {
  readonly head: LogLine;
  readonly file: string;
  readonly line: number;
  readonly said: string;
  readonly rest: readonly LogLine[];
}

/** Reads a test's output. `folder` is that of its package, relative to the repository where known: files are printed by their base name. */
export function readGoTestBody(body: readonly LogLine[], folder: string | null): GoTestBody {
  const all = blocksOf(body);
  // Tests log chatter through the same door: blocks that speak of failing, else the last one, which ended the test.
  const telling = all.filter(({ said, rest }) =>
    [said, ...rest.map(({ text }) => text)].some((text) => SAYS_WRONG.test(text)),
  );
  const blocks = (telling.length > 0 ? telling : all.slice(-1)).slice(0, MAX_BLOCKS);
  const parts = blocks.map(readBlock);
  const first = blocks[0];
  const inline = INLINE.exec(parts.map(({ message }) => message ?? "").join("\n"));
  const expected = parts.find((one) => one.expected !== null)?.expected ?? inline?.[2] ?? inline?.[3] ?? null;
  const actual = parts.find((one) => one.actual !== null)?.actual ?? inline?.[1] ?? inline?.[4] ?? null;
  const stack = framesIn(body);
  const message = parts[0]?.message ?? null;
  return {
    message,
    lines: [...raceIn(body), ...parts.flatMap(({ lines }) => lines)],
    expected,
    actual,
    location: first === undefined ? (stack[0] ? { ...stack[0], col: null } : null) : placeOf(first, stack, folder),
    stack: stack.map(({ file, line }) => ({ file, line, fn: null })),
    category: /^(?:panic|fatal error): /.test(message ?? "")
      ? "runtime_error"
      : expected !== null ||
          actual !== null ||
          /not equal|should|assert|mismatch|expected|\bwant\b/i.test(message ?? "")
        ? "assertion_error"
        : "test_failure",
  };
}

function blocksOf(body: readonly LogLine[]): readonly Block[] {
  const starts = body.flatMap(({ text }, at) => {
    const match = LOGGED.exec(text);
    return match === null ? [] : [{ at, match }];
  });
  return starts.flatMap(({ at, match }, i): Block[] => {
    const head = body[at];
    if (head === undefined) return [];
    const rest = body.slice(at + 1, starts[i + 1]?.at ?? body.length);
    return [{ head, file: match[1] ?? "", line: Number(match[2]), said: (match[3] ?? "").trim(), rest }];
  });
}

interface Part {
  readonly message: string | null;
  readonly lines: readonly number[];
  readonly expected: string | null;
  readonly actual: string | null;
}

function readBlock(block: Block): Part {
  if (block.rest.some(({ text }) => /^\s+Error Trace:/.test(text))) return readTestify(block);
  if (block.said === "" && block.rest.some(({ text }) => /^\s+(?:error|got):$/.test(text))) return readQuicktest(block);
  const rest = block.rest.filter(({ text }) => text.trim() !== "" && !FRAME.test(text)).slice(0, MAX_BLOCK);
  const message = [block.said, ...rest.map(({ text }) => text.trim())].filter((text) => text !== "").join("\n");
  return {
    message: message === "" ? null : message,
    lines: [block.head, ...rest].map(({ number }) => number),
    expected: null,
    actual: null,
  };
}

function readQuicktest({ head, rest }: Block): Part {
  const values = new Map<string, LogLine[]>();
  let title = "";
  for (const line of rest) {
    const named = QUICKTEST.exec(line.text)?.[1];
    if (named !== undefined && /^\s+[\w ]+:$/.test(line.text)) title = named;
    else if (TELLING.has(title) && line.text.trim() !== "") {
      const list = values.get(title) ?? [];
      if (list.length < MAX_VALUE) list.push(line);
      values.set(title, list);
    }
  }
  const textOf = (name: string): string | null =>
    values
      .get(name)
      ?.map(({ text }) => text.trim())
      .join("\n") ?? null;
  return {
    message: textOf("error"),
    lines: [head, ...[...values.values()].flat()].map(({ number }) => number),
    expected: textOf("want"),
    actual: textOf("got"),
  };
}

function readTestify({ head, rest }: Block): Part {
  const quoted = [head];
  const message: string[] = [];
  const values = new Map<string, string>();
  let title = "";
  for (const line of rest) {
    const [, named, said = ""] = TESTIFY.exec(line.text) ?? [];
    const [, side, value = ""] = TESTIFY_VALUE.exec(line.text) ?? [];
    if (named !== undefined) title = named;
    if (side !== undefined && !values.has(side)) values.set(side, value);
    if (named === "Error" || named === "Messages") message.push(said.trim().replace(/:$/, ""));
    if (side !== undefined || (named !== undefined && named !== "Test")) quoted.push(line);
    else if (named === undefined && title === "Error" && line.text.trim() !== "" && quoted.length < MAX_BLOCK) {
      // What is not a comparison goes on in the lines below its first.
      if (values.size === 0) quoted.push(line);
    }
  }
  return {
    message: message.length === 0 ? null : message.join(": "),
    lines: quoted.map(({ number }) => number),
    expected: values.get("expected") ?? null,
    actual: values.get("actual") ?? null,
  };
}

/** What the race detector reports stands above the verdict: its title and the frames of the repository. */
function raceIn(body: readonly LogLine[]): readonly number[] {
  const start = body.findIndex(({ text }) => RACE.test(text));
  if (start === -1) return [];
  const quoted = body.slice(start).filter(({ text }) => RACE.test(text) || framesIn([{ number: 0, text }]).length > 0);
  return quoted.slice(0, MAX_RACE).map(({ number }) => number);
}

/** Frames of the repository among the lines of a stack, in their order. */
export function framesIn(body: readonly LogLine[]): readonly { readonly file: string; readonly line: number }[] {
  const frames: { file: string; line: number }[] = [];
  for (const { text } of body) {
    const [, path, line] = FRAME.exec(text) ?? /Error Trace:\s+(\S+\.go):(\d+)$/.exec(text) ?? [];
    const file = path === undefined || /^_testmain\.go$/.test(path) ? null : relativePath(path);
    if (file !== null) frames.push({ file, line: Number(line) });
  }
  return frames.slice(0, 10);
}

function placeOf(
  { file, line }: Block,
  stack: readonly { readonly file: string; readonly line: number }[],
  folder: string | null,
): Location | null {
  const slashed = file.replaceAll("\\", "/");
  const framed = stack.find((frame) => frame.line === line && `/${frame.file}`.endsWith(`/${slashed}`));
  if (framed !== undefined) return { ...framed, col: null };
  // The testing package speaks for itself there.
  if (slashed === "testing.go") return stack[0] ? { ...stack[0], col: null } : null;
  const path = slashed.includes("/") || folder === null ? relativePath(slashed) : `${folder}/${slashed}`;
  return path === null ? null : { file: path.replace(/^\//, ""), line, col: null };
}
