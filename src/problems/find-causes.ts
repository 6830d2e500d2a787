import { z } from "zod";
import { type AskParts, ask, Cite, CitedText, showEvidence } from "../agent/ask.ts";
import { type CiteContext, type ClaimKind, judgeClaim } from "../agent/cite.ts";
import { loadPromptTexts, renderPrompt } from "../agent/prompt.ts";
import { CATEGORIES, type FailureClass } from "../domain/category.ts";
import type { Evidence, Failure } from "../domain/evidence.ts";
import type { EvidenceItem } from "../domain/experience.ts";
import type { Problem } from "../domain/problem.ts";
import { redact } from "../text/redact.ts";
import { describeProblem } from "./decompose.ts";

/** The tree under repair, to be looked into. */
export interface ProblemTree {
  readonly paths: ReadonlySet<string>;
  /** A file's text; null when it is not there, or not text. */
  read(path: string): Promise<string | null>;
}

export interface Causes {
  readonly problems: readonly Problem[];
  /** Why the model was of no help; null when it answered. */
  readonly unanswered: string | null;
}

const CLASSES = [...CATEGORIES, "unknown"] as const;
const Answer = z.strictObject({
  problems: z
    .array(
      z.strictObject({
        statement: CitedText,
        rootCause: CitedText.nullable(),
        category: z.enum(CLASSES),
        failureIds: z.array(z.string()).min(1).max(40),
        files: z.array(CitedText).max(12),
        validationId: z.string().nullable(),
        signals: z.array(z.strictObject({ value: z.string().min(1).max(300), cites: z.array(Cite).max(6) })).max(8),
      }),
    )
    .min(1)
    .max(40),
});
type Answer = z.infer<typeof Answer>;

const TEXTS = loadPromptTexts(import.meta.url, "find-causes.md");
const MOST_FAILURES = 24; // at 800 characters of log each some 6,000 tokens; a flood of more has few causes
const EXCERPT_CHARACTERS = 800;
const MOST_SNIPPETS = 8;
const SNIPPET_LINES = 12; // each way around the line that is named

/**
 * Whether a model could tell more about the causes than signatures do: there are several failures that no tool mends by
 * itself, or one that no reader understood. Otherwise the question would only cost.
 */
export function isOpenToJudgement(
  candidates: readonly Problem[],
  { failures }: Pick<Evidence, "failures">,
  mendsItself: (tool: string) => boolean,
): boolean {
  const open = candidates.filter((problem) => isOpen(problem, mendsItself));
  return rootFailures(open, failures).length > 1 || open.some(({ category }) => category === "unknown");
}

function isOpen({ tool }: Problem, mendsItself: (tool: string) => boolean): boolean {
  return tool === null || !mendsItself(tool);
}

/** The failures of these problems that follow from no other one of them; one of each signature within a validation. */
function rootFailures(problems: readonly Problem[], failures: readonly Failure[]): readonly Failure[] {
  const own = new Set(problems.flatMap((problem) => problem.failures));
  const roots = failures.filter(({ id, cascadeOf }) => own.has(id) && (cascadeOf === null || !own.has(cascadeOf)));
  const seen = new Set<string>();
  return roots.filter(({ id, validation, signature }) => {
    const key = `${validation} ${signature || id}`;
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
}

/**
 * The atomic problems of a red run as a model sees them (papers §9.2 `target.decompose`), each claim held to its evidence:
 * what is not supported is taken out. `candidates` (`decompose`) are what there is without a model, and stay where it has
 * nothing to say: what a tool mends itself, failures beyond the first {@link MOST_FAILURES}, and all of them when it does not
 * answer. A problem never spans two validations: one check has to prove it.
 */
export async function findCauses(
  candidates: readonly Problem[],
  evidence: Evidence,
  tree: ProblemTree,
  mendsItself: (tool: string) => boolean,
  model: AskParts,
): Promise<Causes> {
  const open = candidates.filter((problem) => isOpen(problem, mendsItself));
  const shown = rootFailures(open, evidence.failures).slice(0, MOST_FAILURES);
  const items = [...shown.map(logItem), ...validationItems(shown, evidence), ...(await snippets(shown, tree))];
  const said = await ask(
    {
      name: "target.decompose",
      prompt: renderPrompt(TEXTS, {
        failures: shown.map(sayFailure).join("\n"),
        validations: [...new Set(shown.map(({ validation }) => validation ?? "none"))].join(", "),
        evidence: showEvidence(items),
      }),
      schema: Answer,
      check: (answer) => complaints(answer, shown),
    },
    model,
  );
  if (!said.answered) return { problems: candidates, unanswered: said.why };
  const context = citeContext(items, tree);
  const groups = said.value.problems.flatMap((problem) => perValidation(problem, shown));
  return { problems: regrouped(candidates, groups, evidence, context, tree), unanswered: null };
}

function complaints({ problems }: Answer, shown: readonly Failure[]): string[] {
  const said = problems.flatMap(({ failureIds }) => failureIds);
  const known = new Set(shown.map(({ id }) => id));
  return [
    ...said.filter((id) => !known.has(id)).map((id) => `there is no failure ${id}`),
    ...said.filter((id, at) => said.indexOf(id) !== at).map((id) => `${id} is in two problems`),
    ...[...known].filter((id) => !said.includes(id)).map((id) => `${id} is in no problem`),
  ];
}

interface Group {
  readonly said: Answer["problems"][number];
  readonly failures: readonly Failure[];
}

function perValidation(said: Answer["problems"][number], shown: readonly Failure[]): readonly Group[] {
  const byValidation = new Map<string | null, Failure[]>();
  for (const failure of shown) {
    if (!said.failureIds.includes(failure.id)) continue;
    byValidation.set(failure.validation, [...(byValidation.get(failure.validation) ?? []), failure]);
  }
  return [...byValidation.values()].map((failures) => ({ said, failures }));
}

/** Candidates with the shown failures dealt out anew; a failure that was not shown goes where its like went. */
function regrouped(
  candidates: readonly Problem[],
  groups: readonly Group[],
  { failures, validations }: Evidence,
  context: CiteContext,
  tree: ProblemTree,
): readonly Problem[] {
  const byId = new Map(failures.map((failure) => [failure.id, failure]));
  const homeOf = new Map(groups.flatMap((group) => group.failures.map(({ id }) => [id, group] as const)));
  const members = new Map<Group, Failure[]>();
  const rest: Problem[] = [];
  for (const candidate of candidates) {
    const own = candidate.failures.flatMap((id) => byId.get(id) ?? []);
    const homes = own.flatMap((one) => homeOf.get(one.id) ?? []);
    const [first] = homes;
    if (first === undefined) rest.push(candidate);
    else {
      for (const failure of own) {
        const home = homeOf.get(failure.id) ?? homeOfLike(failure, own, homeOf) ?? first;
        members.set(home, [...(members.get(home) ?? []), failure]);
      }
    }
  }
  const orders = new Map(validations.map(({ id, order }) => [id, order]));
  const ids = new Ids(candidates);
  const made = [...members].map(([{ said }, own]) => {
    const like = candidates.find(({ failures: theirs }) => sameMembers(theirs, own));
    const id = like?.id ?? ids.take(own);
    const described =
      like ?? describeProblem(id, own, Math.min(...own.map(({ validation }) => orders.get(validation ?? "") ?? 9_999)));
    return withClaims(described, said, like === undefined, context, tree);
  });
  return [...made, ...rest];
}

function homeOfLike(failure: Failure, own: readonly Failure[], homeOf: ReadonlyMap<string, Group>): Group | undefined {
  const like = own.find(
    ({ id, signature }) => homeOf.has(id) && (id === failure.cascadeOf || signature === failure.signature),
  );
  return like === undefined ? undefined : homeOf.get(like.id);
}

function sameMembers(ids: readonly string[], failures: readonly Failure[]): boolean {
  return ids.length === failures.length && failures.every(({ id }) => ids.includes(id));
}

/** Ids as people saw them where a problem is still about the same failures, new ones behind them. */
class Ids {
  private readonly free: Map<string, Problem>;
  private next: number;

  constructor(candidates: readonly Problem[]) {
    this.free = new Map(candidates.map((candidate) => [candidate.id, candidate]));
    this.next = candidates.length;
  }

  take(failures: readonly Failure[]): string {
    const [first] = failures;
    const home = [...this.free.values()].find((one) => first !== undefined && one.failures.includes(first.id));
    if (home !== undefined) this.free.delete(home.id);
    this.next += home === undefined ? 1 : 0;
    return home?.id ?? `p${this.next}`;
  }
}

const TITLE_CHARACTERS = 120;

function withClaims(
  problem: Problem,
  said: Answer["problems"][number],
  isNew: boolean,
  context: CiteContext,
  { paths }: ProblemTree,
): Problem {
  const supported = (kind: ClaimKind, claim: CitedText | null): string | null => {
    if (claim === null) return null;
    const { claim: judged } = judgeClaim(kind, claim.value, claim.cites, context);
    return judged.support === "unsupported" ? null : redact(judged.value);
  };
  const statement = supported("statement", said.statement);
  const rootCause = supported("rootCause", said.rootCause);
  const signals = said.signals.flatMap((claim) => supported("signals", claim) ?? []);
  const files = said.files.map(({ value }) => value).filter((path) => paths.has(path));
  return {
    ...problem,
    // A title that people saw already stays; the readers' own class is read off the log, and stands.
    title: isNew && statement !== null ? oneLine(statement) : problem.title,
    category: problem.category === "unknown" ? (said.category satisfies FailureClass) : problem.category,
    files: [...new Set([...problem.files, ...files])],
    ...(rootCause === null ? {} : { rootCause }),
    ...(signals.length === 0 ? {} : { signals }),
  };
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > TITLE_CHARACTERS ? `${line.slice(0, TITLE_CHARACTERS - 1)}…` : line;
}

/* ------------------------------------------------------------------ evidence */

function sayFailure({ id, tool, category, validation, location, message }: Failure): string {
  const place = location === null ? "" : ` at ${location.file}${location.line === null ? "" : `:${location.line}`}`;
  const text = redact(message).replace(/\s+/g, " ").slice(0, 200);
  return `- ${id} (validation ${validation ?? "none"}, ${tool ?? "no tool"}, ${category})${place}: ${text}`;
}

function logItem({ id, source, lines, excerpt }: Failure): EvidenceItem {
  return {
    id: `L-${id}`,
    kind: "log",
    text: redact(excerpt).slice(0, EXCERPT_CHARACTERS),
    locator: `${source}:${lines[0] ?? ""}`,
  };
}

function validationItems(shown: readonly Failure[], { validations }: Evidence): readonly EvidenceItem[] {
  const ids = new Set(shown.map(({ validation }) => validation));
  return validations
    .filter(({ id }) => ids.has(id))
    .map(({ id, command, job, step }) => ({
      id: `V-${id}`,
      kind: "workflow_def",
      text: redact(command).slice(0, EXCERPT_CHARACTERS),
      locator: [job, step?.name].filter((part) => part != null).join(" › "),
    }));
}

/** The code around the places that the failures name. */
async function snippets(shown: readonly Failure[], tree: ProblemTree): Promise<readonly EvidenceItem[]> {
  const items: EvidenceItem[] = [];
  const seen = new Set<string>();
  for (const { location } of shown) {
    if (items.length >= MOST_SNIPPETS) break;
    if (location === null || !tree.paths.has(location.file)) continue;
    const from = Math.max(1, (location.line ?? 1) - SNIPPET_LINES);
    const key = `${location.file}:${Math.floor(from / SNIPPET_LINES)}`;
    const text = seen.has(key) ? null : await tree.read(location.file);
    seen.add(key);
    if (text === null) continue;
    const lines = text.split("\n").slice(from - 1, from - 1 + 2 * SNIPPET_LINES);
    items.push({
      id: `F${items.length + 1}`,
      kind: "file",
      text: redact(lines.join("\n")).slice(0, 2 * EXCERPT_CHARACTERS),
      locator: `${location.file}:${from}`,
    });
  }
  return items;
}

function citeContext(items: readonly EvidenceItem[], { paths }: ProblemTree): CiteContext {
  const byId = new Map(items.map((item) => [item.id, item]));
  return {
    item: (id) => byId.get(id) ?? null,
    fateOf: () => null,
    isUnreached: () => false,
    inTree: (entity) => paths.has(entity) || [...paths].some((path) => path.endsWith(`/${entity}`)),
  };
}
