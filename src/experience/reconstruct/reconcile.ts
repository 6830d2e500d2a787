import { z } from "zod";
import { type AskParts, ask, Cite, CitedText, showEvidence } from "../../agent/ask.ts";
import { entitiesIn } from "../../agent/cite.ts";
import { loadPromptTexts, renderPrompt } from "../../agent/prompt.ts";
import type { HunkRef } from "../../domain/experience.ts";
import { cosine, tfIdfVectors } from "../../text/tf-idf.ts";
import { type Candidate, claim, describeCandidate, unionOf, viewOf } from "./candidate.ts";
import { joinCandidates, showFailures } from "./endpoint-view.ts";
import type { OpenEpisode } from "./open-episode.ts";

const RELATIONS = ["equivalent", "complementary", "conflicting", "distinct"] as const;

const Adjudicated = z.strictObject({
  groups: z.array(
    z.strictObject({
      sourceIds: z.array(z.string()).min(1),
      relation: z.enum(RELATIONS),
      action: z.enum(["SELECT", "SEPARATE", "MERGE"]),
      selected: z.string().nullable(),
      reason: z.string().max(600),
      cites: z.array(Cite).max(12),
    }),
  ),
});
type Group = z.infer<typeof Adjudicated>["groups"][number];

const Synthesized = z.strictObject({
  statement: CitedText,
  rootCause: CitedText.nullable(),
  operations: z.array(CitedText).min(1).max(30),
  signals: z.array(CitedText).max(30),
});

const Selection = z.strictObject({
  keep: z.array(z.strictObject({ id: z.string(), link: z.enum(["direct", "indirect"]), cites: z.array(Cite).max(12) })),
  drop: z.array(z.strictObject({ id: z.string(), why: z.enum(["irrelevant", "unsupported", "vague"]) })),
  duplicates: z.array(
    z.strictObject({ keep: z.string(), drop: z.array(z.string()).min(1), reason: z.string().max(600) }),
  ),
});

const ADJUDICATE = loadPromptTexts(import.meta.url, "reconcile-adjudicate.md");
const SYNTHESIZE = loadPromptTexts(import.meta.url, "reconcile-synthesize.md");
const SELECT = loadPromptTexts(import.meta.url, "reconcile-select.md");

export interface Reconciled {
  readonly kept: readonly Candidate[];
  readonly dropped: readonly { readonly candidate: Candidate; readonly why: string }[];
  readonly unanswered: readonly string[];
}

/** Candidates of both views into one list, nothing lost on the way (papers §1.6, G3): what is not decided stays apart. */
export async function reconcile(
  candidates: readonly Candidate[],
  open: OpenEpisode,
  parts: AskParts,
): Promise<Reconciled> {
  const refs = new Map(open.pieces.map(({ id, hunk }) => [id, hunk.ref]));
  const unanswered: string[] = [];
  const settled: Candidate[] = [];
  for (const cluster of clusterCandidates(candidates, refs)) {
    settled.push(...(await settleCluster(cluster, refs, open, parts, unanswered)));
  }
  return selectAll(settled, refs, open, parts, unanswered);
}

/* ------------------------------------------------------------------ candidates that look alike */

// papers §1.6, from public code: terms, likeness, bytes of one question.
const MOST_TERMS = 2_000;
const ALIKE = 0.3;
const MOST_CLUSTER_BYTES = 30_000;

/** Connected by likeness; clusters too long for one question are cut, losing nobody. */
export function clusterCandidates(
  candidates: readonly Candidate[],
  refs: ReadonlyMap<string, HunkRef>,
): readonly (readonly Candidate[])[] {
  const vectors = tfIdfVectors(
    candidates.map((candidate) => weighted(candidate, refs)),
    MOST_TERMS,
  );
  const clusters: number[][] = [];
  candidates.forEach((_, index) => {
    const like = clusters.filter((cluster) =>
      cluster.some((other) => cosine(vectors[index] ?? new Map(), vectors[other] ?? new Map()) >= ALIKE),
    );
    const joined = [...like.flat(), index];
    for (const cluster of like) clusters.splice(clusters.indexOf(cluster), 1);
    clusters.push(joined);
  });
  const members = clusters.map((cluster) =>
    cluster.toSorted((a, b) => a - b).flatMap((index) => candidates[index] ?? []),
  );
  return members.flatMap((cluster) => inBytes(cluster, refs));
}

/** Fields count as often as papers §1.6 repeats them. */
function weighted(candidate: Candidate, refs: ReadonlyMap<string, HunkRef>): string {
  const files = candidate.hunks.flatMap((id) => refs.get(id)?.path ?? []).join(" ");
  const { statement, rootCause, operations, category, issueType, validation } = candidate;
  const parts: readonly (readonly [number, string])[] = [
    [2, statement.value],
    [2, rootCause?.value ?? ""],
    [1, operations.map(({ value }) => value).join(" ")],
    [2, category],
    [1, issueType],
    [2, validation ?? ""],
    [2, files],
  ];
  return parts.map(([times, text]) => `${text} `.repeat(times)).join("\n");
}

function inBytes(cluster: readonly Candidate[], refs: ReadonlyMap<string, HunkRef>): readonly (readonly Candidate[])[] {
  const parts: Candidate[][] = [];
  let size = 0;
  for (const candidate of cluster) {
    const bytes = Buffer.byteLength(describeCandidate(candidate, refs));
    const last = parts.at(-1);
    if (last === undefined || size + bytes > MOST_CLUSTER_BYTES) {
      parts.push([candidate]);
      size = bytes;
    } else {
      last.push(candidate);
      size += bytes;
    }
  }
  return parts;
}

/* ------------------------------------------------------------------ stage 1 and 2 */

async function settleCluster(
  cluster: readonly Candidate[],
  refs: ReadonlyMap<string, HunkRef>,
  open: OpenEpisode,
  parts: AskParts,
  unanswered: string[],
): Promise<readonly Candidate[]> {
  if (cluster.length === 1) return cluster;
  const prompt = renderPrompt(ADJUDICATE, {
    candidates: cluster.map((candidate) => describeCandidate(candidate, refs)).join("\n\n"),
    failures: showFailures(open),
    hunks: showEvidence(open.pack.some(cluster.flatMap(({ hunks }) => hunks))),
  });
  const answer = await ask({ name: "recon.adjudicate", prompt, schema: Adjudicated }, parts);
  if (!answer.answered) {
    unanswered.push(answer.why);
    return cluster;
  }
  const settled: Candidate[] = [];
  for (const group of partition(answer.value.groups, cluster)) {
    settled.push(...(await settleGroup(group.group, group.members, open, parts, unanswered)));
  }
  return settled;
}

/** Every candidate in one group: the first that names it; whoever is named by none stays a problem of its own (papers §9.3). */
export function partition(
  groups: readonly Group[],
  cluster: readonly Candidate[],
): readonly { readonly group: Pick<Group, "relation" | "selected">; readonly members: readonly Candidate[] }[] {
  const left = new Map(cluster.map((candidate) => [candidate.id, candidate]));
  const parts = groups.map((group) => {
    const members = group.sourceIds.flatMap((id) => {
      const candidate = left.get(id);
      left.delete(id);
      return candidate ?? [];
    });
    return { group, members };
  });
  const omitted = [...left.values()].map((candidate) => ({
    group: { relation: "distinct" as const, selected: null },
    members: [candidate],
  }));
  return [...parts.filter(({ members }) => members.length > 0), ...omitted];
}

/** The relation decides, whatever action was named beside it (papers G3). */
async function settleGroup(
  { relation, selected }: Pick<Group, "relation" | "selected">,
  members: readonly Candidate[],
  open: OpenEpisode,
  parts: AskParts,
  unanswered: string[],
): Promise<readonly Candidate[]> {
  if (members.length === 1 || relation === "distinct") return members;
  if (relation === "conflicting") return settleConflict(members, open);
  // Several of the development view are things done apart: they are not made one (papers §1.6).
  if (members.filter(({ id }) => viewOf(id) === "development").length > 1) return members;
  if (relation === "equivalent") {
    const best = members.toSorted((a, b) => evidenceScore(b, open) - evidenceScore(a, open));
    const named = members.find(({ id }) => id === selected);
    const tied = named !== undefined && evidenceScore(named, open) === evidenceScore(best[0] ?? named, open);
    const keeper = tied ? named : best[0];
    return keeper === undefined ? members : [members.filter((one) => one !== keeper).reduce(joinCandidates, keeper)];
  }
  const merged = await synthesize(members, open, parts, unanswered);
  return merged === null ? members : [merged];
}

/** Exactly one account that holds wins; two stay, marked, and so do none (papers G3). */
function settleConflict(members: readonly Candidate[], open: OpenEpisode): readonly Candidate[] {
  const holding = members.filter((candidate) => holds(candidate, open));
  const [only] = holding;
  if (holding.length === 1 && only !== undefined) return [only];
  return holding.length > 1 ? members.map((candidate) => ({ ...candidate, conflict: true })) : members;
}

function holds({ hunks, operations, validation }: Candidate, open: OpenEpisode): boolean {
  const stays = new Map(open.pieces.map(({ id, hunk }) => [id, hunk.ref.fate]));
  const retained = hunks.some((id) => stays.get(id) === "retained");
  const citesGone = operations.some(({ cites }) => cites.some(({ id }) => open.gone.has(id)));
  return retained && !citesGone && flips(validation, open);
}

function flips(validation: string | null, { input }: OpenEpisode): boolean {
  return input.evidence.validations.some(({ id, status }) => id === validation && status === "failed");
}

/** papers G3: hunks, the validation's turn, a log cited, commits, quotes. */
function evidenceScore(candidate: Candidate, open: OpenEpisode): number {
  const cites = [candidate.statement, ...candidate.signals, ...candidate.operations].flatMap((one) => one.cites);
  const quoted = cites.filter(
    ({ id, quote }) => quote !== null && (open.pack.get(id)?.text.includes(quote) ?? false),
  ).length;
  const logs = cites.some(({ id }) => open.pack.get(id)?.kind === "log");
  const retained = open.pieces.some(({ id, hunk }) => candidate.hunks.includes(id) && hunk.ref.fate === "retained");
  const commits = open.pieces.some(({ id, hunk }) => candidate.hunks.includes(id) && hunk.ref.commit !== null);
  const turned = flips(candidate.validation, open);
  return (
    3 * Number(retained) + 3 * Number(turned) + 3 * Number(logs) + Number(commits) + quoted / Math.max(1, cites.length)
  );
}

async function synthesize(
  members: readonly Candidate[],
  open: OpenEpisode,
  parts: AskParts,
  unanswered: string[],
): Promise<Candidate | null> {
  const refs = new Map(open.pieces.map(({ id, hunk }) => [id, hunk.ref]));
  const cited = members.flatMap((one) =>
    [one.statement, ...(one.rootCause === null ? [] : [one.rootCause]), ...one.operations, ...one.signals].flatMap(
      ({ cites }) => cites.map(({ id }) => id),
    ),
  );
  const prompt = renderPrompt(SYNTHESIZE, {
    candidates: members.map((candidate) => describeCandidate(candidate, refs)).join("\n\n"),
    evidence: showEvidence(open.pack.some([...cited, ...members.flatMap(({ hunks }) => hunks)])),
  });
  const answer = await ask({ name: "recon.synthesize", prompt, schema: Synthesized }, parts);
  if (!answer.answered) {
    unanswered.push(answer.why);
    return null;
  }
  const said = answer.value;
  const texts = [
    said.statement,
    ...(said.rootCause === null ? [] : [said.rootCause]),
    ...said.operations,
    ...said.signals,
  ].map(({ value }) => value);
  const stranger = strangerIn(texts, members, refs);
  if (stranger !== null) {
    unanswered.push(`recon.synthesize: ${stranger} is in none of its sources`);
    return null;
  }
  const [first, ...others] = members;
  if (first === undefined) return null;
  return {
    ...others.reduce(joinCandidates, first),
    statement: claim(said.statement),
    rootCause: said.rootCause === null ? null : claim(said.rootCause),
    operations: said.operations.map(claim),
    signals: unionOf([said.signals.map(claim), ...members.map(({ signals }) => signals)]),
  };
}

/** What a synthesis names that none of its sources names; null when it adds nothing (papers §9.3). */
function strangerIn(
  texts: readonly string[],
  members: readonly Candidate[],
  refs: ReadonlyMap<string, HunkRef>,
): string | null {
  const told = members
    .map(
      (candidate) => `${describeCandidate(candidate, refs)}\n${candidate.signals.map(({ value }) => value).join("\n")}`,
    )
    .join("\n");
  return texts.flatMap(entitiesIn).find((entity) => !told.includes(entity)) ?? null;
}

/* ------------------------------------------------------------------ stage 3 */

async function selectAll(
  candidates: readonly Candidate[],
  refs: ReadonlyMap<string, HunkRef>,
  open: OpenEpisode,
  parts: AskParts,
  unanswered: string[],
): Promise<Reconciled> {
  if (candidates.length < 2) return { kept: candidates, dropped: [], unanswered };
  const prompt = renderPrompt(SELECT, {
    records: candidates.map((candidate) => describeCandidate(candidate, refs)).join("\n\n"),
    failures: showFailures(open),
  });
  const answer = await ask({ name: "recon.select", prompt, schema: Selection }, parts);
  if (!answer.answered) {
    unanswered.push(answer.why);
    return { kept: candidates, dropped: [], unanswered };
  }
  const dropped = new Map<string, string>();
  const { keep, drop, duplicates } = answer.value;
  const keeps = new Set([...keep, ...duplicates.map((one) => ({ id: one.keep }))].map(({ id }) => id));
  for (const { id, why } of drop) if (!keeps.has(id)) dropped.set(id, why);
  let kept = candidates;
  for (const { keep: keeper, drop: twice } of duplicates) {
    const target = kept.find(({ id }) => id === keeper);
    const doubles = kept.filter(({ id }) => id !== keeper && twice.includes(id));
    if (target === undefined || doubles.length === 0) continue;
    const joined = doubles.reduce(joinCandidates, target);
    kept = kept.filter((one) => !doubles.includes(one)).map((one) => (one === target ? joined : one));
  }
  // Both views together weigh more than one opinion that it does not matter.
  const isBoth = ({ sourceIds }: Candidate): boolean => new Set(sourceIds.map(viewOf)).size > 1;
  const out = kept.filter((one) => dropped.has(one.id) && !isBoth(one));
  return {
    kept: kept.filter((one) => !out.includes(one)),
    dropped: out.map((candidate) => ({ candidate, why: dropped.get(candidate.id) ?? "" })),
    unanswered,
  };
}
