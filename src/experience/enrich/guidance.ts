import type { Level } from "../../domain/experience.ts";
import type { FromRecord, Guidance, GuidanceRecord } from "../../domain/guidance.ts";
import { redact } from "../../text/redact.ts";
import { countTokens } from "../../text/tokens.ts";
import { sayRecord, titleOf } from "./say-record.ts";
import type { Selected, Selection } from "./select.ts";

/** Tokens of guidance for one problem: 24,000 characters in the product (papers §14). */
export const GUIDANCE_TOKENS = 6_000;
// papers §1.10 T6: L2 may take so much of what L1 leaves; something of L3 always stays (G12).
const L2_SHARE = 0.6;
const LEAST_L3_TOKENS = 400;

/**
 * Enrichment without a model (RETRACE §3.3): what the selected records say, each sentence with its record, and the whole as
 * text within its limit. Every condition carries what the current tree says of it. Null when nothing was selected.
 */
export function guidanceFrom(
  problem: string,
  { selected, refused }: Selection,
  filteredOut: Guidance["refused"],
  limit = GUIDANCE_TOKENS,
): Guidance | null {
  const others = refused.map(({ candidate, why }) => ({
    id: candidate.filtered.record.meta.id,
    level: candidate.level,
    why,
  }));
  const notOffered = [...filteredOut, ...others];
  if (selected.length === 0) return null;
  const parts = selected.map(partsOf);
  const kept = fitting(selected, limit);
  return {
    problem,
    records: selected.map(recordOf),
    summary: selected.map(summaryOf).find((text) => text !== null) ?? null,
    actions: parts.flatMap(({ actions }) => actions),
    pitfalls: parts.flatMap(({ pitfalls }) => pitfalls),
    rootCauses: parts.flatMap(({ rootCauses }) => rootCauses),
    conditions: parts.flatMap(({ conditions }) => conditions),
    relations: parts.flatMap(({ relations }) => relations),
    suspected: selected.flatMap(suspectedOf),
    validation: parts.map(({ validation }) => validation).find((one) => one !== null) ?? null,
    refused: notOffered,
    text: kept.join("\n\n"),
  };
}

function recordOf({ candidate, fit, mustAdapt }: Selected): GuidanceRecord {
  const { record, staleness } = candidate.filtered;
  const { meta, level } = record;
  return {
    id: meta.id,
    level,
    repo: meta.scope.repo,
    pr: meta.provenance.pr,
    title: redact(titleOf(record)),
    fit,
    staleness: staleness.state === "retire" ? "stale" : staleness.state,
    toAdapt: [...staleness.toAdapt, ...mustAdapt],
  };
}

interface Parts
  extends Pick<Guidance, "actions" | "pitfalls" | "rootCauses" | "conditions" | "relations" | "validation"> {}

function partsOf({ candidate }: Selected): Parts {
  const { record, facts } = candidate.filtered;
  const { id } = record.meta;
  const from = (texts: readonly string[]): FromRecord[] =>
    texts.filter((text) => text.trim() !== "").map((text) => ({ text: redact(text), record: id }));
  const checked = facts.map(({ what, holds }) => ({ text: redact(what), record: id, holds }));
  const open = (texts: readonly string[]) => from(texts).map((one) => ({ ...one, holds: null }));
  switch (record.level) {
    case "L1": {
      const { p, r, v, a } = record.body.z;
      const paths = a.map(({ path }) => path);
      return {
        actions: from(r.operations.map(({ value }) => value)),
        pitfalls: [],
        rootCauses: from([p.rootCause?.value ?? ""]),
        conditions: checked,
        relations: paths.length > 1 ? from([`these were changed together: ${paths.join(", ")}`]) : [],
        validation: from([v.command])[0] ?? null,
      };
    }
    case "L2": {
      const { keyActions, pitfalls, causalChain, whenToApply, constraints, artifactRelations, validation } =
        record.body;
      return {
        actions: from(keyActions),
        pitfalls: from(pitfalls),
        rootCauses: from([causalChain]),
        conditions: open([whenToApply, ...constraints]),
        relations: from(artifactRelations),
        validation: from([validation])[0] ?? null,
      };
    }
    case "L3": {
      const { principles, mechanism, whenToApply, followOn } = record.body;
      return {
        actions: from(principles),
        pitfalls: [],
        rootCauses: from([mechanism]),
        conditions: open(whenToApply),
        relations: from(followOn),
        validation: null,
      };
    }
  }
}

function summaryOf({ candidate: { filtered } }: Selected): string | null {
  return filtered.record.level === "L2" ? redact(filtered.record.body.summary) : null;
}

function suspectedOf({ candidate }: Selected): { readonly path: string; readonly record: string }[] {
  const { record, facts } = candidate.filtered;
  if (record.level !== "L1") return [];
  const there = record.body.z.a.filter(({ path }) =>
    facts.some(({ what, holds }) => what === `${path} exists` && holds),
  );
  return there.map(({ path }) => ({ path, record: record.meta.id }));
}

const NAMES: Readonly<Record<Level, string>> = {
  L1: "An earlier repair in this repository",
  L2: "A strategy from this repository",
  L3: "A general pattern",
};

/** Records as text, most concrete first, as many as fit: L1 never goes, L2 takes its share, something of L3 stays. */
function fitting(selected: readonly Selected[], limit: number): string[] {
  let left = limit;
  const kept: string[] = [];
  for (const level of ["L1", "L2", "L3"] as const) {
    const own = selected.filter(({ candidate }) => candidate.level === level).map(sayGuidance);
    const cap = level === "L2" ? Math.max(0, (left - LEAST_L3_TOKENS) * L2_SHARE) : left;
    let used = 0;
    for (const text of own) {
      const tokens = countTokens(text);
      const isFirst = used === 0 && level !== "L2";
      const room = Math.floor(cap - used);
      if (tokens <= room) {
        kept.push(text);
        used += tokens;
      } else if (isFirst && room > 0) {
        const cut = text.slice(0, room * 3);
        kept.push(cut);
        used += Math.min(room, countTokens(cut));
      }
    }
    left -= used;
  }
  return kept;
}

function sayGuidance({ candidate, fit, mustAdapt }: Selected): string {
  const { record, staleness, facts } = candidate.filtered;
  const { meta, level } = record;
  const where = meta.provenance.pr === null ? "" : `, pull request #${meta.provenance.pr}`;
  const adapt = [...staleness.toAdapt.map((what) => `no longer so: ${what}`), ...mustAdapt];
  const moved = facts.filter(({ what, holds }) => holds === true && / is now /.test(what)).map(({ what }) => what);
  return redact(
    [
      `${NAMES[level]} (${meta.id}${where}; fit: ${fit})`,
      sayRecord(record),
      ...[...adapt, ...moved].map((text) => `to adapt: ${text}`),
    ].join("\n"),
  );
}
