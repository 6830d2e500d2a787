import { z } from "zod";
import { type AskParts, ask, Cite, CitedText, showEvidence } from "../../agent/ask.ts";
import { loadPromptTexts, renderPrompt } from "../../agent/prompt.ts";
import type { FailureClass } from "../../domain/category.ts";
import { comparable, SAME_PROBLEM, similarity } from "../../domain/similarity.ts";
import type { Attribution } from "./attribute.ts";
import { type Candidate, CategoryAnswer, claim, describeCandidate, unionOf } from "./candidate.ts";
import { inChunks } from "./chunks.ts";
import { logId } from "./evidence-pack.ts";
import type { OpenEpisode } from "./open-episode.ts";
import type { Piece } from "./piece-facts.ts";
import { relationsOf, type TightUnit, tightUnits } from "./units.ts";

export interface Viewed {
  readonly candidates: readonly Candidate[];
  /** Calls that were not answered, one line each. */
  readonly unanswered: readonly string[];
}

const Classified = z.strictObject({
  assign: z.array(
    z.strictObject({
      unitId: z.string(),
      validationId: z.string().nullable(),
      category: CategoryAnswer.nullable(),
      link: z.enum(["direct", "indirect", "none"]),
      cites: z.array(Cite).max(12),
    }),
  ),
});

const Atomized = z.strictObject({
  problems: z.array(
    z.strictObject({
      statement: CitedText,
      rootCause: CitedText.nullable(),
      issueType: z.string().max(120),
      hunkIds: z.array(z.string()).min(1),
      operations: z.array(CitedText).max(20),
      signals: z.array(CitedText).max(20),
      visibility: z.enum(["primary", "hidden"]),
    }),
  ),
  unassigned: z.array(z.string()),
});

const Consolidated = z.strictObject({
  pairs: z.array(
    z.strictObject({
      a: z.string(),
      b: z.string(),
      same: z.boolean(),
      reason: z.string().max(600),
      cites: z.array(Cite).max(12),
    }),
  ),
});

const CLASSIFY = loadPromptTexts(import.meta.url, "endpoint-classify.md");
const ATOMIZE = loadPromptTexts(import.meta.url, "endpoint-atomize.md");
const CONSOLIDATE = loadPromptTexts(import.meta.url, "endpoint-consolidate.md");

/**
 * Reasons backward from the final patch (papers §1.4): each change to the validation that needs it, each group of changes
 * into atomic problems, the same problem told twice into one. What the evidence alone says is settled beforehand.
 */
export async function endpointView(
  open: OpenEpisode,
  settled: readonly Attribution[],
  parts: AskParts,
): Promise<Viewed> {
  const unanswered: string[] = [];
  const groups = await classify(open, settled, parts, unanswered);
  const candidates: Candidate[] = [];
  for (const group of groups) candidates.push(...(await atomize(group, open, settled, parts, unanswered)));
  const numbered = candidates.map((one, index) => ({ ...one, id: `E${index + 1}`, sourceIds: [`E${index + 1}`] }));
  return { candidates: await consolidate(numbered, open, parts, unanswered), unanswered };
}

/* ------------------------------------------------------------------ stage 1: which validation */

interface Group {
  readonly validation: string | null;
  readonly category: FailureClass;
  readonly pieces: Piece[];
}

async function classify(
  open: OpenEpisode,
  settled: readonly Attribution[],
  parts: AskParts,
  unanswered: string[],
): Promise<readonly Group[]> {
  const groups = new Map<string, Group>();
  const put = (validation: string | null, category: FailureClass, pieces: readonly Piece[]): void => {
    const key = `${validation} ${category}`;
    const group = groups.get(key) ?? { validation, category, pieces: [] };
    for (const piece of pieces) if (!group.pieces.includes(piece)) group.pieces.push(piece);
    groups.set(key, group);
  };
  for (const { group, pieces } of settled) {
    if (pieces.length > 0)
      put(
        group.validation?.id ?? null,
        group.failures[0]?.category ?? "unknown",
        pieces.map(({ piece }) => piece),
      );
  }
  const done = new Set(settled.flatMap(({ pieces }) => pieces.map(({ piece }) => piece)));
  const usable = open.pieces.filter(({ hunk }) => hunk.ref.fate === "retained" || hunk.ref.fate === "partial");
  const units = tightUnits(usable.filter((piece) => !done.has(piece)));
  const relations = relationsOf(tightUnits(usable), open.code).map(({ from, to, kind }) => `${from} → ${to}: ${kind}`);
  const known = new Set(open.input.evidence.validations.map(({ id }) => id));
  for (const chunk of inChunks(units, unitText)) {
    const ids = new Map(chunk.map((unit) => [unit.id, unit]));
    const prompt = renderPrompt(CLASSIFY, {
      validations: showValidations(open),
      failures: showFailures(open),
      relations: relations.join("\n") || "none",
      units: chunk.map(unitText).join("\n\n"),
    });
    const answer = await ask({ name: "endpoint.classify", prompt, schema: Classified }, parts);
    if (!answer.answered) {
      unanswered.push(answer.why);
      continue;
    }
    for (const { unitId, validationId, category, link } of answer.value.assign) {
      const unit = ids.get(unitId);
      if (unit === undefined || link === "none" || category === null) continue;
      if (validationId === null || !known.has(validationId)) continue;
      put(validationId, category, unit.pieces);
    }
  }
  return [...groups.values()];
}

function unitText({ id, pieces }: TightUnit): string {
  return `${id}:\n${pieces.map((piece) => `[${piece.id}] ${piece.path}\n${piece.before.replace(/^/gm, "-")}\n${piece.after.replace(/^/gm, "+")}`).join("\n")}`;
}

/** The validations of the red run as a model reads them. */
export function showValidations({ input }: OpenEpisode): string {
  const lines = input.evidence.validations.map(
    ({ id, kind, status, command }) => `${id} (evidence S-${id}): ${kind}, ${status}: ${command.split("\n")[0]}`,
  );
  return lines.join("\n") || "none known";
}

/** What failed, as evidence. */
export function showFailures(
  { groups, pack }: OpenEpisode,
  only: (validation: string | null) => boolean = () => true,
): string {
  const ids = groups
    .filter(({ validation }) => only(validation?.id ?? null))
    .flatMap(({ failures }) => failures.map(({ id }) => logId(id)));
  return showEvidence(pack.some(ids)) || "nothing that the log tells";
}

/* ------------------------------------------------------------------ stage 2: atomic problems */

async function atomize(
  { validation, category, pieces }: Group,
  open: OpenEpisode,
  settled: readonly Attribution[],
  parts: AskParts,
  unanswered: string[],
): Promise<readonly Candidate[]> {
  const known = new Set(pieces.map(({ id }) => id));
  const prompt = renderPrompt(ATOMIZE, {
    validation: validation ?? "that the log does not tell",
    category,
    failures: showFailures(open, (id) => validation === null || id === validation),
    hunks: showEvidence(open.pack.some(known)),
  });
  const answer = await ask({ name: "endpoint.atomize", prompt, schema: Atomized }, parts);
  if (!answer.answered) {
    unanswered.push(answer.why);
    return settledCandidates(settled, known, validation);
  }
  return answer.value.problems.flatMap((problem) => {
    const hunks = problem.hunkIds.filter((id) => known.has(id));
    if (hunks.length === 0) return [];
    const candidate: Candidate = {
      id: "",
      sourceIds: [],
      statement: claim(problem.statement),
      rootCause: problem.rootCause === null ? null : claim(problem.rootCause),
      category,
      issueType: problem.issueType,
      operations: problem.operations.map(claim),
      signals: problem.signals.map(claim),
      hunks,
      validation,
      visibility: problem.visibility,
      conflict: false,
    };
    return [candidate];
  });
}

/** Without an answer: the problems that the evidence alone settled. */
function settledCandidates(
  settled: readonly Attribution[],
  known: ReadonlySet<string>,
  validation: string | null,
): Candidate[] {
  return settled.flatMap(({ group, pieces }) => {
    const hunks = pieces.map(({ piece }) => piece.id).filter((id) => known.has(id));
    const [first] = group.failures;
    if (hunks.length === 0 || first === undefined || (group.validation?.id ?? null) !== validation) return [];
    const cites = [{ id: logId(first.id), quote: null }];
    const candidate: Candidate = {
      id: "",
      sourceIds: [],
      statement: { value: first.testId ?? first.message.split("\n")[0] ?? "", cites, support: "inferred" },
      rootCause: null,
      category: first.category,
      issueType: first.rule ?? first.category,
      operations: [],
      signals: group.failures.map((failure) => ({
        value: failure.message.split("\n")[0] ?? "",
        cites: [{ id: logId(failure.id), quote: null }],
        support: "inferred",
      })),
      hunks,
      validation,
      visibility: "primary",
      conflict: false,
    };
    return [candidate];
  });
}

/* ------------------------------------------------------------------ stage 3: the same problem told twice */

async function consolidate(
  candidates: readonly Candidate[],
  open: OpenEpisode,
  parts: AskParts,
  unanswered: string[],
): Promise<readonly Candidate[]> {
  const refs = new Map(open.pieces.map(({ id, hunk }) => [id, hunk.ref]));
  const pairs = likePairs(candidates, refs);
  if (pairs.length === 0) return candidates;
  const prompt = renderPrompt(CONSOLIDATE, {
    pairs: pairs.map(([a, b]) => `${describeCandidate(a, refs)}\n${describeCandidate(b, refs)}`).join("\n\n"),
    evidence: showEvidence(open.pack.some(pairs.flatMap(([a, b]) => [...a.hunks, ...b.hunks]))),
  });
  const answer = await ask({ name: "endpoint.consolidate", prompt, schema: Consolidated }, parts);
  if (!answer.answered) {
    unanswered.push(answer.why);
    return candidates;
  }
  const asked = new Set(pairs.map(([a, b]) => `${a.id} ${b.id}`));
  let left = candidates;
  for (const { a, b, same } of answer.value.pairs) {
    if (!same || !(asked.has(`${a} ${b}`) || asked.has(`${b} ${a}`))) continue;
    const [keeper, other] = [left.find(({ id }) => id === a), left.find(({ id }) => id === b)];
    if (keeper === undefined || other === undefined) continue;
    const joined = joinCandidates(keeper, other);
    left = left.filter((one) => one !== other).map((one) => (one === keeper ? joined : one));
  }
  return left;
}

/** One candidate in the words of the first, with the changes and evidence of both. */
export function joinCandidates(keeper: Candidate, other: Candidate): Candidate {
  return {
    ...keeper,
    sourceIds: [...new Set([...keeper.sourceIds, ...other.sourceIds])],
    rootCause: keeper.rootCause ?? other.rootCause,
    operations: unionOf([keeper.operations, other.operations]),
    signals: unionOf([keeper.signals, other.signals]),
    hunks: [...new Set([...keeper.hunks, ...other.hunks])],
  };
}

function likePairs(
  candidates: readonly Candidate[],
  refs: ReadonlyMap<string, { readonly path: string }>,
): [Candidate, Candidate][] {
  const compared = candidates.map((one) =>
    comparable({
      problem: one.statement.value,
      rootCause: one.rootCause?.value ?? "",
      files: [...new Set(one.hunks.flatMap((id) => refs.get(id)?.path ?? []))],
      type: one.category,
      fix: one.operations
        .slice(0, 3)
        .map(({ value }) => value)
        .join("; "),
      symbols: [],
    }),
  );
  return candidates.flatMap((a, index) =>
    candidates.slice(index + 1).flatMap((b, offset): [Candidate, Candidate][] => {
      const [x, y] = [compared[index], compared[index + 1 + offset]];
      return x !== undefined && y !== undefined && similarity(x, y) >= SAME_PROBLEM ? [[a, b]] : [];
    }),
  );
}
