import type { LineRange } from "../domain/experience.ts";
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
  /**
   * Which commit last touched each of these lines of a file, white space, moved and copied lines followed; in order. Lines
   * the file does not have are left out. `ignored` commits are looked past, as far as they are there.
   */
  blame(
    commit: string,
    path: string,
    ranges: readonly LineRange[],
    ignored: readonly string[],
  ): Promise<readonly BlamedLine[]>;
  /** What one commit is and what it changed against its first parent. */
  facts(commit: string): Promise<CommitFacts>;
  /** Commits that `to` reaches and `from` does not. */
  between(from: string, to: string): Promise<ReadonlySet<string>>;
  /** The commit that two lines of work have in common; null when there is none. */
  mergeBase(one: string, other: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface BlamedLine {
  /** 1-based, in the file that was asked about. */
  readonly line: number;
  readonly sha: string;
  /** The file's name at that commit, and the line there. */
  readonly path: string;
  readonly from: number;
  /** History ends here because the clone is shallow: who wrote the line is not known. */
  readonly boundary: boolean;
}

export interface CommitFacts {
  readonly sha: string;
  /** Null for a commit without one, and where a shallow clone ends. */
  readonly parent: string | null;
  /** ISO 8601, as its author gave it. */
  readonly date: string;
  /** Untrusted text. */
  readonly message: string;
  readonly files: readonly {
    /** Null for a new file. */
    readonly oldPath: string | null;
    /** Null for a deleted one. */
    readonly newPath: string | null;
  }[];
  /** It changes files, and nothing but white space in them. */
  readonly whitespaceOnly: boolean;
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
