import { bareLines } from "./bare-lines.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const INPUT = /^⧗ {1,4}(?:input:|---) ?(.*)$/;
const PROBLEM = /^✖ {1,4}(\S.*) \[([a-z][a-z-]*)\]$/;

export const commitlint: Tool = {
  name: "commitlint",
  kind: "lint",
  // No class of code failure fits: a commit's message is to blame, and no file.
  category: "unknown",
  answersTo: (command) => runs(command, ["commitlint", "commitlint-travis"]),
  /** One diagnostic a broken rule of a message; the first of a message quotes the message too. */
  read: (step) => {
    const found: Diagnostic[] = [];
    let input: number[] = [];
    for (const { number, text } of bareLines(step)) {
      if (INPUT.test(text)) input = [number];
      const [, message, rule] = PROBLEM.exec(text) ?? [];
      if (message === undefined || rule === undefined) continue;
      found.push({ message, rule, lines: [...input, number], location: null });
      input = [];
    }
    return found;
  },
};
