import type { Evidence, Failure, Validation } from "../domain/evidence.ts";
import { fence } from "../text/fence.ts";
import {
  actionLines,
  classWords,
  headline,
  idWords,
  locationWords,
  nextStep,
  oneLine,
  placeWords,
  rootsOf,
  unreachedWords,
} from "./explain-words.ts";
import type { NextAction } from "./next-actions.ts";
import { quotedLines } from "./quoted-lines.ts";

// A job summary holds a megabyte; nobody reads more than a screen or two.
const MAX_FAILURES = 30;
const MAX_QUOTED = 12;
const MAX_ACTIONS = 10;

/** The explanation as a GitHub job summary. Text from the log stands in code, so that nothing in it becomes markup or a mention. */
export function renderMarkdown(evidence: Evidence, actions: readonly NextAction[] = []): string {
  const roots = rootsOf(evidence);
  const next = nextStep(evidence);
  const blocks = [
    "### Why this run is red",
    code(headline(evidence)),
    ...roots.slice(0, MAX_FAILURES).map((failure) => failureBlock(failure, evidence)),
    roots.length > MAX_FAILURES ? `… and ${roots.length - MAX_FAILURES} more failures.` : "",
    validationTable(evidence.validations),
    actionList(actions),
    next === null ? "" : `**Next:** ${next}`,
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function failureBlock(failure: Failure, evidence: Evidence): string {
  const followers = evidence.failures.filter((other) => other.cascadeOf === failure.id);
  const about = [classWords(failure.category), failure.tool, failure.rule].filter((part) => part !== null);
  const facts = [
    `**${failure.id}** ${code(oneLine(failure.testId ?? failure.message, 160))}`,
    `${about.join(" · ")} — ${code(placeWords(failure))}`,
    failure.testId === null ? "" : code(oneLine(failure.message, 160)),
    failure.location === null ? "" : `at ${code(locationWords(failure.location))}`,
    failure.legs.length > 1 ? `in ${failure.legs.length} jobs: ${failure.legs.map(code).join(", ")}` : "",
    followers.length === 0
      ? ""
      : `${followers.length} more follow from it: ${followers.map(({ id }) => id).join(", ")}`,
  ];
  const quoted = quotedLines(failure, MAX_QUOTED).map(({ number, text }) => `${number ?? ""}\t${text}`);
  const lines = facts.filter((fact) => fact !== "").join("  \n");
  return quoted.length === 0 ? lines : `${lines}\n\n${fence(quoted.join("\n"))}`;
}

function actionList(actions: readonly NextAction[]): string {
  return actions
    .slice(0, MAX_ACTIONS)
    .map((action) => `- ${idWords(action.failures)}: ${actionLines(action).map(code).join(" · ")}`)
    .join("\n");
}

function validationTable(validations: readonly Validation[]): string {
  if (validations.length === 0) return "";
  const rows = validations.slice(0, 60).map((validation) => {
    const why = validation.status === "unreached" ? unreachedWords(validation.unreachedBecause) : "";
    return `| ${MARKS[validation.status]} ${validation.status} | ${code(placeWords(validation))} | ${code(oneLine(validation.command, 80))} | ${why} |`;
  });
  return ["| | where | command | |", "|---|---|---|---|", ...rows].join("\n");
}

const MARKS = { successful: "✅", failed: "❌", unreached: "⏸️", excluded: "➖" } as const;

/** As inline code, whatever it holds: no back-tick ends it and no `|` ends a cell. */
function code(text: string): string {
  const bare = text.replace(/\s+/g, " ").replaceAll("`", "'").replaceAll("|", "\\|").trim();
  return bare === "" ? "" : `\`${bare}\``;
}
