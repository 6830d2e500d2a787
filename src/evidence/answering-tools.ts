import type { Tool } from "../tools/tool.ts";

// A job names some dozens of commands; a log that echoes thousands is no reason to remember them all.
const MAX_KNOWN = 2_000;

const known = new WeakMap<readonly Tool[], Map<string, readonly Tool[]>>();

/**
 * The tools that answer to a simple command, in the order of the list. Remembered: every tool takes the command apart
 * anew, and legs and repeated steps name the same few.
 */
export function answeringTools(command: string, tools: readonly Tool[]): readonly Tool[] {
  const answers = known.get(tools) ?? new Map<string, readonly Tool[]>();
  known.set(tools, answers);
  const found = answers.get(command);
  if (found !== undefined) return found;
  if (answers.size >= MAX_KNOWN) answers.clear();
  const answering = tools.filter((tool) => tool.answersTo(command));
  answers.set(command, answering);
  return answering;
}
