import type { DevEvent } from "../../domain/experience.ts";
import type { History, WayCommit } from "../../ports/history.ts";
import type { FileDiff } from "../../text/diff.ts";
import { commitFates, developmentOf, type HunkFate } from "./commit-fates.ts";
import { type LineHistory, replayLines } from "./line-history.ts";
import { type DeltaHunk, ownLines, splitDelta, wholeDelta } from "./split-delta.ts";

/** The final patch and the commits that led to it, line by line. */
export interface Fates {
  /** The final patch, cut so that every piece is owed to one commit. */
  readonly delta: readonly DeltaHunk[];
  /** Hunks of the commits with what became of them; empty without commits. */
  readonly commits: readonly HunkFate[];
  /** What did not stay. */
  readonly development: readonly DevEvent[];
  /** Changed lines of the final patch, and how many of them are owed to a commit by the line history itself. */
  readonly lines: {
    readonly total: number;
    readonly attributed: number;
    readonly guessed: number;
    readonly external: number;
  };
}

/**
 * The survival tracer (papers §8.4) over one episode. `way` null: the commits between are not to be had, the patch is all
 * there is. Reaches out for one difference and the steps' differences.
 */
export async function traceFates(
  history: Pick<History, "diff" | "changes">,
  failSha: string,
  passSha: string,
  way: readonly WayCommit[] | null,
): Promise<Fates> {
  const patch = history.diff(failSha, passSha, 0);
  if (way === null) return withoutCommits(await patch);
  // Side by side: replaying the steps needs the patch only at its end.
  const [delta, replayed] = await Promise.all([patch, replayLines(history.changes(way))]);
  return fatesOf(
    delta,
    replayed,
    way.map(({ sha }) => sha),
  );
}

/** What the replayed history says about the patch. */
function fatesOf(delta: readonly FileDiff[], history: LineHistory, commits: readonly string[]): Fates {
  const owned = ownLines(delta, history, commits);
  const fates = commitFates(history, owned);
  const byHunk = new Map(fates.map((fate) => [fate.hunk, fate]));
  const pieces = splitDelta(
    delta,
    owned,
    history,
    commits,
    (hunk, side) => byHunk.get(hunk)?.[side]?.fate ?? "retained",
  );
  const lines = owned.flat();
  return {
    delta: pieces,
    commits: fates,
    development: developmentOf(fates, owned, history),
    lines: {
      total: lines.length,
      attributed: lines.filter(({ owner }) => owner !== null).length,
      guessed: lines.filter(({ owner }) => owner?.guessed === true).length,
      external: lines.filter(({ owner }) => owner?.external === true).length,
    },
  };
}

function withoutCommits(delta: readonly FileDiff[]): Fates {
  const pieces = wholeDelta(delta, null);
  const total = pieces.reduce((sum, piece) => sum + piece.lines.length, 0);
  return { delta: pieces, commits: [], development: [], lines: { total, attributed: 0, guessed: 0, external: 0 } };
}
