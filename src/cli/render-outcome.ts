import { styleText } from "node:util";
import type { CheckRow } from "../domain/check.ts";
import type { Outcome } from "../domain/outcome.ts";
import { EXIT } from "./exit.ts";

/** The `retrace.outcome/1` document, its keys in the order of the contract (design §5). */
export function outcomeDocument(outcome: Outcome): Readonly<Record<string, unknown>> {
  const {
    ended,
    verdict,
    provedBy,
    reproduced,
    reason,
    problems,
    attempts,
    guidance,
    checks,
    patch,
    files,
    usage,
    why,
  } = outcome;
  return {
    schema: "retrace.outcome/1",
    ended,
    verdict,
    provedBy,
    reproduced,
    reason,
    problems: problems.map(({ id, title, category, failures, state, commit }) => ({
      id,
      title,
      category,
      failures,
      state,
      commit,
    })),
    attempts: attempts.map(({ problem, engine, exit, steps, usage }) => ({ problem, engine, exit, steps, usage })),
    guidance,
    checks: checks.map(({ problem, command, cwd, exitBefore, exitAfter, note }) => ({
      problem,
      command,
      cwd,
      exitBefore,
      exitAfter,
      note,
    })),
    patch,
    files,
    usage,
    why,
  };
}

/** Prints the outcome as JSON or for people; nothing else goes to stdout. */
export function printOutcome(outcome: Outcome, json: boolean, colour: boolean): void {
  const text = json ? JSON.stringify(outcomeDocument(outcome), null, 2) : renderOutcome(outcome, colour);
  process.stdout.write(`${text}\n`);
}

export function exitOf({ ended }: Outcome): number {
  return ended === "not-repaired" || ended === "not-code" ? EXIT.notDone : EXIT.done;
}

const HEADLINES: Readonly<Record<Outcome["ended"], string>> = {
  repaired: "Repaired, and verified locally",
  "not-repaired": "Not repaired",
  "nothing-to-repair": "Nothing to repair",
  "not-code": "Nothing in the code is to blame",
  "already-fixed": "Already fixed",
};

type Style = Parameters<typeof styleText>[0];

/** The outcome as people read it: what happened, what was checked, what it cost, and the patch. */
export function renderOutcome(outcome: Outcome, colour: boolean): string {
  const paint = (style: Style, text: string): string => (colour ? styleText(style, text) : text);
  const good = outcome.ended !== "not-repaired" && outcome.ended !== "not-code";
  const parts = [
    `${paint(["bold", good ? "green" : "yellow"], HEADLINES[outcome.ended])}: ${outcome.why}`,
    list(
      "Problems",
      outcome.problems.map(
        ({ id, title, category, state }) => `${id}  ${title} (${category}): ${state.replaceAll("_", " ")}`,
      ),
    ),
    list("Checks", outcome.checks.map(sayCheck)),
    list(
      "Attempts",
      outcome.attempts.map(({ problem, engine, exit, why }) => `${problem}  ${engine}: ${exit}, ${why}`),
    ),
    list("Memory", outcome.guidance.map(sayGuidance)),
    outcome.reproduced === "yes" || outcome.reason === null ? "" : `Not reproduced here: ${outcome.reason}`,
    `Cost: ${sayCost(outcome)}`,
    outcome.patch === null
      ? ""
      : `${paint("bold", outcome.ended === "repaired" ? "Patch" : "Patch, not proved")}\n\n${outcome.patch.trimEnd()}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? "" : `${title}\n${lines.map((line) => `  ${line}`).join("\n")}`;
}

function sayGuidance({ id, level, pr, problem, contributed }: Outcome["guidance"][number]): string {
  const from = pr === null ? "" : `, pull request #${pr}`;
  return `${problem}  ${id} (${level}${from}): ${contributed ?? "at hand; the patch shows nothing of it"}`;
}

function sayCheck({ command, cwd, exitBefore, exitAfter, note }: CheckRow): string {
  const where = cwd === "" ? "" : ` in ${cwd}`;
  const codes = `exit ${exitBefore ?? "not run"} before, ${exitAfter ?? "not run"} after`;
  const what = command.trim() === "" ? "(the log does not tell the command)" : command.trim().split("\n").join("; ");
  return `${what}${where}: ${codes}${note === null ? "" : ` (${note})`}`;
}

function sayCost({ usage }: Outcome): string {
  const time = `${(usage.ms / 1000).toFixed(1)} s`;
  if (usage.calls === 0) return `no model call, ${time}`;
  const dollars = usage.usd === null ? "no price set" : `$${usage.usd.toFixed(4)}`;
  return `${usage.calls} model calls, ${usage.inputTokens} + ${usage.outputTokens} tokens, ${dollars}, ${time}`;
}
