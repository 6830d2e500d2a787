/** A command taken apart at the word the loop itself answers to. */
export interface CheckWord {
  /** What runs in the shell first; "" when there is nothing. */
  readonly before: string;
  /** The check runs only if `before` ended well. */
  readonly onlyAfterSuccess: boolean;
}

// Models add `2>&1` and `| tail` out of habit; the output is kept short for them anyway.
const WORD =
  /(?:^|(&&|;|\n))[ \t]*retrace-check(?:[ \t]+2>&1)?[ \t]*(?:\|[ \t]*(?:tail|head|cat|grep)\b[^|&;\n]*)*;?\s*$/;

/** Null when the command does not end with `retrace-check` as a command of its own. */
export function splitCheckWord(command: string): CheckWord | null {
  const match = WORD.exec(command);
  if (match === null) return null;
  return { before: command.slice(0, match.index).trim(), onlyAfterSuccess: match[1] === "&&" };
}
