import type { Location, StackFrame } from "../domain/evidence.ts";
import { relativePath } from "./repository-path.ts";
import { readJsFrame } from "./stack-frames.ts";

const PYTHON = /^\s*File "(.+?)", line (\d+)(?:, in (.+))?$/;
const JVM =
  /^\s*at (?:[\w.-]+(?:@[\w.]+)?\/\/?)?((?:[\w$]+\.)+)([\w$<>]+)\(([\w$]+\.(?:java|kt|groovy|scala)):(\d+)\)$/;
const JVM_FOREIGN =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|org\.(?:junit|gradle|apache\.maven|opentest4j|hamcrest|assertj|mockito|springframework|codehaus|testng|hibernate)|worker\.org)\./;
const ANY = /^\s*(?:at |File ".+", line \d+|#\d+ |❯ )/;

/** A line of a stack trace. `frame` is null when it lies in somebody else's code. */
export interface FrameLine {
  readonly frame: (StackFrame & { readonly location: Location }) | null;
}

/** Reads a line of a JavaScript, Python or JVM stack trace; null when it is none. JVM files are package paths. */
export function readFrameLine(text: string): FrameLine | null {
  if (!ANY.test(text)) return null;
  const js = readJsFrame(text);
  if (js)
    return {
      frame: { file: js.file, line: js.line, fn: js.fn, location: { file: js.file, line: js.line, col: js.col } },
    };
  return readPython(text) ?? readJvm(text) ?? { frame: null };
}

function readPython(text: string): FrameLine | null {
  const match = PYTHON.exec(text);
  if (!match?.[1]) return null;
  const file = relativePath(match[1]);
  if (file === null) return { frame: null };
  const line = Number(match[2]);
  return { frame: { file, line, fn: match[3] ?? null, location: { file, line, col: null } } };
}

function readJvm(text: string): FrameLine | null {
  const match = JVM.exec(text);
  if (!match?.[1] || !match[3]) return null;
  if (JVM_FOREIGN.test(match[1])) return { frame: null };
  const packages = match[1].split(".").filter((part) => /^[a-z]/.test(part));
  const file = [...packages, match[3]].join("/");
  const line = Number(match[4]);
  return { frame: { file, line, fn: match[2] ?? null, location: { file, line, col: null } } };
}
