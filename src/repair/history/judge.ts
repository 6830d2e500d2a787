import { z } from "zod";
import { type AskParts, ask } from "../../agent/ask.ts";
import { loadPromptTexts, renderPrompt } from "../../agent/prompt.ts";
import { elide } from "../../text/elide.ts";
import { fence } from "../../text/fence.ts";
import { redact } from "../../text/redact.ts";
import type { BlamedPlace } from "./blame-locations.ts";

const TEXTS = loadPromptTexts(import.meta.url, "judge.md");

const Choice = z.strictObject({ line: z.number().int(), reason: z.string().min(1).max(1_000) });

const FAILURE_ENDS = { head: 3_000, tail: 1_000 };
const LINE_CHARACTERS = 300; // a longer line is generated or data
const MOST_LINES = 60; // more than a judge weighs one against another

/**
 * The line most likely tied to the root cause, as the model judges (papers §2.3, 3): its place in `places`. Null when the
 * model gives no usable answer.
 */
export async function judgeLine(
  failure: string,
  places: readonly BlamedPlace[],
  parts: AskParts,
): Promise<BlamedPlace | null> {
  const shown = places.slice(0, MOST_LINES);
  const lines = shown.map(
    ({ file, line, text }, at) => `${at + 1}. ${file}:${line}: ${text.slice(0, LINE_CHARACTERS)}`,
  );
  const prompt = renderPrompt(TEXTS, {
    failure: fence(elide(redact(failure), FAILURE_ENDS)),
    lines: fence(redact(lines.join("\n"))),
  });
  const check = ({ line }: z.infer<typeof Choice>): string[] =>
    line >= 1 && line <= shown.length ? [] : [`line: ${line} is not in the list of 1 to ${shown.length}`];
  const answer = await ask({ name: "history.judge", prompt, schema: Choice, check }, parts);
  return answer.answered ? (shown[answer.value.line - 1] ?? null) : null;
}
