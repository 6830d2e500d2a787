import { loadPromptTexts, renderText } from "../../../agent/prompt.ts";
import type { Failure } from "../../../domain/evidence.ts";
import { elide } from "../../../text/elide.ts";
import { fence } from "../../../text/fence.ts";
import { redact } from "../../../text/redact.ts";
import { countTokens } from "../../../text/tokens.ts";
import type { HandOff, RepairTask } from "../../engine.ts";

const TEXTS = loadPromptTexts(import.meta.url, "bug.md");

/** A bug as every role sees it (papers §3.1): it is never changed, each level starts from it (papers G21). */
export interface BugMeta {
  readonly title: string;
  readonly category: string;
  readonly file: string;
  /** The file's own text. */
  readonly code: string;
  /** What fails, fenced and within its limit. */
  readonly failing: string;
  readonly requirement: string | null;
  readonly history: string;
  readonly guidance: string;
  readonly handOff: string;
}

/** Something a prompt may show; what stands later goes first when all of it is too long. */
export interface Extra {
  readonly name: "requirement" | "history" | "guidance" | "hand-off" | "reference" | "summaries" | "coverage";
  readonly text: string;
}

// papers §3.2: 30,000 tokens in all, 1,000 of failing tests.
const OVERALL_TOKENS = 30_000;
const FAILING_CHARACTERS = { head: 3_000, tail: 1_000 };
const GUIDANCE_CHARACTERS = { head: 12_000, tail: 0 };
const MOST_FAILURES = 6;

/** What the task says about one file. `history` is what `RepairContext.history` told. */
export function readBug(task: RepairTask, file: string, code: string, history: string): BugMeta {
  const { problem, context } = task;
  return {
    title: oneLine(problem.title),
    category: problem.category,
    file,
    code,
    failing: sayFailing(task),
    requirement: context.requirement,
    history,
    guidance: elide(context.guidance?.text ?? "", GUIDANCE_CHARACTERS),
    handOff: sayHandOff(context.handOff),
  };
}

function sayFailing({ failures, before }: RepairTask): string {
  const said = failures.slice(0, MOST_FAILURES).map(sayFailure);
  const output = before?.output.trim() ?? "";
  const shown = said.length > 0 ? said.join("\n\n") : output;
  return fence(elide(redact(shown), FAILING_CHARACTERS));
}

function sayFailure({ testId, message, location, expected, actual, excerpt }: Failure): string {
  const place = location === null ? [] : [`at ${location.file}${location.line === null ? "" : `:${location.line}`}`];
  const values = expected === null && actual === null ? [] : [`expected ${expected ?? "?"}, got ${actual ?? "?"}`];
  return [[testId, message].filter((part) => part !== null).join(": "), ...place, ...values, excerpt].join("\n");
}

function sayHandOff(handOff: HandOff | null): string {
  if (handOff === null) return "";
  const tried = handOff.tried.map(({ logic, whyFailed }) => `- ${logic}\n  It failed: ${whyFailed}`);
  const trace = handOff.trace === null ? [] : [`Values seen while it ran:\n${handOff.trace}`];
  return [...tried, ...trace].join("\n");
}

/** The code a role sees, and which part of the file it is. */
export interface ShownCode {
  readonly code: string;
  /** " (lines 10 to 80)", "" for all of it. */
  readonly part: string;
}

/**
 * The bug as a prompt tells it, with as many of the extras as fit (papers §3.2: optional parts are added only if they fit).
 * Without `shown` no code is part of it.
 */
export function sayBug(bug: BugMeta, shown: ShownCode | null, extras: readonly Extra[]): string {
  const head = renderText(TEXTS, "", {
    title: bug.title,
    category: bug.category,
    file: bug.file,
    failing: bug.failing,
  });
  const code =
    shown === null ? [] : [renderText(TEXTS, "code", { file: bug.file, part: shown.part, code: fence(shown.code) })];
  const always = [head, ...code];
  let left = OVERALL_TOKENS - always.reduce((sum, text) => sum + countTokens(text), 0);
  const fitting: string[] = [];
  for (const { name, text } of extras) {
    if (text.trim() === "") continue;
    const fenced = fence(redact(text));
    const said = renderText(TEXTS, name, name === "coverage" ? { file: bug.file, text: fenced } : { text: fenced });
    const tokens = countTokens(said);
    if (tokens > left) continue;
    left -= tokens;
    fitting.push(said);
  }
  return [head, ...fitting, ...code].join("\n\n");
}

/** What the bug itself brings along. */
export function ownExtras(bug: BugMeta): readonly Extra[] {
  return [
    { name: "requirement", text: bug.requirement ?? "" },
    { name: "guidance", text: bug.guidance },
    { name: "hand-off", text: bug.handOff },
    { name: "history", text: bug.history },
  ];
}

function oneLine(text: string): string {
  return redact(text).replace(/\s+/g, " ").trim().slice(0, 300);
}
