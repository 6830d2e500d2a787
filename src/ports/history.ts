import type { FileDiff } from "../text/diff.ts";

/** The history of a clone, to be read and never written. */
export interface Histories {
  /** Rejects with GitFailed (one line) when `dir` is no repository. Whoever opens it closes it. */
  open(dir: string): Promise<History>;
}

/** Every method rejects with GitFailed for a commit that is not there. */
export interface History {
  /**
   * The way from one commit to a later one, oldest first; along first parents where they lead back to `from`. Null when
   * `from` is no ancestor of `to` (a forced push, a rebase).
   */
  way(from: string, to: string): Promise<readonly WayCommit[] | null>;
  /** What each step of a way changed, in order, renames found, no lines of context. */
  changes(way: readonly WayCommit[]): AsyncIterable<StepChange>;
  /** The difference between two commits, renames found, with so many lines of context. */
  diff(from: string, to: string, context: number): Promise<readonly FileDiff[]>;
  /** A file's text at a commit; null when it is not there, or not text. */
  read(commit: string, path: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface WayCommit {
  readonly sha: string;
  /** The commit before it on the way. */
  readonly before: string;
  /** Parents that the way does not come from: what a merge brought in. */
  readonly others: readonly string[];
  readonly subject: string;
  readonly author: { readonly name: string; readonly email: string };
}

export interface StepChange {
  readonly commit: WayCommit;
  /** Against the commit before it. */
  readonly files: readonly FileDiff[];
  /** Against each of the other parents. */
  readonly againstOthers: readonly (readonly FileDiff[])[];
}
