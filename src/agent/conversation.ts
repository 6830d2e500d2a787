import type { ChatMessage, ToolCall } from "../ports/llm.ts";
import { countTokens } from "../text/tokens.ts";
import type { ShellForm } from "./shell-answer.ts";

/** One step of the loop: what the model said and what it was told. */
export interface Turn {
  readonly said: string;
  /** Null when nothing was run, or when the command stood in `said`. */
  readonly call: ToolCall | null;
  readonly command: string | null;
  readonly surplus: readonly ToolCall[];
  readonly answer: string;
}

/**
 * The messages of the turns. The form decides only how they are written, so a conversation can go on in the other form.
 * What was sent once stays as it was sent, for the endpoint's cache of prefixes.
 */
export function turnMessages(turns: readonly Turn[], form: ShellForm, refusal: string): ChatMessage[] {
  return turns.flatMap((turn) => (form === "tools" ? asCalls(turn, refusal) : asText(turn)));
}

function asCalls(turn: Turn, refusal: string): ChatMessage[] {
  if (turn.call === null) return asText(turn);
  const others = turn.surplus.map(({ id }): ChatMessage => ({ role: "tool", toolCallId: id, content: refusal }));
  return [
    { role: "assistant", content: turn.said === "" ? null : turn.said, toolCalls: [turn.call, ...turn.surplus] },
    { role: "tool", toolCallId: turn.call.id, content: turn.answer },
    ...others,
  ];
}

function asText(turn: Turn): ChatMessage[] {
  const block = turn.call === null || turn.command === null ? "" : `\n\n\`\`\`\`bash\n${turn.command}\n\`\`\`\``;
  // Endpoints refuse an empty message.
  const said = `${turn.said}${block}`.trim() || "(nothing)";
  return [
    { role: "assistant", content: said, toolCalls: [] },
    { role: "user", content: turn.answer },
  ];
}

// For roles, ends of messages and the frame of calls; counted generously.
const TOKENS_PER_MESSAGE = 8;

/** Tokens of messages as a request holds them, estimated. */
export function messageTokens(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, message) => {
    const calls = message.role === "assistant" ? message.toolCalls.map((call) => call.name + call.arguments) : [];
    return sum + TOKENS_PER_MESSAGE + countTokens([message.content ?? "", ...calls].join("\n"));
  }, 0);
}
