import { lineFinder } from "./mask-code.ts";
import type { ChangedFile } from "./patch-view.ts";

/** Which text of a file is searched: all of it, without comments, or without comments and strings. */
export type Sight = "raw" | "code" | "bare";

export interface Match {
  readonly file: ChangedFile;
  readonly line: number;
  readonly text: string;
}

/**
 * Matches of a pattern (with the g flag) that the patch brings: those after, less those before, over all files together, so
 * that what only moved does not count.
 */
export function newMatches(files: readonly ChangedFile[], pattern: RegExp, sight: Sight): readonly Match[] {
  const known = new Map<string, number>();
  for (const { text } of files.flatMap((file) => matchesIn(file, "before", pattern, sight)))
    known.set(text, (known.get(text) ?? 0) + 1);
  return files
    .flatMap((file) => matchesIn(file, "after", pattern, sight))
    .filter(({ text }) => {
      const count = known.get(text) ?? 0;
      if (count > 0) known.set(text, count - 1);
      return count === 0;
    });
}

function matchesIn(file: ChangedFile, side: "before" | "after", pattern: RegExp, sight: Sight): Match[] {
  const masked = side === "before" ? file.maskedBefore : file.maskedAfter;
  const raw = side === "before" ? file.before : file.after;
  const text = sight === "raw" ? raw : masked[sight];
  const lineAt = lineFinder(text);
  return [...text.matchAll(pattern)].map((match) => ({
    file,
    line: lineAt(match.index + (/^\s*/.exec(match[0])?.[0].length ?? 0)),
    text: match[0].replace(/\s+/g, " ").trim(),
  }));
}
