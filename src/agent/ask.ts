import { z } from "zod";
import type { EvidenceItem } from "../domain/experience.ts";
import { type ChatMessage, type Llm, UpstreamError } from "../ports/llm.ts";
import { fence } from "../text/fence.ts";
import { redact } from "../text/redact.ts";
import type { Budget } from "./budget.ts";
import { loadPromptTexts, type Prompt, renderText } from "./prompt.ts";
import type { Transcript } from "./transcript.ts";

/** What asking needs: a model, what may be spent, and where it is written down. */
export interface AskParts {
  readonly llm: Llm;
  readonly budget: Budget;
  readonly transcript: Transcript;
  readonly signal?: AbortSignal;
}

export interface Question<T> {
  /** As the call is named in the transcript: `endpoint.classify`. */
  readonly name: string;
  readonly prompt: Prompt;
  readonly schema: z.ZodType<T>;
  /** What is wrong with an answer that fits the schema, one line each. */
  readonly check?: (answer: T) => readonly string[];
  /** 0 unless said: TraceRepair and FixAgent want answers that differ (papers §9.1). */
  readonly temperature?: number;
}

/** `answered: false`: the caller's own fallback holds; `because` tells it what failed, `why` is one line for people. */
export type Answered<T> =
  | { readonly answered: true; readonly value: T }
  | { readonly answered: false; readonly because: "budget" | "upstream" | "format"; readonly why: string };

const ATTEMPTS = 2; // papers §9.1
const MAX_OUTPUT_TOKENS = 8_000;
const TEXTS = loadPromptTexts(import.meta.url, "ask.md");

/**
 * Asks one question with a structured answer (papers §9.1): no tools, one repair try with the complaints.
 * Rejects only when the signal aborts; whatever the model or the budget does otherwise is an answer not given.
 */
export async function ask<T>(question: Question<T>, parts: AskParts): Promise<Answered<T>> {
  const schema = JSON.stringify(z.toJSONSchema(question.schema));
  const rules = renderText(TEXTS, "", { schema });
  const messages: ChatMessage[] = [
    { role: "system", content: `${question.prompt.system}\n\n${rules}` },
    { role: "user", content: redact(question.prompt.user) },
  ];
  let why = "";
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if (parts.budget.exhausted() !== null) {
      return { answered: false, because: "budget", why: `no budget left for ${question.name}` };
    }
    const said = await chat(messages, question.temperature ?? 0, parts);
    if (!said.answered) return { ...said, why: `${question.name}: ${said.why}` };
    const read = readAnswer(said.value, question);
    await parts.transcript.append({ ask: question.name, attempt, answer: said.value, errors: read.errors });
    if (read.errors.length === 0 && read.value !== undefined) return { answered: true, value: read.value };
    why = `${question.name}: ${read.errors[0]}`;
    messages.push({ role: "assistant", content: said.value || "(nothing)", toolCalls: [] });
    messages.push({ role: "user", content: renderText(TEXTS, "again", { errors: read.errors.join("\n") }) });
  }
  return { answered: false, because: "format", why };
}

async function chat(
  messages: readonly ChatMessage[],
  temperature: number,
  { llm, budget, signal }: AskParts,
): Promise<Answered<string>> {
  try {
    const request = { messages, temperature, maxOutputTokens: MAX_OUTPUT_TOKENS };
    const answer = await llm.chat(signal === undefined ? request : { ...request, signal });
    budget.charge(answer.usage);
    return { answered: true, value: answer.content };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof UpstreamError) return { answered: false, because: "upstream", why: error.message };
    throw error;
  }
}

const MOST_ERRORS = 8;

function readAnswer<T>(
  text: string,
  { schema, check }: Question<T>,
): { readonly value?: T; readonly errors: readonly string[] } {
  const json = parseObject(text);
  if (json === undefined) return { errors: ["it holds no JSON object"] };
  const read = schema.safeParse(json);
  if (!read.success) {
    const errors = read.error.issues
      .slice(0, MOST_ERRORS)
      .map((issue) => `${issue.path.join(".") || "answer"}: ${issue.message}`);
    return { errors };
  }
  const errors = check?.(read.data) ?? [];
  return errors.length > 0 ? { errors: errors.slice(0, MOST_ERRORS) } : { value: read.data, errors: [] };
}

/** Models put objects into fences and say a word before them: from the first brace to the last. */
function parseObject(text: string): unknown {
  const [start, end] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (start === -1 || end <= start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return undefined;
  }
}

/** Evidence as a model reads it, each item under its id, fenced. */
export function showEvidence(items: readonly EvidenceItem[]): string {
  return items
    .map(({ id, kind, locator, text }) => renderText(TEXTS, "item", { id, kind, locator, text: fence(text) }))
    .join("\n\n");
}

/** `{ id, quote }`: papers §9.1. */
export const Cite = z.strictObject({ id: z.string(), quote: z.string().max(200).nullable() });
export type Cite = z.infer<typeof Cite>;

/** A claim with its cites; without one it is taken out. */
export const CitedText = z.strictObject({ value: z.string().min(1).max(1_000), cites: z.array(Cite).max(12) });
export type CitedText = z.infer<typeof CitedText>;
