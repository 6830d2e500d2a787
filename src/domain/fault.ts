import type { LineRange } from "./experience.ts";

/** Where the fault may lie (papers §2.2). */
export interface FaultLocation {
  readonly file: string;
  readonly range: LineRange;
  /** Nothing stands there yet that could be wrong: code is missing behind `range.start`. Left out where it is not so. */
  readonly insertion?: boolean;
  /** Innermost definition that holds it; null where it is not known. */
  readonly fn: string | null;
  readonly source: "diagnostic" | "stack" | "test_body" | "pr_diff" | "config_key" | "locator" | "labelled";
  /** 0 to 1, for ranking only. */
  readonly score: number;
}

export const HISTORY_HEURISTICS = ["none", "fn_all", "fn_pair", "fl_diff"] as const;
/** What of the blamed commit is shown (papers §2.4). */
export type HistoryHeuristic = (typeof HISTORY_HEURISTICS)[number];

/** How far a fault spreads: single line, single hunk, one file with several hunks, several files (papers §2.5). */
export type BugShape = "SL" | "SH" | "SFMH" | "MFMH";

export interface BlameCommit {
  readonly sha: string;
  /** ISO 8601. */
  readonly date: string;
  /** Untrusted text. */
  readonly message: string;
  /** The file's name at that commit. */
  readonly pathAtCommit: string;
  /** 1-based lines of the failing revision that it last touched. */
  readonly lines: readonly number[];
  /** It belongs to the failing pull request: the likely culprit. */
  readonly inPr: boolean;
}

export type BlameAvailability = "blameable" | "blameless_fallback" | "none";

/** What history says about the located lines, as one heuristic shows it (papers §2.3–2.4). */
export interface HistoryContext {
  readonly heuristic: HistoryHeuristic;
  readonly shape: BugShape;
  readonly availability: BlameAvailability;
  readonly commit: BlameCommit | null;
  readonly chosenBy: "single" | "judge" | "first" | "in_pr" | null;
  /** The payload as text for a prompt, truncated; "" with `none`. */
  readonly text: string;
}
