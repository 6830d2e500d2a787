import { stripAnsi } from "../text/ansi.ts";

/** One line of a Travis log. */
export interface TravisLine {
  /** The command that starts here, null when none does. */
  readonly command: string | null;
  /** What a program printed, null for Travis's own marks. */
  readonly text: string | null;
  /** `The command "…" exited with N.` */
  readonly exit: { readonly code: number } | null;
}

// Marks stand before the text on the same line, each ended by a carriage return and an erase sequence.
const MARKS =
  /travis_(?:fold:(?:start|end):[\w.:-]+|time:(?:start:[0-9a-f]+|end:[0-9a-f]+:[\w=,.]*))\r?(?:\u001b\[0K)?/g;
const EXITED = /^The command "[\s\S]{0,4000}" (?:exited with|failed and exited with) (\d+)\b/;

/** Reads a line of a Travis log: commands follow a time or fold mark, or an erase sequence, as `$ command`. */
export function readTravisLine(line: string): TravisLine {
  const marked = line.includes("travis_");
  const bare = stripAnsi(line.replace(MARKS, "")).replace(/\r+$/, "");
  const text = bare.slice(bare.lastIndexOf("\r") + 1);
  if (marked && text.startsWith("$ ")) return { command: text.slice(2), text: null, exit: null };
  const code = EXITED.exec(text)?.[1];
  if (code !== undefined) return { command: null, text, exit: { code: Number(code) } };
  return { command: null, text: marked && text === "" ? null : text, exit: null };
}
