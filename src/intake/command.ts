import { ENGINES, type EngineName } from "../domain/attempt.ts";

/** What a person asks for in a comment (design §8). */
export type Command =
  | { readonly name: "repair" | "explain" | "retry" | "stop" | "status" | "help" }
  | { readonly name: "fix"; readonly problem: number }
  | { readonly name: "hint"; readonly text: string }
  | { readonly name: "engine"; readonly engine: EngineName }
  | { readonly name: "learn"; readonly pullRequest: number }
  | { readonly name: "forget"; readonly id: string }
  /** It starts like a command and is none: answered with the help. */
  | { readonly name: "unknown"; readonly text: string };

/** Commands as people may write them, for `/retrace help`. */
export const COMMAND_HELP: readonly (readonly [form: string, does: string])[] = [
  ["/retrace", "repair the failing runs of this pull request's head"],
  ["/retrace explain", "say what broke, without repairing"],
  ["/retrace fix N", "repair one cause, by the number it has above"],
  ["/retrace hint TEXT", "start over, with your hint as material"],
  ["/retrace retry", "start over"],
  ["/retrace stop", "end it; our pull request and branch are closed"],
  ["/retrace learn #N", "learn how pull request N was repaired"],
  ["/retrace forget ID", "forget a record of memory"],
  ["/retrace status", "say where it stands"],
  ["/retrace help", "this list"],
];

const WORDS = ["explain", "retry", "stop", "status", "help"] as const;

/**
 * The command in a comment: an exact match on a line of its own, outside fenced code and quotes; the first one counts.
 * Null when there is none.
 */
export function readCommand(body: string): Command | null {
  for (const line of linesOutsideCode(body)) {
    if (line === "/retrace") return { name: "repair" };
    const words = /^\/retrace[ \t]+(.+)$/.exec(line)?.[1]?.trim();
    if (words !== undefined) return readWords(words);
  }
  return null;
}

function linesOutsideCode(body: string): readonly string[] {
  const lines: string[] = [];
  let fence: string | null = null;
  for (const raw of body.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence)) fence = null;
    } else if (mark !== undefined) fence = mark;
    else if (!/^(?: {4}|\t)/.test(raw)) lines.push(raw.trim());
  }
  return lines;
}

function readWords(words: string): Command {
  const word = WORDS.find((known) => known === words);
  if (word !== undefined) return { name: word };
  const fix = /^fix[ \t]+([1-9]\d{0,3})$/.exec(words)?.[1];
  if (fix !== undefined) return { name: "fix", problem: Number(fix) };
  const hint = /^hint[ \t]+(.+)$/.exec(words)?.[1];
  if (hint !== undefined) return { name: "hint", text: hint };
  const engine = ENGINES.find((name) => words === `engine ${name}`);
  if (engine !== undefined) return { name: "engine", engine };
  const learn = /^learn[ \t]+#?([1-9]\d{0,8})$/.exec(words)?.[1];
  if (learn !== undefined) return { name: "learn", pullRequest: Number(learn) };
  const forget = /^forget[ \t]+([A-Za-z0-9_-]{1,64})$/.exec(words)?.[1];
  if (forget !== undefined) return { name: "forget", id: forget };
  return { name: "unknown", text: words };
}
