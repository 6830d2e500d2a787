import { BadDiff, type FileDiff, type Hunk, type HunkLine, parseDiff } from "../text/diff.ts";
import { fence } from "../text/fence.ts";
import { redact } from "../text/redact.ts";

/** One change as GitHub lets a person take it over by a click: the lines `startLine` to `line` of the head are replaced. */
export interface Suggestion {
  readonly path: string;
  readonly startLine: number;
  readonly line: number;
  /** The comment's text, a `suggestion` block. */
  readonly body: string;
}

// A review of more is no help to anybody; the patch is.
const MOST_SUGGESTIONS = 20;

/**
 * The patch as suggestions on the lines of a pull request's diff; null where one of its changes lies elsewhere, where the
 * lines there are others than the patch expects, or where a suggestion cannot say it (new, deleted, moved and binary files,
 * line ends). All or nothing: half of a repair repairs nothing.
 */
export function suggestionsOf(patch: string, pullDiff: string): readonly Suggestion[] | null {
  if (redact(patch) !== patch) return null; // what is shown would not be what was verified
  try {
    const shown = new Map(parseDiff(pullDiff).map((file) => [file.newPath, file]));
    const found: Suggestion[] = [];
    for (const file of parseDiff(patch)) {
      const there = shown.get(file.newPath);
      if (there === undefined || !isPlainChange(file)) return null;
      for (const change of file.hunks.flatMap(changesOf)) {
        const suggestion = suggest(file.newPath ?? "", change, there.hunks);
        const before = found.at(-1);
        // Two that replace the same line cannot both be taken over.
        const overlaps = suggestion !== null && before?.path === suggestion.path && before.line >= suggestion.startLine;
        if (suggestion === null || overlaps) return null;
        found.push(suggestion);
      }
    }
    return found.length === 0 || found.length > MOST_SUGGESTIONS ? null : found;
  } catch (error) {
    if (error instanceof BadDiff) return null;
    throw error;
  }
}

function isPlainChange({ status, binary, oldMode, newMode }: FileDiff): boolean {
  return status === "modified" && !binary && oldMode === newMode;
}

interface Change {
  readonly old: readonly HunkLine[];
  readonly lines: readonly string[];
}

/** Each run of changed lines; one that only adds takes a neighbour along, since a suggestion replaces lines. */
function changesOf({ lines }: Hunk): readonly Change[] {
  const changes: Change[] = [];
  for (let at = 0; at < lines.length; at++) {
    if (lines[at]?.kind === "context") continue;
    const from = at;
    while (lines[at + 1] !== undefined && lines[at + 1]?.kind !== "context") at++;
    const run = lines.slice(from, at + 1);
    const isAddition = run.every(({ kind }) => kind === "added");
    const before = isAddition ? lines[from - 1] : undefined;
    const after = isAddition && before === undefined ? lines[at + 1] : undefined;
    const whole = [...(before === undefined ? [] : [before]), ...run, ...(after === undefined ? [] : [after])];
    changes.push({
      old: whole.filter(({ kind }) => kind !== "added"),
      lines: whole.filter(({ kind }) => kind !== "removed").map(({ text }) => text),
    });
  }
  return changes;
}

/** Null unless one hunk of the pull request shows all of these lines, as they are here. */
function suggest(path: string, { old, lines }: Change, hunks: readonly Hunk[]): Suggestion | null {
  const first = old[0]?.oldLine ?? null;
  const last = old.at(-1)?.oldLine ?? null;
  if (first === null || last === null || old.some(({ noNewline }) => noNewline)) return null;
  if ([...old.map(({ text }) => text), ...lines].some((text) => text.includes("\r"))) return null;
  const isShown = hunks.some((hunk) => {
    const texts = new Map(hunk.lines.map(({ newLine, text }) => [newLine, text]));
    return old.every(({ oldLine, text }) => texts.get(oldLine) === text);
  });
  if (!isShown) return null;
  return { path, startLine: first, line: last, body: fence(lines.map((text) => `${text}\n`).join(""), "suggestion") };
}
