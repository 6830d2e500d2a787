const REACH = 5; // lines above an insertion (papers §2.3, HAFixAgent)

const COMMENT = /^\s*(?:\/\/|#(?!!|\[|include|define|if|else|endif|pragma)|--\s|\/\*|\*(?:\s|\/|$)|<!--|"""|'''|;;)/;
const STRUCTURE = /^\s*(?:[{}()[\];,]+|\}?\s*else\s*\{?|end|fi|done|pass)\s*;?\s*$/;

/**
 * The line that history is asked about where nothing stands yet (papers §2.3): the nearest executable one of the five above
 * the insertion, else the nearest of structure; null when there is neither. `after` is 1-based: code is missing behind it.
 */
export function nearestLine(lines: readonly string[], after: number): number | null {
  const last = Math.min(after, lines.length);
  const above = Array.from({ length: REACH }, (_, back) => last - back).filter((line) => line >= 1);
  const said = above.filter((line) => {
    const text = lines[line - 1] ?? "";
    return text.trim() !== "" && !COMMENT.test(text);
  });
  return said.find((line) => !STRUCTURE.test(lines[line - 1] ?? "")) ?? said[0] ?? null;
}

/** Whether there is nothing on a line that somebody could have got wrong. */
export function saysNothing(text: string | undefined): boolean {
  return text === undefined || text.trim() === "";
}
