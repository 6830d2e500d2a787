import { z } from "zod";
import { type AskParts, ask, Cite, CitedText, showEvidence } from "../../agent/ask.ts";
import { judgeClaim } from "../../agent/cite.ts";
import { loadPromptTexts, renderPrompt } from "../../agent/prompt.ts";
import { type DependencyEdge, EDGE_TYPES, type ProblemRepair } from "../../domain/experience.ts";
import { heuristicEdges } from "./edges.ts";
import { contextOf } from "./judge-record.ts";
import type { OpenEpisode } from "./open-episode.ts";

const Inferred = z.strictObject({
  edges: z.array(
    z.strictObject({
      from: z.string(),
      to: z.string(),
      type: z.enum(EDGE_TYPES),
      producerChange: CitedText,
      consumerAssumption: CitedText,
      counterfactualStillNeeded: z.boolean(),
      evidence: z.array(Cite).max(12),
      confidence: z.number().min(0).max(1),
    }),
  ),
});
type Inferred = z.infer<typeof Inferred>["edges"][number];

const DEPENDENCIES = loadPromptTexts(import.meta.url, "dependencies.md");

export interface Depends {
  readonly edges: readonly DependencyEdge[];
  readonly unanswered: readonly string[];
}

/** Which problem had to be resolved before which (papers §1.8); tool enablement when nothing passes the test. */
export async function inferDependencies(
  records: readonly ProblemRepair[],
  open: OpenEpisode,
  parts: AskParts,
): Promise<Depends> {
  if (records.length < 2) return { edges: [], unanswered: [] };
  const prompt = renderPrompt(DEPENDENCIES, {
    records: records
      .map((z) => `${z.id}: ${z.p.statement.value}\nhunks: ${z.r.hunks.map(({ id }) => id).join(", ")}`)
      .join("\n\n"),
    hunks: showEvidence(open.pack.some(records.flatMap(({ r }) => r.hunks.map(({ id }) => id)))),
  });
  const answer = await ask({ name: "deps.infer", prompt, schema: Inferred }, parts);
  if (!answer.answered) return { edges: heuristicEdges(records), unanswered: [answer.why] };
  const edges = withoutCircles(answer.value.edges.flatMap((edge) => edgeOf(edge, records, open) ?? []));
  return { edges: edges.length > 0 ? edges : heuristicEdges(records), unanswered: [] };
}

// papers §1.8: these say that two problems met, not that one needs the other.
const NO_REASON =
  /\b(?:independent|unrelated|correlat\w+|same (?:file|folder|directory|validator|validation|job|step)|runs? (?:before|after|first|later))\b/i;

function edgeOf(edge: Inferred, records: readonly ProblemRepair[], open: OpenEpisode): DependencyEdge | null {
  const from = records.find(({ id }) => id === edge.from);
  const to = records.find(({ id }) => id === edge.to);
  if (from === undefined || to === undefined || from === to || edge.counterfactualStillNeeded) return null;
  if (NO_REASON.test(`${edge.producerChange.value}\n${edge.consumerAssumption.value}`)) return null;
  const cited = [...edge.evidence, ...edge.producerChange.cites, ...edge.consumerAssumption.cites].map(({ id }) => id);
  const cites = (record: ProblemRepair): boolean => record.r.hunks.some(({ id }) => cited.includes(id));
  if (!cites(from) || !cites(to)) return null;
  const context = contextOf(open);
  const producer = judgeClaim("edge", edge.producerChange.value, edge.producerChange.cites, context);
  const consumer = judgeClaim("edge", edge.consumerAssumption.value, edge.consumerAssumption.cites, context);
  if (producer.why !== null || consumer.why !== null) return null;
  const views = new Set([from.provenance, to.provenance]);
  return {
    from: from.id,
    to: to.id,
    type: edge.type,
    support: views.size > 1 || views.has("both") ? "both" : views.has("endpoint_only") ? "endpoint" : "development",
    confidence: Math.round(edge.confidence * Math.min(from.confidence, to.confidence) * 100) / 100,
    producerChange: producer.claim,
    consumerAssumption: consumer.claim,
  };
}

/** The surest edges first; one that would close a circle is left out. */
function withoutCircles(edges: readonly DependencyEdge[]): readonly DependencyEdge[] {
  const kept: DependencyEdge[] = [];
  const reaches = (from: string, to: string): boolean =>
    from === to || kept.some((edge) => edge.from === from && reaches(edge.to, to));
  for (const edge of edges.toSorted(
    (a, b) => b.confidence - a.confidence || (a.from + a.to < b.from + b.to ? -1 : 1),
  )) {
    if (!reaches(edge.to, edge.from)) kept.push(edge);
  }
  return kept;
}
