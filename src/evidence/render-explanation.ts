import type { Evidence, Failure, Validation } from "../domain/evidence.ts";
import {
  actionLines,
  classWords,
  commandWords,
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

export interface ExplanationStyle {
  readonly colour: boolean;
  /** Address of the repository, for the first line; null leaves it out. */
  readonly repo?: string | null;
  /** What to do about the failures; none known leaves the general advice. */
  readonly actions?: readonly NextAction[];
}

// A terminal's page: the rest is counted, and stands in `--json`.
const MAX_FAILURES_A_STEP = 8;
const MAX_QUOTED = 8;
const MAX_LISTED = 12;
const MAX_ACTIONS = 6;

type Paint = (text: string) => string;
interface Palette {
  readonly bad: Paint;
  readonly good: Paint;
  readonly dim: Paint;
  readonly strong: Paint;
}

/** What broke and why we think so, where, what passed, what never ran and because of what, and what to do next. Ends with a newline. */
export function renderExplanation(evidence: Evidence, { colour, repo = null, actions = [] }: ExplanationStyle): string {
  const palette = paletteOf(colour);
  const next = nextStep(evidence);
  const blocks = [
    [palette.strong(repo === null ? headline(evidence) : `${repo}: ${headline(evidence)}`)],
    ...byStep(rootsOf(evidence)).map((failures) => stepBlock(failures, evidence, palette)),
    passedBlock(evidence.validations, palette),
    unreachedBlock(evidence.validations, palette),
    actionBlock(actions, palette),
    next === null ? [] : [`Next: ${next}`],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

function byStep(failures: readonly Failure[]): readonly (readonly Failure[])[] {
  const groups = new Map<string, Failure[]>();
  for (const failure of failures) {
    const key = failure.validation ?? `${failure.job} ${failure.step?.name} ${failure.source}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [failure]);
    else group.push(failure);
  }
  return [...groups.values()];
}

function stepBlock(failures: readonly Failure[], evidence: Evidence, palette: Palette): readonly string[] {
  const [first] = failures;
  if (first === undefined) return [];
  const command = first.command === null ? "" : palette.dim(`  $ ${commandWords(first.command, 100)}`);
  const shown = failures.slice(0, MAX_FAILURES_A_STEP);
  const rest = failures.length - shown.length;
  return [
    `${palette.bad("✗")} ${placeWords(first)}${command}`,
    ...shown.flatMap((failure) => failureLines(failure, evidence, palette).map((line) => `  ${line}`)),
    ...(rest > 0 ? [`  … and ${rest} more of this step`] : []),
  ];
}

function failureLines(failure: Failure, evidence: Evidence, palette: Palette): readonly string[] {
  const about = [classWords(failure.category), failure.tool, failure.rule].filter((part) => part !== null).join(" · ");
  const followers = evidence.failures.filter((other) => other.cascadeOf === failure.id);
  const width = Math.max(...failure.lines.map((line) => String(line).length), 1);
  return [
    `${failure.id}  ${palette.strong(oneLine(failure.testId ?? failure.message, 160))}  ${palette.dim(about)}`,
    ...(failure.testId === null ? [] : [`    ${oneLine(failure.message, 160)}`]),
    ...(failure.expected === null ? [] : [`    expected: ${oneLine(failure.expected, 120)}`]),
    ...(failure.actual === null ? [] : [`    actual:   ${oneLine(failure.actual, 120)}`]),
    ...(failure.location === null ? [] : [`    at ${locationWords(failure.location)}`]),
    ...(failure.source === "" ? [] : [palette.dim(`    ${failure.source} says:`)]),
    ...quotedLines(failure, MAX_QUOTED).map(
      ({ number, text }) => `    ${palette.dim(`${String(number ?? "").padStart(width)} │`)} ${text}`,
    ),
    ...(failure.legs.length > 1 ? [`    in ${failure.legs.length} jobs: ${listed(failure.legs)}`] : []),
    ...(followers.length === 0
      ? []
      : [`    follows from it: ${listed(followers.map((other) => `${other.id} ${oneLine(other.message, 60)}`))}`]),
  ];
}

function passedBlock(validations: readonly Validation[], palette: Palette): readonly string[] {
  const passed = validations.filter(({ status }) => status === "successful");
  if (passed.length === 0) return [];
  const commands = [...new Set(passed.map(({ command }) => commandWords(command, 50)))];
  return [`${palette.good("✓")} passed: ${listed(commands)}`];
}

function unreachedBlock(validations: readonly Validation[], palette: Palette): readonly string[] {
  const unreached = validations.filter(({ status }) => status === "unreached");
  if (unreached.length === 0) return [];
  const shown = unreached.slice(0, MAX_LISTED);
  return [
    "Never ran, so nobody knows yet whether it would pass:",
    ...shown.map(
      (validation) =>
        `  ${palette.dim("-")} ${placeWords(validation)}  ${palette.dim(`$ ${commandWords(validation.command, 60)}`)}  (${unreachedWords(validation.unreachedBecause)})`,
    ),
    ...(unreached.length > shown.length ? [`  … and ${unreached.length - shown.length} more`] : []),
  ];
}

function actionBlock(actions: readonly NextAction[], palette: Palette): readonly string[] {
  const shown = actions.slice(0, MAX_ACTIONS);
  if (shown.length === 0) return [];
  const width = Math.max(...shown.map(({ failures }) => idWords(failures).length));
  return [
    "What to do:",
    ...shown.flatMap((action) =>
      actionLines(action).map(
        (line, at) => `  ${palette.dim((at === 0 ? idWords(action.failures) : "").padEnd(width))}  ${line}`,
      ),
    ),
    ...(actions.length > shown.length ? [`  … and ${actions.length - shown.length} more`] : []),
  ];
}

function listed(items: readonly string[]): string {
  const rest = items.length - MAX_LISTED;
  return items.slice(0, MAX_LISTED).join(", ") + (rest > 0 ? `, and ${rest} more` : "");
}

function paletteOf(colour: boolean): Palette {
  const paint =
    (code: string): Paint =>
    (text) =>
      colour ? `\u001b[${code}m${text}\u001b[0m` : text;
  return { bad: paint("31"), good: paint("32"), dim: paint("2"), strong: paint("1") };
}
