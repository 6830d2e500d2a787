import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from "openai";
import { UpstreamError } from "../../ports/llm.ts";
import { redact } from "../../text/redact.ts";
import { ANSWER_TOO_LARGE } from "./bounded-fetch.ts";

const MESSAGE_CHARACTERS = 300; // enough for any server's own words; a page of HTML is none

/** What the endpoint refused, where that tells us how to ask again. */
export type Refused = "tools" | "temperature" | "output-limit" | null;

/**
 * Which part of our request a refusal names. Servers differ in status and words: OpenAI 400 with `param`, Ollama 400
 * "does not support tools", vLLM 400 "tool choice requires --enable-auto-tool-choice", llama.cpp 500 "tools param
 * requires --jinja", OpenRouter 404 "No endpoints found that support tool use".
 */
export function refusedPart(error: unknown, asked: { readonly tools: boolean }): Refused {
  if (!(error instanceof APIError) || isContext(error)) return null;
  if (![400, 404, 422, 500, 501].includes(error.status ?? 0)) return null;
  const about = `${error.param ?? ""} ${error.message}`;
  if (/\bmax_(?:completion_)?tokens\b/.test(about)) return "output-limit";
  if (/\btemperature\b/i.test(about)) return "temperature";
  if (asked.tools && /\btools?\b|\btool[_-](?:use|choice|calls?)\b|\bfunction[_ -]?call/i.test(about)) return "tools";
  return null;
}

/** An error of the SDK as ours: one line, without the key. */
export function asUpstreamError(error: unknown, secret: string | null): UpstreamError {
  if (error instanceof UpstreamError) return error;
  return new UpstreamError(kindOf(error), oneLine(messageOf(error), secret));
}

function kindOf(error: unknown): UpstreamError["kind"] {
  if (error instanceof APIUserAbortError) return "aborted";
  if (error instanceof APIConnectionTimeoutError) return "timeout";
  if (error instanceof APIConnectionError) return "unreachable";
  if (error instanceof SyntaxError) return "nonsense";
  if (!(error instanceof APIError)) return "unreachable";
  if (error.code === ANSWER_TOO_LARGE) return "nonsense";
  if (isContext(error)) return "context";
  const status = error.status ?? 0;
  if (status === 401 || status === 403) return "auth";
  if (status === 408) return "timeout";
  if (status === 429) return "rate";
  return status >= 500 ? "unreachable" : "refused";
}

function isContext(error: APIError): boolean {
  if (error.code === "context_length_exceeded" || error.status === 413) return true;
  if (error.status !== 400 && error.status !== 422 && error.status !== 500) return false;
  return /context (?:length|window|size)|maximum context|prompt is too long|too many (?:input )?tokens|exceed_context/i.test(
    error.message,
  );
}

function messageOf(error: unknown): string {
  if (error instanceof APIUserAbortError) return "the call was ended by us";
  if (error instanceof APIConnectionTimeoutError) return "the model did not answer in time";
  if (error instanceof SyntaxError) return "the answer is not JSON";
  if (error instanceof APIConnectionError) return `the model cannot be reached: ${causeOf(error)}`;
  if (error instanceof APIError) return `the model's endpoint answered ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

function causeOf(error: Error): string {
  const cause = error.cause;
  if (!(cause instanceof Error)) return error.message;
  // A refused connection to a name with several addresses is an AggregateError without a message.
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "";
  return cause.message || code || error.message;
}

/** One line for people: no line breaks, no key, no other secret, not long. */
export function oneLine(message: string, secret: string | null): string {
  const keyless = secret === null || secret === "" ? message : message.replaceAll(secret, "[key]");
  return redact(keyless).replace(/\s+/g, " ").trim().slice(0, MESSAGE_CHARACTERS);
}
