import { renderText } from "../../../agent/prompt.ts";
import { compareTrials, type Trial, tryCandidate } from "../../../agent/trial.ts";
import type { Workbench } from "../../../agent/workbench.ts";
import type { Switches } from "../../../domain/switches.ts";
import type { TreeId } from "../../../ports/git.ts";
import { fence } from "../../../text/fence.ts";
import { countTokens } from "../../../text/tokens.ts";
import type { RepairTask } from "../../engine.ts";
import { askRole, type Team } from "./ask-role.ts";
import { type BugMeta, type Extra, ownExtras, type ShownCode, sayBug } from "./bug.ts";
import { assemble } from "./candidate.ts";
import { marksFor } from "./comment-syntax.ts";
import { type Marked, markByLine, numbered, transplantMarks } from "./marks.ts";
import { FIXER, FIXERPRO, LOCATOR, SLICER } from "./roles.ts";
import { shorten } from "./shorten.ts";
import { anchorSlice, cut } from "./slice.ts";

/** One bug in work, in one file. */
export interface Work {
  readonly task: RepairTask;
  readonly bench: Workbench;
  readonly bug: BugMeta;
  readonly team: Team;
  /** The tree every patch is against. */
  readonly start: TreeId;
  readonly switches: Switches["fa"];
  /** The model gives no more answers: nothing is left to spend, or its endpoint failed. */
  readonly isOver: () => boolean;
}

/** A patch that was tested. */
export interface Tried {
  readonly diff: string;
  readonly trial: Trial;
  /** What it wanted to do. */
  readonly logic: string;
  /** FixerPro's word on it, "" without one. */
  readonly analysis: string;
}

/** What one pass along the line knows: each station can be taken up again from here. */
export interface Pass {
  readonly shown: ShownCode;
  readonly marked: Marked | null;
  readonly extras: readonly Extra[];
  readonly tried: Tried | null;
}

const CODE_TOKENS = 8_000; // papers §3.2
const FIXER_SAMPLES = 2; // papers G24: patches for each answer of the Locator

/** The check passes with it, as far as this problem goes. */
export function isPlausible(tried: Tried | null): boolean {
  return tried?.trial.score === 2;
}

/** The whole file as the roles see it, shortened where it is too long; null when it cannot be made to fit. */
export async function showFile({ bug, team }: Work): Promise<ShownCode | null> {
  const fitsAsItIs = countTokens(bug.code) <= CODE_TOKENS;
  const { code, without, fits } = shorten(
    bug.code,
    CODE_TOKENS,
    fitsAsItIs ? null : await team.tools.coverage(bug.file),
  );
  if (!fits) return null;
  return { code, part: without === "" ? "" : ` (shown without ${without})` };
}

/** Slicer: the suspicious piece; the whole file when no end of it can be found again (papers §14.1). */
export async function slice(work: Work, whole: ShownCode, extras: readonly Extra[]): Promise<ShownCode> {
  const { bug, team, switches } = work;
  if (!switches.agents.slicer) return whole;
  const holes = { bug: sayBug(bug, whole, extras) };
  for (let attempt = 0; attempt < SLICER.tries && !work.isOver(); attempt++) {
    const said = await askRole(SLICER, holes, bug, team);
    const found = said === null ? null : anchorSlice(bug.code, said.answer.first, said.answer.last);
    if (found !== null) return { code: cut(bug.code, found), part: ` (lines ${found.start} to ${found.end})` };
  }
  return whole;
}

/** Locator: marks on the code as it is shown; null without any, and the Fixer then works on unmarked code. */
export async function locate(work: Work, shown: ShownCode, extras: readonly Extra[]): Promise<Marked | null> {
  const { bug, team, switches } = work;
  if (!switches.agents.locator) return null;
  const marks = marksFor(bug.file);
  const text = marks === null ? { ...shown, code: numbered(shown.code) } : shown;
  const how = marks === null ? renderText(LOCATOR.texts, "by-line") : renderText(LOCATOR.texts, "by-comment", marks);
  const holes = { bug: sayBug(bug, text, extras), how };
  let raw: Marked | null = null;
  for (let attempt = 0; attempt < LOCATOR.tries && !work.isOver(); attempt++) {
    const said = await askRole(LOCATOR, holes, bug, team);
    if (said === null) continue;
    const { marked, marks: byLine } = said.answer;
    const found = marks === null ? markByLine(shown.code, byLine ?? []) : transplantMarks(shown.code, marked ?? "");
    if (found !== null) return found;
    if (marked !== null && marked.trim() !== "") raw = { text: marked, count: 0 };
  }
  // papers §14.1: no valid marks after m tries, so the raw answer is taken.
  return raw;
}

/** Fixer: up to two patches for one set of marks; the best one, tested. Null when no diff could be used. */
export async function fix(work: Work, pass: Omit<Pass, "tried">): Promise<Tried | null> {
  let best: Tried | null = null;
  for (let sample = 0; sample < FIXER_SAMPLES && !work.isOver(); sample++) {
    const tried = await fixOnce(work, pass);
    if (tried === null) return best;
    best = better(best, tried);
    if (isPlausible(best) || best.trial.run === null) return best;
  }
  return best;
}

async function fixOnce(work: Work, { shown, marked, extras }: Omit<Pass, "tried">): Promise<Tried | null> {
  const { bug, team, switches } = work;
  if (!switches.agents.fixer) return null;
  const code = marked === null ? shown : { ...shown, code: marked.text };
  const about = sayBug(bug, code, extras);
  let why = "";
  for (let attempt = 0; attempt < FIXER.tries && !work.isOver(); attempt++) {
    const again = why === "" ? "" : renderText(FIXER.texts, "again", { why });
    const said = await askRole(FIXER, { bug: about, again }, bug, team);
    if (said === null) continue;
    const tried = await test(work, said.answer.diff, said.explanation);
    if (typeof tried !== "string") return tried;
    why = tried;
  }
  return null;
}

/** Tests a diff; why it is none when it cannot be placed. */
async function test(work: Work, diff: string, logic: string): Promise<Tried | string> {
  const { candidate, unplaced } = await assemble(diff, work.bug.file, work.start, work.bench.copy);
  if (candidate === null) {
    return unplaced.length === 0 ? "it holds no change" : `no place was found for its lines: ${unplaced.join("; ")}`;
  }
  return { diff, trial: await tryCandidate(candidate, work.task, work.bench), logic, analysis: "" };
}

/**
 * FixerPro: looks at a tested patch. What it writes takes the patch's place only when testing it says that it is better, or
 * as good and no larger (papers §3.4). Without a patch, or switched off, what was there stays.
 */
export async function review(work: Work, pass: Pass): Promise<Tried | null> {
  const { bug, team, switches } = work;
  const { tried } = pass;
  if (tried === null || !switches.agents.fixerpro || work.isOver()) return tried;
  const code = pass.marked === null ? pass.shown : { ...pass.shown, code: pass.marked.text };
  const feedback = switches.tools.testFeedback ? sayFeedback(tried) : fence("(not shown)");
  let why = "";
  for (let attempt = 0; attempt < FIXERPRO.tries && !work.isOver(); attempt++) {
    const holes = {
      bug: sayBug(bug, code, pass.extras),
      patch: fence(tried.diff, "diff"),
      feedback,
      task: [renderText(FIXERPRO.texts, isPlausible(tried) ? "optimise" : "repair"), why].join("\n\n").trim(),
    };
    const said = await askRole(FIXERPRO, holes, bug, team);
    if (said === null) return tried;
    const analysis = said.answer.analysis;
    if (said.answer.diff.trim() === "") return { ...tried, analysis };
    const other = await test(work, said.answer.diff, said.explanation);
    if (typeof other !== "string") return choose(tried, { ...other, analysis }, analysis);
    why = renderText(FIXER.texts, "again", { why: other });
  }
  return tried;
}

function choose(tried: Tried, other: Tried, analysis: string): Tried {
  const order = compareTrials(other.trial, tried.trial);
  const smaller = (other.trial.patch?.length ?? 0) <= (tried.trial.patch?.length ?? 0);
  return order < 0 || (order === 0 && smaller) ? other : { ...tried, analysis };
}

/** The better of two by what testing said; of two alike the one with an analysis, else the earlier. */
export function better(a: Tried | null, b: Tried | null): Tried {
  if (a === null || b === null) {
    const one = a ?? b;
    if (one === null) throw new Error("neither of the two was tried");
    return one;
  }
  const order = compareTrials(b.trial, a.trial);
  return order < 0 || (order === 0 && a.analysis === "" && b.analysis !== "") ? b : a;
}

function sayFeedback({ trial: { feedback, score } }: Tried): string {
  return fence(score === 2 ? "The check passes." : `${feedback.stage}: ${feedback.message}`);
}

/** Extras of a level: the bug's own and what the level found out. */
export function extrasOf(bug: BugMeta, found: readonly Extra[]): readonly Extra[] {
  return [...ownExtras(bug), ...found];
}
