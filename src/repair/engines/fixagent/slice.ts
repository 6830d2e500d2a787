/** 1-based, both ends included. */
export interface Slice {
  readonly start: number;
  readonly end: number;
  readonly anchoredBy: "both" | "start" | "end";
}

// papers §3.2: a segment of 50 to 100 lines, ten more on each side, fifty where only one end is found.
const MARGIN = 10;
const ONE_ENDED = 50;
const LONGEST = 100;

/**
 * The piece of a text that begins and ends with these lines, found by text and never by number. Null when neither stands
 * there exactly once.
 */
export function anchorSlice(text: string, first: string, last: string): Slice | null {
  const lines = text.replace(/\n$/, "").split("\n");
  const [from, to] = [onlyLine(lines, first), onlyLine(lines, last)];
  const within = (start: number, end: number): { start: number; end: number } => ({
    start: Math.max(1, start),
    end: Math.min(lines.length, end),
  });
  if (from !== null && to !== null && to >= from && to - from < LONGEST) {
    return { ...within(from - MARGIN, to + MARGIN), anchoredBy: "both" };
  }
  if (from !== null) return { ...within(from - MARGIN, from + ONE_ENDED - 1), anchoredBy: "start" };
  if (to !== null) return { ...within(to - ONE_ENDED + 1, to + MARGIN), anchoredBy: "end" };
  return null;
}

function onlyLine(lines: readonly string[], wanted: string): number | null {
  const key = wanted.trim();
  if (key === "") return null;
  const found = lines.flatMap((line, index) => (line.trim() === key ? [index + 1] : []));
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The lines of a slice. */
export function cut(text: string, { start, end }: Pick<Slice, "start" | "end">): string {
  return text
    .split("\n")
    .slice(start - 1, end)
    .join("\n");
}
