import type { Evidence, Failure } from "../../domain/evidence.ts";
import {
  type Completeness,
  type Episode,
  type EpisodeCommit,
  type EpisodePush,
  isEffective,
} from "../../domain/experience.ts";
import type { History, WayCommit } from "../../ports/history.ts";
import { type CodeView, loadCode } from "./code-view.ts";
import { type EvidencePack, hunkId, packOf } from "./evidence-pack.ts";
import { type FailureGroup, groupFailures } from "./failure-groups.ts";
import { type Piece, pieceOf } from "./piece-facts.ts";
import { type Fates, traceFates } from "./trace-fates.ts";

/** What the caller knows of an episode. */
export interface EpisodeInput {
  readonly id: string;
  readonly repo: string;
  readonly workflow: string | null;
  readonly pr: number | null;
  readonly failSha: string;
  readonly passSha: string;
  /** Organize(E) of the red run. */
  readonly evidence: Evidence;
  /** CI's verdicts on the pushes between, oldest first, where they are known. */
  readonly pushes: readonly EpisodePush[];
  /** Failures that only runs between red and green showed. */
  readonly exposed: readonly Failure[];
  /** Whether a tool has its own fixer. */
  readonly mendsItself: (tool: string) => boolean;
}

/** An episode with everything reconstruction looks at. */
export interface OpenEpisode {
  readonly input: EpisodeInput;
  readonly episode: Omit<Episode, "quality">;
  readonly fates: Fates;
  readonly groups: readonly FailureGroup[];
  readonly pieces: readonly Piece[];
  readonly code: CodeView;
  readonly pack: EvidencePack;
  /** Evidence ids of hunks of commits that did not stay. */
  readonly gone: ReadonlySet<string>;
  /** The push (from 0) that brought a commit; null where pushes are not known. */
  readonly pushOf: ((commit: string) => number) | null;
}

// Half of the patch from elsewhere, and the pull request did not repair itself (papers §8.4).
const MOSTLY = 0.5;

/** Reads an episode out of its history. Rejects with GitFailed when one of its commits is not there. */
export async function openEpisode(history: Omit<History, "close">, input: EpisodeInput): Promise<OpenEpisode> {
  const way = await history.way(input.failSha, input.passSha);
  const fates = await traceFates(history, input.failSha, input.passSha, way);
  const groups = groupFailures(input.evidence, input.exposed, input.mendsItself);
  const code = await loadCode(history, input.failSha, input.passSha, fates.delta, pointedTo(groups));
  const commits = (way ?? []).map(commitOf);
  const { total, external } = fates.lines;
  return {
    input,
    episode: {
      id: input.id,
      repo: input.repo,
      workflow: input.workflow,
      pr: input.pr,
      failSha: input.failSha,
      passSha: input.passSha,
      commits,
      completeness: completenessOf(way, input.evidence),
      fixedByBase: total > 0 ? external / total > MOSTLY : false,
      pushes: input.pushes,
    },
    fates,
    groups,
    pieces: fates.delta.map((hunk) => pieceOf(hunk, code)),
    code,
    pack: packOf({ evidence: input.evidence, groups, delta: fates.delta, commits, commitHunks: fates.commits }),
    gone: new Set(
      fates.commits.flatMap(({ fate, removed }, index) =>
        isEffective(fate) || (removed !== null && isEffective(removed.fate)) ? [] : [hunkId(index)],
      ),
    ),
    pushOf: pushIndex(way, input.pushes),
  };
}

function completenessOf(way: readonly WayCommit[] | null, evidence: Evidence): Completeness {
  if (way === null) return "no_commits";
  return evidence.quality.logs ? "full" : "logs_expired";
}

function commitOf({ sha, before, others, subject, author }: WayCommit): EpisodeCommit {
  const isBot = /\[bot\]/.test(`${author.name} ${author.email}`);
  const isOurs = /^retrace\b/i.test(author.name);
  return { sha, parents: [before, ...others], subject, authorKind: isOurs ? "retrace" : isBot ? "bot" : "human" };
}

/** A commit belongs to the first push at or after it. */
function pushIndex(way: readonly WayCommit[] | null, pushes: readonly EpisodePush[]): OpenEpisode["pushOf"] {
  if (way === null || pushes.length === 0) return null;
  const places = new Map<string, number>();
  let push = 0;
  for (const { sha } of way) {
    places.set(sha, push);
    if (pushes[push]?.sha === sha) push++;
  }
  return (commit) => places.get(commit) ?? pushes.length;
}

/** Files of the failing commit that failures name. */
function pointedTo(groups: readonly FailureGroup[]): string[] {
  return groups.flatMap(({ failures }) =>
    failures.flatMap(({ location, stack }) => [
      ...(location === null ? [] : [location.file]),
      ...stack.map(({ file }) => file),
    ]),
  );
}
