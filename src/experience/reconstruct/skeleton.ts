import type { Artifact, Citation, Cited, HunkRef, ProblemRepair } from "../../domain/experience.ts";
import { redact } from "../../text/redact.ts";
import type { Attribution } from "./attribute.ts";
import { confidenceOf } from "./confidence.ts";
import { commitId, logId } from "./evidence-pack.ts";
import type { OpenEpisode } from "./open-episode.ts";
import type { Piece } from "./piece-facts.ts";
import { roleOf } from "./roles.ts";

export interface Drafted {
  readonly records: readonly ProblemRepair[];
  readonly rejected: readonly { readonly statement: string; readonly why: string }[];
}

/** Reconstruction without a model: what diagnostics, tool scopes, tests, pushes and line history say, and no more. */
export function skeletonRecords(open: OpenEpisode, attributions: readonly Attribution[]): Drafted {
  if (open.episode.fixedByBase) {
    return {
      records: [],
      rejected: open.groups.map((group) => ({
        statement: titleOf({ group, pieces: [] }),
        why: "repaired by a merge of the base",
      })),
    };
  }
  const kept = attributions.filter(({ pieces }) => pieces.length > 0);
  const missed = attributions.filter(({ pieces }) => pieces.length === 0);
  return {
    records: kept.map((one, index) => recordOf(`z${index + 1}`, one, open)),
    rejected: missed.map((one) => ({
      statement: titleOf(one),
      why: "no change of the final patch could be linked to it",
    })),
  };
}

function recordOf(id: string, attribution: Attribution, open: OpenEpisode): ProblemRepair {
  const { group, pieces } = attribution;
  const [first] = group.failures;
  const hunks = pieces.map(({ piece }) => piece.hunk.ref);
  const signals = signalsOf(attribution);
  const operations = operationsOf(pieces.map(({ piece }) => piece));
  const validation = group.validation;
  const statement: Cited<string> = { value: titleOf(attribution), cites: signals[0]?.cites ?? [], support: "verified" };
  const draft: Omit<ProblemRepair, "confidence"> = {
    id,
    provenance: open.episode.completeness === "no_commits" ? "endpoint_only" : "both",
    sourceIds: [group.id],
    conflict: false,
    p: {
      statement,
      rootCause: null,
      category: first?.category ?? "unknown",
      signals,
      signatures: [...new Set(group.failures.map(({ signature }) => signature))],
      tool: first?.tool ?? null,
      rule: first?.rule ?? null,
      visibility: group.exposed || validation?.status === "unreached" ? "hidden" : "primary",
    },
    a: artifactsOf(pieces.map(({ piece }) => piece)),
    r: {
      operations,
      hunks,
      commits: commitsOf(hunks, open),
      touchesWorkflow: hunks.some(({ path }) => roleOf(path) === "workflow"),
      autofixTool: autofixTool(attribution, open),
    },
    v: {
      id: validation?.id ?? "",
      command: redact(validation?.command ?? first?.command ?? ""),
      tool: validation?.tool ?? first?.tool ?? null,
      before: validation?.status === "unreached" ? "unreached" : "failed",
      after: "successful",
    },
    e: {
      problem: statement.cites,
      signals: signals.flatMap(({ cites }) => cites),
      operations: operations.flatMap(({ cites }) => cites),
      validation: validation === null ? [] : [{ id: `S-${validation.id}`, quote: null }],
      hunks: pieces.map(({ piece }): Citation => ({ id: piece.id, quote: null })),
      commits: commitCites(hunks, open),
    },
    removedFields: [{ field: "rootCause", why: "no model was there to infer one" }],
  };
  return { ...draft, confidence: confidenceOf(draft, open.input.evidence.quality) };
}

const TITLE_CHARACTERS = 160;

function titleOf({ group }: Attribution): string {
  const [first] = group.failures;
  if (first === undefined) return "";
  const files = new Set(group.failures.flatMap(({ location }) => location?.file ?? []));
  const what = first.testId ?? first.message.split("\n")[0] ?? "";
  const more =
    group.failures.length > 1
      ? ` (and ${group.failures.length - 1} more${files.size > 1 ? ` in ${files.size} files` : ""})`
      : "";
  return `${first.tool === null ? "" : `${first.tool}: `}${what}`.slice(0, TITLE_CHARACTERS) + more;
}

const MOST_SIGNALS = 10;
const QUOTE_CHARACTERS = 200; // papers §9.1

function signalsOf({ group }: Attribution): readonly Cited<string>[] {
  return group.failures.slice(0, MOST_SIGNALS).map((failure) => {
    const line = failure.message.split("\n")[0] ?? "";
    const quote = failure.excerpt.includes(line) && line !== "" ? line.slice(0, QUOTE_CHARACTERS) : null;
    return {
      value: line,
      cites: [{ id: logId(failure.id), quote }],
      support: quote === null ? "inferred" : "verified",
    };
  });
}

/** One operation for each file, in the words of the patch. */
function operationsOf(pieces: readonly Piece[]): readonly Cited<string>[] {
  const files = [...new Set(pieces.map(({ path }) => path))];
  return files.map((path) => {
    const own = pieces.filter((piece) => piece.path === path);
    const symbols = symbolsOf(own);
    const count = (kind: "added" | "removed"): number =>
      own.reduce((sum, { hunk }) => sum + hunk.lines.filter((line) => line.kind === kind).length, 0);
    const where = symbols.length === 0 ? path : `${symbols.slice(0, 3).join(", ")} in ${path}`;
    const cites = own.map(({ id, hunk }) => ({
      id,
      quote: hunk.lines[0]?.text.trim().slice(0, QUOTE_CHARACTERS) ?? null,
    }));
    return { value: `change ${where} (+${count("added")} −${count("removed")})`, cites, support: "verified" as const };
  });
}

/** The files of a repair with what was changed in them. */
export function artifactsOf(pieces: readonly Piece[]): readonly Artifact[] {
  return [...new Set(pieces.map(({ path }) => path))].map((path) => ({
    path,
    role: roleOf(path),
    symbols: symbolsOf(pieces.filter((piece) => piece.path === path)),
  }));
}

function symbolsOf(pieces: readonly Piece[]): string[] {
  return [...new Set(pieces.flatMap(({ definitions }) => definitions[0]?.name ?? []))];
}

/** The commits of some hunks, in the order they were made. */
export function commitsOf(hunks: readonly HunkRef[], { episode }: Pick<OpenEpisode, "episode">): readonly string[] {
  const own = new Set(hunks.map(({ commit }) => commit));
  return episode.commits.map(({ sha }) => sha).filter((sha) => own.has(sha));
}

/** Cites of the commits of some hunks. */
export function commitCites(hunks: readonly HunkRef[], { episode }: Pick<OpenEpisode, "episode">): readonly Citation[] {
  const own = new Set(hunks.map(({ commit }) => commit));
  return episode.commits.flatMap(({ sha }, index) => (own.has(sha) ? [{ id: commitId(index), quote: null }] : []));
}

/** The tool found it, has its own fixer, and nothing but its findings was changed. */
function autofixTool({ group, pieces }: Attribution, { input }: OpenEpisode): string | null {
  const tool = group.failures[0]?.tool ?? null;
  if (tool === null || !input.mendsItself(tool)) return null;
  return group.failures[0]?.category === "code_formatting" && pieces.every(({ piece }) => piece.isLayout) ? tool : null;
}
