import type { Usage } from "../domain/usage.ts";

/** A model behind Chat Completions. */
export interface Llm {
  readonly model: string;
  /** Whether this endpoint takes tool definitions; learned from its first answer when it refuses them. */
  chat(request: ChatRequest): Promise<ChatAnswer>;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ToolDefinition[];
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
  readonly id: string;
  readonly name: string;
  /** As the model wrote it: JSON text, perhaps not valid. */
  readonly arguments: string;
}

export interface ChatAnswer {
  readonly content: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: "stop" | "length" | "tool_calls" | "other";
  readonly usage: Usage;
}

/**
 * Why a call failed for good; retries are the adapter's business. `tools-refused`: the endpoint takes no tools, ask in
 * fenced form instead. `context`: the conversation is too long.
 */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  constructor(
    readonly kind: "tools-refused" | "context" | "rate" | "timeout" | "auth" | "refused" | "unreachable" | "nonsense",
    message: string,
  ) {
    super(message);
  }
}
