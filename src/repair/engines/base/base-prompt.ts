import { loadPromptTexts, type Prompt, renderPrompt, renderText } from "../../../agent/prompt.ts";
import type { CheckRun } from "../../../domain/check.ts";
import type { Failure } from "../../../domain/evidence.ts";
import { elide } from "../../../text/elide.ts";
import { fence } from "../../../text/fence.ts";
import { redact } from "../../../text/redact.ts";
import type { RepairTask } from "../../engine.ts";

const TEXTS = loadPromptTexts(import.meta.url, "base.md");

// One failure's excerpt is at most 8,000 characters; twelve of a hundred lint findings tell as much as all of them.
const MAX_FAILURES = 12;
const MAX_FAILURE_CHARACTERS = 24_000;
// The log says most of it already; the end of the output holds the summary.
const BEFORE_ENDS = { head: 1_000, tail: 3_000 };
const GUIDANCE_ENDS = { head: 20_000, tail: 4_000 }; // 24,000 characters of guidance in the product (papers §14)

/** The base engine's first words on a task: lasting rules, and this case. Nothing in it holds a secret or an open fence. */
export function basePrompt(task: RepairTask): Prompt {
  const { problem, check, before } = task;
  const guidance = task.context.guidance?.text ?? "";
  const requirement = task.context.requirement ?? "";
  const prompt = renderPrompt(TEXTS, {
    title: oneLine(problem.title),
    category: problem.category,
    failures: sayFailures(task.failures),
    check: renderText(TEXTS, "check", {
      place: check.cwd === "" ? "the root of the repository" : `the folder \`${oneLine(check.cwd)}\``,
      command: fence(redact(check.command), "bash"),
    }),
    before: before === null ? renderText(TEXTS, "before-not-run") : sayBefore(before),
    guidance:
      guidance.trim() === ""
        ? ""
        : renderText(TEXTS, "guidance", { guidance: fence(elide(redact(guidance), GUIDANCE_ENDS)) }),
    requirement: requirement === "" ? "" : renderText(TEXTS, "requirement", { requirement: redact(requirement) }),
  });
  return { system: prompt.system, user: prompt.user.trimEnd() };
}

function sayFailures(failures: readonly Failure[]): string {
  if (failures.length === 0) return renderText(TEXTS, "no-failures");
  const said: string[] = [];
  let characters = 0;
  for (const failure of failures.slice(0, MAX_FAILURES)) {
    const text = sayFailure(failure, said.length + 1);
    if (said.length > 0 && characters + text.length > MAX_FAILURE_CHARACTERS) break;
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
