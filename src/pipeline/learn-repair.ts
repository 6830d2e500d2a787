import type { AskParts } from "../agent/ask.ts";
import type { Evidence, Failure } from "../domain/evidence.ts";
import type { EpisodePush, EvidenceItem, Reconstruction } from "../domain/experience.ts";
import { reconstructEpisode } from "../experience/reconstruct/reconstruct-episode.ts";
import { GitFailed } from "../ports/git.ts";
import type { Histories, History } from "../ports/history.ts";
import type { World } from "../ports/world.ts";
import type { Tool } from "../tools/tool.ts";

export interface LearnRequest {
  /** The repository's identity: the scope of what is learned. */
  readonly repo: string;
  readonly workflow: string | null;
  readonly pr: number | null;
  /** A clone that holds both commits; nothing is written there. */
  readonly from: string;
  readonly failSha: string;
  readonly passSha: string;
  /** Organize(E) of the red run. */
  readonly evidence: Evidence;
  /** CI's verdicts between red and green; empty where they are not known. */
  readonly pushes: readonly EpisodePush[];
  /** Failures that only runs between red and green showed. */
  readonly exposed: readonly Failure[];
}

export interface LearnParts {
  readonly histories: Histories;
  readonly tools: readonly Tool[];
  readonly world: Pick<World, "id">;
  /** Null without a configured model. */
  readonly model: AskParts | null;
  readonly tell: (line: string) => void;
  /** Where what was learned goes, with the evidence it cites; null keeps nothing. */
  readonly keep: ((learned: Reconstruction, evidence: readonly EvidenceItem[]) => Promise<void>) | null;
}

/** The story of learning (design §2): from a failing commit and a passing one to which change repaired which problem. */
export async function learnRepair(request: LearnRequest, parts: LearnParts): Promise<Reconstruction> {
  const { from, ...episode } = request;
  const history = await parts.histories.open(from);
  try {
    await refuseReversed(history, request);
    const mendsItself = (name: string): boolean =>
      parts.tools.some((tool) => tool.name === name && tool.fix !== undefined);
    const id = parts.world.id("ep");
    const { reconstruction, evidence, unanswered } = await reconstructEpisode(
      history,
      { ...episode, id, mendsItself },
      parts.model,
    );
    for (const why of unanswered) parts.tell(`the model was of no help: ${why}`);
    await parts.keep?.(reconstruction, evidence);
    return reconstruction;
  } finally {
    await history.close();
  }
}

/** Learned the wrong way round, what broke it would be remembered as its repair. */
async function refuseReversed(history: Pick<History, "way">, { failSha, passSha }: LearnRequest): Promise<void> {
  if ((await history.way(failSha, passSha)) !== null || (await history.way(passSha, failSha)) === null) return;
  const [pass, fail] = [passSha, failSha].map((sha) => sha.slice(0, 8));
  throw new GitFailed(
    `the passing commit ${pass} lies before the failing one ${fail}: nothing was repaired between them`,
  );
}
