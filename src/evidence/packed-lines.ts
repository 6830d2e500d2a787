import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { LogLine } from "../domain/ci-run.ts";

// Below this a pack saves less than it costs.
const MIN_CHARS = 32_000;

/** Hands out the lines; each call gives equal ones. */
export type LineStore = () => readonly LogLine[];

// Readers ask for the lines of one step several times in a row, then for another's.
let latest: { readonly store: LineStore; readonly lines: readonly LogLine[] } | null = null;

/**
 * Keeps a failed step's lines small until they are read: a run of 200 red jobs holds gigabytes otherwise. Logs shrink to a
 * tenth.
 */
export function packLines(lines: readonly LogLine[]): LineStore {
  const chars = lines.reduce((sum, { text }) => sum + text.length, 0);
  if (chars < MIN_CHARS) return () => lines;
  const texts = deflateRawSync(Buffer.from(lines.map(({ text }) => text).join("\n"), "utf8"), { level: 1 });
  const numbers = Float64Array.from(lines, ({ number }) => number);
  const store: LineStore = () => {
    if (latest?.store !== store) latest = { store, lines: unpack(texts, numbers) };
    return latest.lines;
  };
  return store;
}

function unpack(texts: Uint8Array, numbers: Float64Array): readonly LogLine[] {
  const all = inflateRawSync(texts).toString("utf8").split("\n");
  return all.map((text, at) => ({ number: numbers[at] ?? 0, text }));
}
