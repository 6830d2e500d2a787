import { z } from "zod";
import type { ChatAnswer, ToolCall } from "../ports/llm.ts";

/** How a model says its command: by calling the tool, or in a fenced block for endpoints that take no tools. */
export type ShellForm = "tools" | "fenced";

/** What a model's answer asks for: one command, or a mistake to tell it about. */
export type ShellAnswer =
  | {
      readonly command: string;
      /** The call that asked for it; null when it stood in a fenced block. */
      readonly call: ToolCall | null;
      /** Further good calls of the same answer, not to be run. */
      readonly surplus: readonly ToolCall[];
    }
  | { readonly mistake: Mistake };

export type Mistake =
  | { readonly name: "empty" | "cut" | "no-command" | "arguments" }
  | { readonly name: "many-blocks"; readonly count: number }
  | { readonly name: "unknown-tool"; readonly tool: string };

const BashArguments = z.object({ command: z.string().trim().min(1) });

// Only shell blocks open; an example in another language is no command.
const BLOCK_OPENS = /^(`{3,})(?:bash|sh|shell)[ \t]*\r?$/;

const MAX_SURPLUS = 7; // an answer with hundreds of calls is no plan worth keeping in the conversation

/**
 * The command in an answer. A single fenced block counts in both forms, since some models talk past the tools they were
 * given; calls count in the form of tools only.
 */
export function readShellAnswer(answer: ChatAnswer, form: ShellForm): ShellAnswer {
  const [first, ...rest] = form === "tools" ? answer.toolCalls : [];
  if (first === undefined) return readBlock(answer);
  const read = readCall(first);
  if ("mistake" in read) return answer.finish === "length" ? { mistake: { name: "cut" } } : read;
  const surplus = rest.filter((call) => "command" in readCall(call)).slice(0, MAX_SURPLUS);
  return { command: read.command, call: first, surplus };
}

function readCall(call: ToolCall): { readonly command: string } | { readonly mistake: Mistake } {
  if (call.name !== "bash") return { mistake: { name: "unknown-tool", tool: call.name } };
  const read = BashArguments.safeParse(parseJson(call.arguments));
  if (!read.success || read.data.command.includes("\0")) return { mistake: { name: "arguments" } };
  return { command: read.data.command };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function readBlock(answer: ChatAnswer): ShellAnswer {
  const blocks = shellBlocks(answer.content);
  const [command] = blocks;
  if (blocks.length > 1) return { mistake: { name: "many-blocks", count: blocks.length } };
  if (command !== undefined && command !== "" && !command.includes("\0")) return { command, call: null, surplus: [] };
  if (answer.finish === "length") return { mistake: { name: "cut" } };
  return { mistake: { name: answer.content.trim() === "" ? "empty" : "no-command" } };
}

/** A fence of the same length closes a block, so a longer one may hold a shorter one. What is never closed is no block. */
function shellBlocks(content: string): string[] {
  const blocks: string[] = [];
  let open: { readonly fence: string; readonly lines: string[] } | null = null;
  for (const line of content.split("\n")) {
    const fence: string | undefined = open === null ? BLOCK_OPENS.exec(line)?.[1] : undefined;
    if (fence !== undefined) open = { fence, lines: [] };
    else if (open !== null && line.trimEnd() === open.fence) {
      blocks.push(open.lines.join("\n").trim());
      open = null;
    } else open?.lines.push(line);
  }
  return blocks;
}
