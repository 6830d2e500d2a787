import type { Location, StackFrame } from "../domain/evidence.ts";
import { relativePath } from "./repository-path.ts";

/** One frame of a JavaScript stack, as V8 (`at f (a.js:1:2)`) or vitest (`❯ f a.ts:1:2`) writes it. */
export interface JsFrame extends StackFrame {
  readonly col: number | null;
}

const V8 = /^\s*at (?:(?:async )?(.+?) \()?(?:file:\/\/)?((?:[A-Za-z]:[\\/])?[^\s():][^():]*?):(\d+):(\d+)\)?\s*$/;
const VITEST = /^\s*❯ (?:(\S.*?) )?((?:[A-Za-z]:[\\/])?[^\s():][^\s:]*):(\d+):(\d+)\s*$/;

/** The frame in a line, or null when there is none or it lies outside the repository. */
export function readJsFrame(text: string): JsFrame | null {
  const match = V8.exec(text) ?? VITEST.exec(text);
  if (!match) return null;
  const file = relativePath(match[2] ?? "");
  if (file === null) return null;
  return { file, line: Number(match[3]), col: Number(match[4]), fn: match[1]?.trim() ?? null };
}

/** Whether a line is a stack frame at all, of whatever owner. */
export function isJsFrame(text: string): boolean {
  return (
    V8.test(text) ||
    VITEST.test(text) ||
    /^\s*at .+\((?:node:|<anonymous>|native)/.test(text) ||
    /^\s*at node:/.test(text)
  );
}

/** A frame without its column, as failures keep it. */
export function toStackFrame({ file, line, fn }: JsFrame): StackFrame {
  return { file, line, fn };
}

/** Where a frame points. */
export function frameLocation({ file, line, col }: JsFrame): Location {
  return { file, line, col };
}
