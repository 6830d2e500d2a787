import type { AskParts } from "../../agent/ask.ts";
import type { EvidenceItem, ProblemRepair, Reconstruction } from "../../domain/experience.ts";
import { type Abstracted, abstractLevels } from "./abstract-levels.ts";

/**
 * L2 and L3 of every record of an episode, in its order. `evidence`: what the reconstruction looked at; each record gets
 * its own part of it. One record after another, so that a budget that runs out leaves whole answers behind; then, and
 * without a model, a record has its skeleton.
 */
export async function abstractRecords(
  learned: Pick<Reconstruction, "episode" | "records">,
  evidence: readonly EvidenceItem[],
  model: AskParts | null,
): Promise<readonly Abstracted[]> {
  const { repo, workflow } = learned.episode;
  const abstracted: Abstracted[] = [];
  for (const record of learned.records) {
    abstracted.push(await abstractLevels({ record, repo, workflow, evidence: evidenceOf(record, evidence) }, model));
  }
  return abstracted;
}

// A mass edit says in its first hunks what it says in its last: papers §1.5 bounds a part of a combined question so.
const MOST_CHARACTERS = 24_000;

/** What a record cites and all that it changed, logs first: the pack has them so. What commits say of themselves is no evidence. */
function evidenceOf({ e, r }: ProblemRepair, evidence: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const own = new Set([
    ...Object.values(e).flatMap((cites) => cites.map(({ id }) => id)),
    ...r.hunks.map(({ id }) => id),
  ]);
  const cited = evidence.filter(({ id, kind }) => own.has(id) && kind !== "commit");
  const kept: EvidenceItem[] = [];
  let size = 0;
  for (const item of cited) {
    if (kept.length > 0 && size + item.text.length > MOST_CHARACTERS) break;
    kept.push(item);
    size += item.text.length;
  }
  return kept;
}
