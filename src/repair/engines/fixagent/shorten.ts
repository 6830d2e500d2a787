import type { LineRange } from "../../../domain/experience.ts";
import { countTokens } from "../../../text/tokens.ts";

/** Code made to fit, and what had to go for it. */
export interface Shortened {
  readonly code: string;
  /** In words, "" when nothing went. */
  readonly without: string;
  /** It fits. */
  readonly fits: boolean;
}

/**
 * Code within so many tokens (papers §3.2: comments go first, then imports and indentation, then what did not run). Lines
 * that stay are the original's, so that what a model says of them finds its place.
 */
export function shorten(code: string, limit: number, ran: readonly LineRange[] | null): Shortened {
  const all = code.split("\n").map((text, index) => ({ text, number: index + 1 }));
  let lines = all;
  const gone: string[] = [];
  for (const { what, drop } of STEPS) {
    const text = lines.map((line) => line.text).join("\n");
    if (countTokens(text) <= limit) return { code: text, without: gone.join(", "), fits: true };
    const next = drop(lines, ran);
    if (next.length < lines.length || next.some(({ text: now }, at) => now !== lines[at]?.text)) gone.push(what);
    lines = next;
  }
  const text = lines.map((line) => line.text).join("\n");
  return { code: text, without: gone.join(", "), fits: countTokens(text) <= limit };
}

interface Numbered {
  readonly text: string;
  readonly number: number;
}

interface Step {
  readonly what: string;
  readonly drop: (lines: readonly Numbered[], ran: readonly LineRange[] | null) => Numbered[];
}

const COMMENT_LINE = /^\s*(?:\/\/|#(?!!|include|define|if|endif)|\*(?:\s|\/|$)|\/\*.*\*\/\s*$|\/\*+\s*$|--\s)/;
const IMPORT_LINE =
  /^\s*(?:import\s|from\s+\S+\s+import\s|use\s+[\w:]|using\s+[\w.]|package\s|require(?:_relative)?\s|#include\s|(?:const|let|var)\s.*=\s*require\()/;

const STEPS: readonly Step[] = [
  { what: "comments", drop: (lines) => lines.filter(({ text }) => text.trim() !== "" && !COMMENT_LINE.test(text)) },
  { what: "imports", drop: (lines) => lines.filter(({ text }) => !IMPORT_LINE.test(text)) },
  {
    what: "indentation",
    drop: (lines) =>
      lines.map((line) => ({
        ...line,
        text: line.text.replace(/^(?: {4}|\t)+/, (all) => " ".repeat(Math.ceil(all.length / 4))),
      })),
  },
  {
    what: "lines that did not run",
    drop: (lines, ran) =>
      ran === null
        ? [...lines]
        : lines.filter(({ number }) => ran.some(({ start, end }) => number >= start && number <= end)),
  },
];
