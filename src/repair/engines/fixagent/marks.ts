import type { LooseEdit } from "../../../text/loose-diff.ts";
import { placeEdits } from "../../../text/place-hunks.ts";
import { marksFor, readMark } from "./comment-syntax.ts";

/** A text with marks in it. */
export interface Marked {
  readonly text: string;
  readonly count: number;
}

/** Marks by line number, for formats that have no comments. */
export interface LineMark {
  readonly line: number;
  readonly kind: "buggy" | "missing";
  readonly infill: string | null;
}

/**
 * Moves the marks of a model's answer onto the original text (papers §3.2): by the lines and their neighbours, for the
 * model may have changed, cut or renumbered what it copied. Null when no mark found its place.
 */
export function transplantMarks(original: string, answer: string): Marked | null {
  const lines = answer.replace(/\r\n/g, "\n").split("\n").map(readMark);
  const plain = (part: typeof lines): string[] => part.filter(({ kind }) => kind !== "missing").map(({ text }) => text);
  const source = answer.replace(/\r\n/g, "\n").split("\n");
  const edits = lines.flatMap(({ kind, text }, at): LooseEdit[] => {
    if (kind === null) return [];
    const around = { before: plain(lines.slice(0, at)).reverse(), after: plain(lines.slice(at + 1)) };
    const added = [source[at] ?? ""];
    // Each mark stands for itself: they come in the order of the text.
    return [{ hunk: at, removed: kind === "buggy" ? [text] : [], added, ...around }];
  });
  const { text, placed } = placeEdits(original, edits);
  return placed === 0 ? null : { text, count: placed };
}

/** A text with its lines numbered, as formats without comments are shown. */
export function numbered(text: string): string {
  const lines = text.replace(/\n$/, "").split("\n");
  const width = String(lines.length).length;
  return lines.map((line, index) => `${String(index + 1).padStart(width)} | ${line}`).join("\n");
}

/** The same in numbers: the marks below the numbered text. Null when none points to a line. */
export function markByLine(original: string, marks: readonly LineMark[]): Marked | null {
  const count = original.replace(/\n$/, "").split("\n").length;
  const inside = marks.filter(({ line }) => line >= 1 && line <= count);
  if (inside.length === 0) return null;
  const said = inside.map(({ line, kind, infill }) =>
    kind === "buggy" ? `line ${line} is wrong` : `behind line ${line} something is missing: ${infill ?? "?"}`,
  );
  return { text: `${numbered(original)}\n\n${said.join("\n")}`, count: inside.length };
}

/** Whether a file is marked by comments or by line numbers. */
export function marksByComment(path: string): boolean {
  return marksFor(path) !== null;
}
