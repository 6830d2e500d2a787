import { z } from "zod";
import { type AskParts, ask, Cite, CitedText, showEvidence } from "../../agent/ask.ts";
import { loadPromptTexts, renderPrompt } from "../../agent/prompt.ts";
import type { FailureClass } from "../../domain/category.ts";
import { type Candidate, CategoryAnswer, claim, unionOf } from "./candidate.ts";
import { inChunks } from "./chunks.ts";
import type { HunkFate } from "./commit-fates.ts";
import { showFailures, showValidations, type Viewed } from "./endpoint-view.ts";
import { commitId, hunkId } from "./evidence-pack.ts";
import type { OpenEpisode } from "./open-episode.ts";

const EVENT_KINDS = ["introduced", "repaired", "replaced", "supported"] as const;

const Selected = z.strictObject({
  groups: z.array(
    z.strictObject({
      files: z.array(z.string()),
      validationId: z.string().nullable(),
      category: CategoryAnswer.nullable(),
      reason: z.string().max(600),
      cites: z.array(Cite).max(12),
    }),
  ),
});

const Events = z.strictObject({
  events: z.array(
    z.strictObject({
      kind: z.enum(EVENT_KINDS),
      problem: CitedText,
      rootCause: CitedText.nullable(),
      hunkIds: z.array(z.string()).min(1),
      validationId: z.string().nullable(),
      category: CategoryAnswer,
      fix: CitedText.nullable(),
    }),
  ),
});

const Consolidated = z.strictObject({
  records: z.array(
    z.strictObject({
      eventIds: z.array(z.string()).min(1),
      statement: CitedText,
      rootCause: CitedText.nullable(),
      operations: z.array(CitedText).max(20),
    }),
  ),
});

const FILES = loadPromptTexts(import.meta.url, "development-files.md");
const EVENTS = loadPromptTexts(import.meta.url, "development-events.md");
const CONSOLIDATE = loadPromptTexts(import.meta.url, "development-consolidate.md");

/** One thing a commit did about a problem. `hunks` are hunks of the commit. */
interface Event extends Omit<z.infer<typeof Events>["events"][number], "hunkIds"> {
  readonly id: string;
  readonly hunks: readonly HunkFate[];
}

/**
 * Walks forward through the commits (papers §1.5). What became of a change is the line history's word, not the model's:
 * only what the final patch owes to a commit becomes part of a candidate.
 */
export async function developmentView(open: OpenEpisode, parts: AskParts): Promise<Viewed> {
  const unanswered: string[] = [];
  const events: Event[] = [];
  for (const [index, { sha }] of open.episode.commits.entries()) {
    const own = open.fates.commits.filter(({ hunk }) => hunk.commit === sha && !hunk.external);
    if (own.length === 0) continue;
    const relevant = await selectFiles(index, own, open, parts, unanswered);
    const found = await eventsOf(
      index,
      own.filter(({ hunk }) => relevant(hunk.path)),
      events,
      open,
      parts,
      unanswered,
    );
    events.push(...found);
  }
  const candidates: Candidate[] = [];
  for (const group of groupEvents(events, open))
    candidates.push(...(await consolidate(group, open, parts, unanswered)));
  return {
    candidates: candidates.map((one, index) => ({ ...one, id: `D${index + 1}`, sourceIds: [`D${index + 1}`] })),
    unanswered,
  };
}

function idsOf(open: OpenEpisode, hunks: readonly HunkFate[]): string[] {
  return hunks.map((fate) => hunkId(open.fates.commits.indexOf(fate)));
}

function showCommit(index: number, open: OpenEpisode): string {
  return showEvidence(open.pack.some([commitId(index)]));
}

/** Which files of a commit a validation could see; all of them when that is not answered: safer than none. */
async function selectFiles(
  index: number,
  own: readonly HunkFate[],
  open: OpenEpisode,
  parts: AskParts,
  unanswered: string[],
): Promise<(path: string) => boolean> {
  const files = new Set(own.map(({ hunk }) => hunk.path));
  if (files.size < 2) return () => true;
  const chosen = new Set<string>();
  for (const chunk of inChunks(idsOf(open, own), (id) => open.pack.get(id)?.text ?? "")) {
    const prompt = renderPrompt(FILES, {
      validations: showValidations(open),
      failures: showFailures(open),
      commit: showCommit(index, open),
      hunks: showEvidence(open.pack.some(chunk)),
    });
    const answer = await ask({ name: "dev.selectFiles", prompt, schema: Selected }, parts);
    if (!answer.answered) {
      unanswered.push(answer.why);
      return () => true;
    }
    for (const { files: named } of answer.value.groups) for (const file of named) chosen.add(file);
  }
  return (path) => chosen.has(path);
}

async function eventsOf(
  index: number,
  own: readonly HunkFate[],
  earlier: readonly Event[],
  open: OpenEpisode,
  parts: AskParts,
  unanswered: string[],
): Promise<readonly Event[]> {
  const byId = new Map(own.map((fate) => [hunkId(open.fates.commits.indexOf(fate)), fate]));
  const found: Event[] = [];
  for (const chunk of inChunks([...byId.keys()], (id) => open.pack.get(id)?.text ?? "")) {
    const prompt = renderPrompt(EVENTS, {
      validations: showValidations(open),
      failures: showFailures(open),
      earlier: earlier.map(({ id, kind, problem }) => `${id} ${kind}: ${problem.value}`).join("\n") || "none",
      commit: showCommit(index, open),
      hunks: chunk.map((id) => `${showEvidence(open.pack.some([id]))}\n${fateText(byId.get(id))}`).join("\n\n"),
    });
    const answer = await ask({ name: "dev.events", prompt, schema: Events }, parts);
    if (!answer.answered) {
      unanswered.push(answer.why);
      continue;
    }
    for (const { hunkIds, ...event } of answer.value.events) {
      const hunks = hunkIds.flatMap((id) => byId.get(id) ?? []);
      const repairs = event.kind === "repaired" || event.kind === "replaced";
      if (hunks.length === 0) continue;
      found.push({ ...event, fix: repairs ? event.fix : null, hunks, id: `V${earlier.length + found.length + 1}` });
    }
  }
  return found;
}

function fateText(fate: HunkFate | undefined): string {
  if (fate === undefined) return "";
  const removed = fate.removed === null ? "" : `; what it took away: ${fate.removed.fate}`;
  return `became: ${fate.fate}${removed}`;
}

// papers §1.5: a validation the log does not tell stands last.
const UNKNOWN_ORDER = 9999;

function groupEvents(events: readonly Event[], { input }: OpenEpisode): readonly (readonly Event[])[] {
  const validations = new Map(input.evidence.validations.map((one) => [one.id, one]));
  const groups = new Map<string, { readonly order: number; readonly events: Event[] }>();
  for (const event of events) {
    if (event.kind === "introduced") continue;
    const validation = validations.get(event.validationId ?? "");
    const key = `${validation?.command ?? ""}\u0000${event.category}`;
    const group = groups.get(key) ?? { order: validation?.order ?? UNKNOWN_ORDER, events: [] };
    group.events.push(event);
    groups.set(key, group);
  }
  return [...groups.values()].sort((a, b) => a.order - b.order).map(({ events }) => events);
}

async function consolidate(
  events: readonly Event[],
  open: OpenEpisode,
  parts: AskParts,
  unanswered: string[],
): Promise<readonly Candidate[]> {
  const byId = new Map(events.map((event) => [event.id, event]));
  const whole = (): readonly Candidate[] =>
    chains(events)
      .map((chain) => candidateOf(chain, null, open))
      .filter((one) => one !== null);
  if (events.length === 1) return whole();
  const prompt = renderPrompt(CONSOLIDATE, {
    events: events
      .map(
        (event) =>
          `${event.id} ${event.kind}: ${event.problem.value}\nfix: ${event.fix?.value ?? "none"}\nhunks: ${idsOf(open, event.hunks).join(", ")}`,
      )
      .join("\n\n"),
    evidence: showEvidence(open.pack.some(events.flatMap((event) => idsOf(open, event.hunks)))),
  });
  const answer = await ask({ name: "dev.consolidate", prompt, schema: Consolidated }, parts);
  if (!answer.answered) {
    unanswered.push(answer.why);
    return whole();
  }
  const told = new Set<string>();
  const candidates: (Candidate | null)[] = [];
  for (const record of answer.value.records) {
    // An event told twice belongs to the record that told it first.
    const own = record.eventIds.flatMap((id) => (told.has(id) ? [] : (byId.get(id) ?? [])));
    for (const { id } of own) told.add(id);
    if (own.length > 0) candidates.push(candidateOf(own, record, open));
  }
  for (const chain of chains(events.filter(({ id }) => !told.has(id)))) candidates.push(candidateOf(chain, null, open));
  return candidates.filter((one) => one !== null);
}

/** Events that touch the same hunks of the final patch belong together. */
function chains(events: readonly Event[]): readonly (readonly Event[])[] {
  const groups: Event[][] = [];
  for (const event of events) {
    const hunks = new Set(event.hunks);
    const open = groups.find((group) => group.some((other) => other.hunks.some((hunk) => hunks.has(hunk))));
    if (open === undefined) groups.push([event]);
    else open.push(event);
  }
  return groups;
}

/** Null when nothing of it is left in the final patch: then it is history, not a repair. */
function candidateOf(
  events: readonly Event[],
  record: z.infer<typeof Consolidated>["records"][number] | null,
  open: OpenEpisode,
): Candidate | null {
  const own = new Set(events.flatMap((event) => event.hunks.map(({ hunk }) => hunk)));
  const hunks = open.fates.delta.filter(({ from }) => from.some((hunk) => own.has(hunk))).map(({ ref }) => ref.id);
  const [first] = events;
  if (hunks.length === 0 || first === undefined) return null;
  const rootCause = record === null ? first.rootCause : record.rootCause;
  const category: FailureClass = first.category;
  const validation = open.input.evidence.validations.find(({ id }) => id === first.validationId);
  return {
    id: "",
    sourceIds: [],
    statement: claim(record?.statement ?? first.problem),
    rootCause: rootCause === null ? null : claim(rootCause),
    category,
    issueType: category,
    operations: unionOf([
      (record?.operations ?? []).map(claim),
      events.flatMap(({ fix }) => (fix === null ? [] : [claim(fix)])),
    ]),
    signals: [],
    hunks,
    validation: validation?.id ?? null,
    visibility: validation?.status === "unreached" ? "hidden" : "primary",
    conflict: false,
  };
}
