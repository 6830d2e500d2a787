import { z } from "zod";
import { type AskParts, ask, Cite, showEvidence } from "../../agent/ask.ts";
import { loadPromptTexts, renderPrompt } from "../../agent/prompt.ts";
import type { EvidenceItem } from "../../domain/experience.ts";
import type { GuidanceRecord } from "../../domain/guidance.ts";
import { fence } from "../../text/fence.ts";
import { redact } from "../../text/redact.ts";
import type { RetrievalHit } from "../retrieve/retrieve.ts";
import type { Filtered } from "./hard-filter.ts";
import { sayRecord } from "./say-record.ts";

/** A record that passed the hard filter. */
export interface Candidate extends Pick<RetrievalHit, "level" | "rank" | "score"> {
  readonly filtered: Filtered;
}

export interface Selected {
  readonly candidate: Candidate;
  readonly fit: GuidanceRecord["fit"];
  /** What the model says has to be adapted. */
  readonly mustAdapt: readonly string[];
}

export interface Selection {
  readonly selected: readonly Selected[];
  readonly refused: readonly { readonly candidate: Candidate; readonly why: string }[];
  /** Why the model was of no help; null when it answered or was not asked. */
  readonly unanswered: string | null;
}

const Decision = z.strictObject({
  candidateId: z.string(),
  applicable: z.boolean(),
  fit: z.enum(["same", "partial", "conceptual", "none"]),
  usableParts: z.array(z.string().max(400)).max(10),
  mustAdapt: z.array(z.string().max(400)).max(10),
  contradictions: z.array(z.string().max(400)).max(10),
  cites: z.array(Cite).max(8),
});
const Answer = z.strictObject({ decisions: z.array(Decision).max(30) });

const TEXTS = loadPromptTexts(import.meta.url, "select.md");
const CANDIDATE_CHARACTERS = 3_000; // fifteen of them are some 12,000 tokens

/** The best of each level, as the hard filter alone leaves them: what there is without a model (design §5). */
export function selectByRank(candidates: readonly Candidate[]): Selection {
  const best = new Map<string, Candidate>();
  for (const candidate of candidates) if (!best.has(candidate.level)) best.set(candidate.level, candidate);
  const kept = [...best.values()];
  return {
    selected: kept.map((candidate) => ({ candidate, fit: fitByLevel(candidate), mustAdapt: [] })),
    refused: candidates
      .filter((one) => !kept.includes(one))
      .map((candidate) => ({ candidate, why: "another record of its level is nearer" })),
    unanswered: null,
  };
}

function fitByLevel({ level, filtered }: Candidate): GuidanceRecord["fit"] {
  if (level === "L3") return "conceptual";
  return level === "L1" && filtered.staleness.state === "fresh" ? "same" : "partial";
}

/** The model's judgement on each candidate (papers §9.2 `memory.select`); an uncited yes is none. Falls back to `selectByRank`. */
export async function selectByModel(
  problem: string,
  evidence: readonly EvidenceItem[],
  candidates: readonly Candidate[],
  model: AskParts,
): Promise<Selection> {
  if (candidates.length === 0) return { selected: [], refused: [], unanswered: null };
  const ids = new Map(candidates.map((candidate, index) => [`M${index + 1}`, candidate]));
  const shown = [...ids].map(([id, { level, filtered }]) => {
    const text = redact(sayRecord(filtered.record)).slice(0, CANDIDATE_CHARACTERS);
    return `## ${id} (${level})\n\n${fence(text)}`;
  });
  const said = await ask(
    {
      name: "memory.select",
      prompt: renderPrompt(TEXTS, {
        problem: fence(redact(problem)),
        evidence: showEvidence(evidence),
        candidates: shown.join("\n\n"),
      }),
      schema: Answer,
      check: ({ decisions }) =>
        [...ids.keys()]
          .filter((id) => !decisions.some(({ candidateId }) => candidateId === id))
          .map((id) => `${id} is not judged`),
    },
    model,
  );
  if (!said.answered) return { ...selectByRank(candidates), unanswered: said.why };
  return readDecisions(said.value.decisions, ids, evidence);
}

function readDecisions(
  decisions: readonly z.infer<typeof Decision>[],
  ids: ReadonlyMap<string, Candidate>,
  evidence: readonly EvidenceItem[],
): Selection {
  const selected: Selected[] = [];
  const refused: { candidate: Candidate; why: string }[] = [];
  for (const [id, candidate] of ids) {
    const decision = decisions.find(({ candidateId }) => candidateId === id);
    if (decision === undefined) continue;
    const { applicable, fit, mustAdapt, contradictions, cites } = decision;
    if (!applicable || fit === "none") refused.push({ candidate, why: contradictions[0] ?? "it does not apply" });
    else if (!cites.some((cite) => isFounded(cite, evidence))) {
      refused.push({ candidate, why: "nothing in the evidence was cited for it" });
    } else selected.push({ candidate, fit, mustAdapt });
  }
  return { selected, refused, unanswered: null };
}

/** A cite counts when its evidence is there and holds its quote, white space apart (papers §9.3). */
function isFounded({ id, quote }: Cite, evidence: readonly EvidenceItem[]): boolean {
  const item = evidence.find((one) => one.id === id);
  if (item === undefined) return false;
  const plain = (text: string): string => text.replace(/\s+/g, " ").trim();
  return quote === null || plain(item.text).includes(plain(quote));
}
