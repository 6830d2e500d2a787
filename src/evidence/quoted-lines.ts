import type { Failure } from "../domain/evidence.ts";

/** A line of the log as it is quoted; `number` null marks a gap. */
export interface QuotedLine {
  readonly number: number | null;
  readonly text: string;
}

const MAX_LINE = 200;

/** The lines that say why, with their numbers, at most `max` of them. The excerpt's text is redacted, its lines are the failure's. */
export function quotedLines(failure: Pick<Failure, "excerpt" | "lines">, max: number): readonly QuotedLine[] {
  const texts = failure.excerpt.split("\n").filter((text) => text !== "…");
  const quoted: QuotedLine[] = [];
  for (const [at, text] of texts.slice(0, max).entries()) {
    const number = failure.lines[at] ?? null;
    const before = failure.lines[at - 1];
    if (number !== null && before !== undefined && number > before + 1) quoted.push({ number: null, text: "…" });
    quoted.push({ number, text: text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}…` : text });
  }
  if (texts.length > max) quoted.push({ number: null, text: `… ${texts.length - max} more lines` });
  return quoted;
}
