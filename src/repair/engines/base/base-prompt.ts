import { loadPromptTexts, type Prompt, renderPrompt, renderText } from "../../../agent/prompt.ts";
import type { CheckRun } from "../../../domain/check.ts";
import type { Failure } from "../../../domain/evidence.ts";
import type { FaultLocation } from "../../../domain/fault.ts";
import { elide } from "../../../text/elide.ts";
import { fence } from "../../../text/fence.ts";
import { redact } from "../../../text/redact.ts";
import { countTokens } from "../../../text/tokens.ts";
import type { HandOff, RepairTask } from "../../engine.ts";

const TEXTS = loadPromptTexts(import.meta.url, "base.md");

// One failure's excerpt is at most 8,000 characters; twelve of a hundred lint findings tell as much as all of them.
const MAX_FAILURES = 12;
const MAX_FAILURE_CHARACTERS = 24_000;
// The log says most of it already; the end of the output holds the summary.
const BEFORE_ENDS = { head: 1_000, tail: 3_000 };
// What the loop adds on how to work and how to finish has about a thousand tokens; twelve thousand is the limit of both.
const PROMPT_TOKENS = 11_000;

/** How much of what is long may stand in the prompt, in characters. */
interface Room {
  readonly history: number;
  readonly guidance: number;
  readonly failures: number;
}

/** From the roomiest to the narrowest: history goes first (papers §14.1), what failed is shortened last. */
const ROOMS: readonly Room[] = [
  { history: 5_000, guidance: 24_000, failures: MAX_FAILURE_CHARACTERS }, // guidance as in papers §14
  { history: 1_500, guidance: 24_000, failures: MAX_FAILURE_CHARACTERS },
  { history: 0, guidance: 24_000, failures: MAX_FAILURE_CHARACTERS },
  { history: 0, guidance: 8_000, failures: MAX_FAILURE_CHARACTERS },
  { history: 0, guidance: 8_000, failures: 8_000 },
  { history: 0, guidance: 3_000, failures: 4_000 },
];

/**
 * The base engine's first words on a task: lasting rules, and this case, with what history says of it ("" without any), cut
 * until it has no more than 12,000 tokens together with the loop's own words. Nothing in it holds a secret or an open fence.
 */
export function basePrompt(task: RepairTask, history = ""): Prompt {
  let prompt: Prompt = { system: "", user: "" };
  for (const room of ROOMS) {
    prompt = promptWithin(task, history, room);
    if (countTokens(prompt.system) + countTokens(prompt.user) <= PROMPT_TOKENS) break;
  }
  return prompt;
}

function promptWithin(task: RepairTask, history: string, room: Room): Prompt {
  const { problem, check, before, context } = task;
  const guidance = context.guidance?.text ?? "";
  const prompt = renderPrompt(TEXTS, {
    title: oneLine(problem.title),
    category: problem.category,
    failures: sayFailures(task.failures, room.failures),
    check: renderText(TEXTS, "check", {
      place: check.cwd === "" ? "the root of the repository" : `the folder \`${oneLine(check.cwd)}\``,
      command: fence(redact(check.command), "bash"),
    }),
    before: before === null ? renderText(TEXTS, "before-not-run") : sayBefore(before),
    parts: [
      part("locations", sayLocations(context.locations)),
      part("requirement", redact(context.requirement ?? "")),
      part("guidance", guidance.trim() === "" ? "" : fence(elide(redact(guidance), { head: room.guidance, tail: 0 }))),
      part(
        "history",
        history.trim() === "" || room.history === 0
          ? ""
          : fence(elide(redact(history), { head: room.history, tail: 0 })),
      ),
      part("hand-off", sayHandOff(context.handOff)),
    ]
      .filter((text) => text !== "")
      .join("\n\n"),
  });
  return { system: prompt.system, user: prompt.user.trimEnd() };
}

/** A section of its own, or nothing where there is nothing to say. */
function part(name: "locations" | "requirement" | "guidance" | "history" | "hand-off", text: string): string {
  return text === "" ? "" : renderText(TEXTS, name, { text });
}

const SOURCES: Readonly<Record<FaultLocation["source"], string>> = {
  diagnostic: "named by the tool",
  stack: "in the stack",
  test_body: "called by the failing test, or its own line",
  pr_diff: "written by the failing change",
  config_key: "holds a key that the message names",
  locator: "suspected by an earlier attempt",
  labelled: "known to be the place",
};

function sayLocations(locations: readonly FaultLocation[]): string {
  return locations
    .map(({ file, range: { start, end }, fn, source }) => {
      const lines = start === end ? `${start}` : `${start}-${end}`;
      return `- ${oneLine(file)}:${lines}${fn === null ? "" : ` in ${oneLine(fn)}`}: ${SOURCES[source]}`;
    })
    .join("\n");
}

const HAND_OFF_ENDS = { head: 3_000, tail: 500 };

function sayHandOff(handOff: HandOff | null): string {
  if (handOff === null) return "";
  const { engine, tried, trace, analysis } = handOff;
  const said = [
    ...tried.map(({ logic, whyFailed }) => `${engine} tried: ${logic}\nIt failed: ${whyFailed}`),
    ...(analysis === null ? [] : [analysis]),
    ...(trace === null ? [] : [`Values seen while it ran:\n${trace}`]),
  ];
  return said.length === 0 ? "" : fence(elide(redact(said.join("\n\n")), HAND_OFF_ENDS));
}

function sayFailures(failures: readonly Failure[], most: number): string {
  if (failures.length === 0) return renderText(TEXTS, "no-failures");
  const said: string[] = [];
  let characters = 0;
  for (const failure of failures.slice(0, MAX_FAILURES)) {
    const text = sayFailure(failure, said.length + 1);
    if (said.length > 0 && characters + text.length > most) break;
    said.push(text);
    characters += text.length;
  }
  const count = failures.length - said.length;
  return [...said, ...(count > 0 ? [renderText(TEXTS, "more-failures", { count: String(count) })] : [])].join("\n\n");
}

function sayFailure(failure: Failure, number: number): string {
  return renderText(TEXTS, "failure", {
    number: String(number),
    message: oneLine(failure.message),
    particulars: particularsOf(failure)
      .map((line) => `\n   - ${line}`)
      .join(""),
    excerpt: fence(redact(failure.excerpt)),
  });
}

function particularsOf({ location, testId, rule, tool, expected, actual, legs, job }: Failure): string[] {
  const place = location && `${location.file}${location.line === null ? "" : `:${location.line}`}`;
  const rows: readonly (readonly [string, string | null | undefined])[] = [
    ["at", place],
    ["test", testId],
    ["tool", [tool, rule].filter((part) => part !== null).join(", rule ")],
    ["expected", expected],
    ["actual", actual],
    ["in", legs.length > 1 ? legs.join(", ") : job],
  ];
  return rows.flatMap(([name, value]) => (value ? [`${name}: ${oneLine(value)}`] : []));
}

function sayBefore(run: CheckRun): string {
  const ending = run.timedOut ? "a time-out" : `exit code ${run.exitCode ?? "none"}`;
  const output = redact(run.output);
  return renderText(TEXTS, "before-ran", {
    ending,
    output: output.trim() === "" ? "(no output)" : fence(elide(output, BEFORE_ENDS)),
  });
}

const LINE_CHARACTERS = 500;

/** Text of others outside a fence: one line, without secrets or line breaks that could open a section of their own. */
function oneLine(text: string): string {
  return elide(redact(text).replace(/\s+/g, " ").trim(), { head: LINE_CHARACTERS, tail: 0 }).replace(/\n/g, " ");
}
