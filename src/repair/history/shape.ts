import type { BugShape, FaultLocation, HistoryHeuristic } from "../../domain/fault.ts";

// Lines this near to each other are mended by one hunk of a diff (git's default of three lines of context).
const HUNK_GAP = 3;

/**
 * How far the fault spreads, by its located hunks and files (papers §2.5). What a tool or a person names is where the fault
 * is; of guesses out of a stack or a test only the best one counts, for the others are alternatives to it.
 */
export function shapeOf(locations: readonly FaultLocation[]): BugShape {
  const named = locations.filter(
    ({ source }) => source === "diagnostic" || source === "config_key" || source === "labelled",
  );
  const counted = named.length > 0 ? named : locations.slice(0, 1);
  if (new Set(counted.map(({ file }) => file)).size > 1) return "MFMH";
  const hunks = hunksOf(counted);
  if (hunks.length > 1) return "SFMH";
  const [only] = hunks;
  return only === undefined || only.start === only.end ? "SL" : "SH";
}

function hunksOf(locations: readonly FaultLocation[]): readonly { readonly start: number; readonly end: number }[] {
  const hunks: { start: number; end: number }[] = [];
  for (const { range } of [...locations].sort((a, b) => a.range.start - b.range.start)) {
    const last = hunks.at(-1);
    if (last !== undefined && range.start - last.end <= HUNK_GAP) last.end = Math.max(last.end, range.end);
    else hunks.push({ ...range });
  }
  return hunks;
}

/** What repaired most faults of a shape alone, and what repaired most of those that were left (papers §2.5: HA T4, Fig 6). */
export const HEURISTICS: Readonly<
  Record<BugShape, { readonly best: HistoryHeuristic; readonly other: HistoryHeuristic }>
> = {
  SL: { best: "fl_diff", other: "fn_pair" },
  SH: { best: "fn_pair", other: "fn_all" },
  SFMH: { best: "fl_diff", other: "fn_all" },
  MFMH: { best: "none", other: "fn_pair" },
};

/** The heuristic of an attempt, from 0: the switches' own, or the table's best and then the other of the pair. */
export function heuristicFor(
  shape: BugShape,
  attempt: number,
  history: "table" | HistoryHeuristic,
  retry: "table" | readonly HistoryHeuristic[],
): HistoryHeuristic {
  const { best, other } = HEURISTICS[shape];
  const first = history === "table" ? best : history;
  if (attempt <= 0) return first;
  if (retry !== "table") return retry[Math.min(attempt, retry.length) - 1] ?? first;
  if (history === "table") return attempt % 2 === 1 ? other : best;
  // Asked for one of the pair, the other view is the other one.
  return history === other ? best : other;
}
