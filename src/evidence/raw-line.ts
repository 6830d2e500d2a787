import { stripAnsi } from "../text/ansi.ts";

/** One line of a log, its dialect's wrapping taken off. */
export interface RawLine {
  /** Without timestamp, escapes, byte order mark and carriage returns. */
  readonly text: string;
  /** Before the escapes were taken out: GitHub prints the commands of a step in cyan. */
  readonly coloured: string;
  /** The runner's ISO timestamp, null where the dialect has none. */
  readonly at: string | null;
  /** From `gh run view --log`: the job and the step the line belongs to; null elsewhere. */
  readonly job: string | null;
  readonly step: string | null;
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z) ?/;
// Job, step, timestamp. Terminals and copies turn the tabs into runs of spaces.
const GH_VIEW = /^([^\t\n]{1,300}?)(?:\t| {2,})([^\t\n]{1,500}?)(?:\t| {2,})\uFEFF?(?=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)/;

const VIEW_GAP = /^[^\n]{1,800}?(?:\t| {2})\uFEFF?\d{4}-\d\d-\d\dT/;

/** Reads one line of any dialect. Linear; never throws. */
export function readRawLine(line: string): RawLine {
  const bare = line.startsWith("\uFEFF") ? line.slice(1) : line;
  const stamped = TIMESTAMP.exec(bare);
  if (stamped) return unwrap(bare.slice(stamped[0].length), stamped[1] ?? null, null, null);
  const viewed = VIEW_GAP.test(bare) ? GH_VIEW.exec(bare.slice(0, 1_000)) : null;
  if (!viewed) return unwrap(bare, null, null, null);
  const rest = bare.slice(viewed[0].length);
  const time = TIMESTAMP.exec(rest);
  return unwrap(rest.slice(time?.[0].length ?? 0), time?.[1] ?? null, viewed[1] ?? null, viewed[2] ?? null);
}

function unwrap(text: string, at: string | null, job: string | null, step: string | null): RawLine {
  const coloured = lastOverprint(text);
  return { text: stripAnsi(coloured), coloured, at, job, step };
}

/** Progress bars print over themselves: what stands after the last carriage return is what a terminal shows. */
function lastOverprint(text: string): string {
  if (!text.includes("\r")) return text;
  const trimmed = text.replace(/\r+$/, "");
  return trimmed.slice(trimmed.lastIndexOf("\r") + 1);
}
