import type { LogLine } from "../domain/ci-run.ts";
import type { StackFrame } from "../domain/evidence.ts";
import { relativePath } from "./repository-path.ts";

/** One `Traceback (most recent call last):` with the error that ends it. */
export interface Traceback {
  /** The frames of the repository, the deepest last. */
  readonly frames: readonly TracebackFrame[];
  /** The line that names the error, when it is there. */
  readonly error: LogLine | null;
  readonly firstLine: number;
}

export interface TracebackFrame extends StackFrame {
  /** The `File "…"` line and the source under it. */
  readonly lines: readonly number[];
}

const START = /^(\s*(?:\|\s*)?)(?:\+ )?(?:Exception Group )?Traceback \(most recent call last\):$/;
const FRAME = /^\s*(?:\|\s*)?File "(.{1,500}?)", line (\d+)(?:, in (.+))?$/;
const CARETS = /^\s*[~^]+\s*$/;

/** Every traceback among these lines, chained ones each for itself, in their order. Linear. */
export function readTracebacks(lines: readonly LogLine[]): Traceback[] {
  const found: Traceback[] = [];
  for (let at = 0; at < lines.length; at++) {
    const start = lines[at];
    const indent = START.exec(start?.text ?? "")?.[1]?.length;
    if (start === undefined || indent === undefined) continue;
    const { frames, end } = readFrames(lines, at + 1, indent);
    const error = lines[end];
    const named = error !== undefined && error.text.trim() !== "" && !START.test(error.text) ? error : null;
    found.push({ frames, error: named, firstLine: start.number });
    at = named === null ? end - 1 : end;
  }
  return found;
}

/** The frames from here on; `end` is the first line that is as little indented as the traceback's own. */
function readFrames(
  lines: readonly LogLine[],
  from: number,
  indent: number,
): { readonly frames: TracebackFrame[]; readonly end: number } {
  const frames: TracebackFrame[] = [];
  let at = from;
  for (; at < lines.length; at++) {
    const { number, text } = lines[at] ?? { number: 0, text: "" };
    if (text.length - text.trimStart().length <= indent && text.trim() !== "") break;
    const frame = readFrame(text);
    if (frame === null) continue;
    const below = lines[at + 1];
    const source = below !== undefined && !FRAME.test(below.text) && !CARETS.test(below.text) ? [below.number] : [];
    frames.push({ ...frame, lines: [number, ...source] });
  }
  return { frames, end: at };
}

function readFrame(text: string): StackFrame | null {
  const match = FRAME.exec(text);
  const file = match?.[1] === undefined ? null : relativePath(match[1]);
  return file === null ? null : { file, line: Number(match?.[2]), fn: match?.[3] ?? null };
}
