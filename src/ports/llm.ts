import type { Usage } from "../domain/usage.ts";

/** A model behind Chat Completions. */
export interface Llm {
  readonly model: string;
  /**
   * One answer. Rejects only with UpstreamError; retries are the adapter's business, not the caller's. An endpoint that
   * once refused tools is not asked with tools again: such a request rejects with `tools-refused` at once.
   */
  chat(request: ChatRequest): Promise<ChatAnswer>;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolDefinition[];
  /** Left out of the request where the model takes only its own default. */
  readonly temperature: number;
  readonly maxOutputTokens: number;
  readonly signal?: AbortSignal;
}

export type ChatMessage =
  | { readonly role: "system" | "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string | null; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: "tool"; readonly toolCallId: string; readonly content: string };

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ToolCall {
  /** Not empty, and no other call of the same answer has it. */
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: JSON text, perhaps not valid. */
  readonly arguments: string;
}

export interface ChatAnswer {
  /** "" when the model only called tools; cut when it is longer than any answer we can use. */
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  /** `length`: cut by the output limit or by us. */
  readonly finish: "stop" | "length" | "tool_calls" | "other";
  /** One call; `usd` is null, the ledger counts it. */
  readonly usage: Usage;
  /** The endpoint reported no usage: tokens were counted here. */
  readonly usageEstimated: boolean;
}

/**
 * Why a call failed for good. `tools-refused`: the endpoint takes no tools, ask in fenced form instead. `context`: the
 * conversation is too long. `nonsense`: it answered, but not with a chat completion. The message is one line without
 * secrets.
 */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  constructor(
    readonly kind:
      | "tools-refused"
      | "context"
      | "rate"
      | "timeout"
      | "auth"
      | "refused"
      | "unreachable"
      | "nonsense"
      | "aborted",
    message: string,
  ) {
    super(message);
  }
}
