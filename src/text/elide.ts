/** How many characters (UTF-16 units) of each end to keep. */
export interface Ends {
  readonly head: number;
  readonly tail: number;
}

/**
 * The beginning and the end of a text, with a line between them that says how much is missing. A text no longer than
 * both ends together comes back as it is. Never splits a surrogate pair: such a cut keeps one unit less.
 */
export function elide(text: string, { head, tail }: Ends): string {
  if (text.length <= head + tail) return text;

  const headEnd = splitsPair(text, head) ? head - 1 : head;
  const tailStart = splitsPair(text, text.length - tail) ? text.length - tail + 1 : text.length - tail;
  const leftOut = tailStart - headEnd;
  return `${text.slice(0, headEnd)}\n… ${leftOut} characters left out …\n${text.slice(tailStart)}`;
}

function splitsPair(text: string, at: number): boolean {
  return /[\uD800-\uDBFF]/.test(text.charAt(at - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(at));
}
