import {
  type Citation,
  type Cited,
  type EvidenceItem,
  type EvidenceKind,
  type Fate,
  isEffective,
} from "../domain/experience.ts";

/** What a claim is about decides what may speak for it (papers §9.3). */
export type ClaimKind =
  | "statement"
  | "signals"
  | "rootCause"
  | "operations"
  | "artifacts"
  | "validation"
  | "status"
  | "development"
  | "edge";

export interface CiteContext {
  /** The evidence that was handed to the model; null for an id that was not. */
  readonly item: (id: string) => EvidenceItem | null;
  /** Null for what is no hunk. */
  readonly fateOf: (id: string) => Fate | null;
  /** Evidence ids of validations that were never reached: they may speak for hidden problems. */
  readonly isUnreached: (id: string) => boolean;
  /** Whether the repository holds it at either end: in a path or in a text. */
  readonly inTree: (entity: string) => boolean;
}

export interface Judged {
  readonly claim: Cited<string>;
  /** Why it is unsupported, one line; null when it is not. */
  readonly why: string | null;
}

const KINDS: Readonly<Record<ClaimKind, readonly EvidenceKind[]>> = {
  statement: ["log", "annotation", "test_result"],
  signals: ["log", "annotation", "test_result"],
  rootCause: ["log", "file", "hunk", "blame"],
  operations: ["hunk"],
  artifacts: ["log", "hunk", "file"],
  validation: ["workflow_def", "step_status"],
  status: ["job_status", "ci_result"],
  development: ["commit", "hunk"],
  edge: ["hunk", "file"],
};

/**
 * Holds one claim to its evidence, without a model (papers §9.3): cites must exist, be of a kind that can speak for such a
 * claim, be quoted verbatim; every name in the claim must stand in what is cited or in the repository; a repair cannot
 * cite what did not stay.
 */
export function judgeClaim(kind: ClaimKind, value: string, cites: readonly Citation[], context: CiteContext): Judged {
  const kept: Citation[] = [];
  let complaint = "it cites nothing";
  for (const cite of cites) {
    const wrong = whyNot(cite, kind, context);
    if (wrong === null) kept.push(cite);
    else complaint = wrong;
  }
  const unsupported = (why: string): Judged => ({ claim: { value, cites: [], support: "unsupported" }, why });
  const fitting = kept.filter((cite) => fits(cite, kind, context));
  if (fitting.length === 0) {
    return unsupported(kept.length === 0 ? complaint : `nothing it cites can speak for ${kind}`);
  }
  const texts = kept.flatMap(({ id }) => context.item(id)?.text ?? []);
  const unknown = entitiesIn(value).find(
    (entity) => !texts.some((text) => text.includes(entity)) && !context.inTree(entity),
  );
  if (unknown !== undefined) return unsupported(`${unknown} stands neither in what it cites nor in the repository`);
  const support = kept.some(({ quote }) => quote !== null) ? "verified" : "inferred";
  return { claim: { value, cites: kept, support }, why: null };
}

function whyNot({ id, quote }: Citation, kind: ClaimKind, context: CiteContext): string | null {
  const item = context.item(id);
  if (item === null) return `there is no evidence ${id}`;
  if (quote !== null && !squeeze(item.text).includes(squeeze(quote)))
    return `${id} does not say "${quote.slice(0, 60)}"`;
  const fate = context.fateOf(id);
  if (kind === "operations" && fate !== null && !isEffective(fate)) return `${id} did not stay (${fate})`;
  return null;
}

function fits({ id }: Citation, kind: ClaimKind, context: CiteContext): boolean {
  const item = context.item(id);
  if (item === null) return false;
  if ((kind === "statement" || kind === "signals") && item.kind === "step_status") return context.isUnreached(id);
  return KINDS[kind].includes(item.kind);
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

const PROSE_PAIRS = /^(?:e\.g|i\.e|etc|vs|and\/or|read\/write|input\/output|true\/false|yes\/no|either\/or)$/i;

/**
 * What a text names that can be checked: paths, dotted and snake names, camel and Pascal case, versions, rule codes, what
 * stands in backticks.
 */
export function entitiesIn(text: string): readonly string[] {
  const ticked = [...text.matchAll(/`([^`\n]{1,200})`/g)].map((match) => match[1]?.trim() ?? "");
  const bare = text.replace(/`[^`\n]*`/g, " ");
  const shaped =
    bare.match(
      /(?:[\w@.-]+\/)+[\w@.-]*\w|\b\w+(?:[._]\w+)+\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z0-9]+[A-Z]\w*\b|\b[A-Z]{1,6}-?\d{2,6}\b|\bv?\d+\.\d+(?:\.\d+)?\b/g,
    ) ?? [];
  return [...new Set([...ticked, ...shaped])].filter((entity) => entity !== "" && !PROSE_PAIRS.test(entity));
}
