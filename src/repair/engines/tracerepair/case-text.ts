import { loadPromptTexts, type Prompt, renderPrompt, renderText } from "../../../agent/prompt.ts";
import type { Failure } from "../../../domain/evidence.ts";
import { elide } from "../../../text/elide.ts";
import { fence } from "../../../text/fence.ts";
import { redact } from "../../../text/redact.ts";
import type { RepairTask } from "../../engine.ts";
import type { TargetFunction } from "./targets.ts";
import { sayTrace, type Trace } from "./trace.ts";

const TEXTS = loadPromptTexts(import.meta.url, "tracerepair.md");

type TaskName = "probe" | "propose" | "update" | "critique" | "judge" | "locate";

/** A prompt of this engine: the lasting rules, what to do now, from which stance, and the case in sections. */
export function tracePrompt(task: TaskName, stance: string, sections: readonly string[], again = ""): Prompt {
  const words = renderText(TEXTS, `${task}-task`);
  const more = again === "" ? "" : `\n\n${renderText(TEXTS, "probe-again", { why: redact(again) })}`;
  const parts = sections.filter((part) => part !== "");
  return renderPrompt(TEXTS, { task: words + more, stance, case: parts.join("\n\n") });
}

const MOST_FAILURES = 4; // papers §4.5: four tests a prompt
const FAILURE_ENDS = { head: 1_200, tail: 300 };
const GUIDANCE_ENDS = { head: 6_000, tail: 1_000 };
const HEAD_CHARACTERS = 1_500; // imports and constants of a file: what its functions may use

/** The failing tests, as CI or the check here showed them. */
export function sayFailures(failures: readonly Failure[]): string {
  const said = failures.slice(0, MOST_FAILURES).map(({ testId, message, expected, actual, excerpt }) => {
    const values = expected === null && actual === null ? "" : `\nexpected: ${expected}\nactual: ${actual}`;
    return fence(elide(redact(`${testId ?? ""}\n${message}${values}\n${excerpt}`.trim()), FAILURE_ENDS));
  });
  return `## Failing tests\n\n${said.join("\n\n")}`;
}

/** The functions, with line numbers where places are asked for. */
export function sayTargets(targets: readonly TargetFunction[], numbered: boolean): string {
  const said = targets.map((target) => {
    const lines = target.original.split("\n");
    const text = numbered ? lines.map((line, i) => `${target.range.start + i}: ${line}`).join("\n") : target.original;
    return `### ${target.id}: ${target.fn} in ${target.file}\n\n${fence(redact(text))}`;
  });
  return `## Functions\n\n${said.join("\n\n")}`;
}

/** What stands at the top of the targets' files. */
export function sayFileHeads(targets: readonly TargetFunction[]): string {
  const files = new Map(targets.map(({ file, source }) => [file, source]));
  const said = [...files].map(([file, source]) => {
    const end = Math.min(...targets.filter((one) => one.file === file).map(({ range }) => range.start));
    const head = source
      .split("\n")
      .slice(0, end - 1)
      .join("\n");
    return head.trim() === ""
      ? ""
      : `### Above in ${file}\n\n${fence(elide(redact(head), { head: HEAD_CHARACTERS, tail: 0 }))}`;
  });
  return said.filter((part) => part !== "").join("\n\n");
}

export function sayTraceSection(trace: Trace, view: "tail" | "tail+first"): string {
  if (trace.status !== "collected") return "## Trace\n\nThere is no trace: reason from the code.";
  return `## Trace\n\n${fence(sayTrace(trace, view))}`;
}

/** What the project's memory and the issue say, and what was tried before. */
export function sayContext({ context }: RepairTask): string {
  const guidance = context.switches.tr.experience ? (context.guidance?.text ?? "") : "";
  const tried = (context.handOff?.tried ?? []).map(({ logic, whyFailed }) => `- ${logic}: ${whyFailed}`).join("\n");
  const parts: readonly (readonly [string, string])[] = [
    ["How such problems were repaired before (may not fit)", guidance],
    ["What is asked for", context.requirement ?? ""],
    ["Tried before, without success", tried],
  ];
  return parts
    .filter(([, text]) => text.trim() !== "")
    .map(([title, text]) => `## ${title}\n\n${fence(elide(redact(text), GUIDANCE_ENDS))}`)
    .join("\n\n");
}
