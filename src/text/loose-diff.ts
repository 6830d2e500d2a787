/** One file of a diff that a model wrote: line numbers and counts in it say nothing (papers §3.3). */
export interface LooseFile {
  /** Null where the diff names none. */
  readonly path: string | null;
  readonly kind: "changed" | "new" | "deleted";
  readonly edits: readonly LooseEdit[];
}

/** Lines to take out and lines to put in at one place, with what stands around it in the old text, nearest first. */
export interface LooseEdit {
  /** Number of the hunk it stands in, from 0. */
  readonly hunk: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/**
 * Reads unified diffs as models write them: counts and numbers may be wrong, the blank of a context line may be missing, a
 * fence or prose may stand around it. Empty when there is no hunk.
 */
export function readLooseDiff(text: string): readonly LooseFile[] {
  const files: OpenFile[] = [];
  let hunk: Hunk | null = null;
  const lines = text.replace(/\r\n/g, "\n").split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const named = fileStart(lines, at);
    if (named !== null) {
      files.push(named.file);
      hunk = null;
      at += named.lines - 1;
    } else if (line.startsWith("@@")) {
      hunk = { lines: [] };
      const file = files.at(-1) ?? { path: null, kind: "changed", hunks: [] };
      if (files.length === 0) files.push(file);
      file.hunks.push(hunk);
    } else if (/^(?:```|diff --git )/.test(line)) hunk = null;
    else if (hunk !== null && !line.startsWith("\\ ")) hunk.lines.push(line);
  }
  return files
    .map(({ path, kind, hunks }) => ({ path, kind, edits: hunks.flatMap((one, number) => editsOf(one, number)) }))
    .filter(({ edits, kind }) => edits.length > 0 || kind === "deleted");
}

interface Hunk {
  readonly lines: string[];
}

interface OpenFile {
  readonly path: string | null;
  readonly kind: LooseFile["kind"];
  readonly hunks: Hunk[];
}

function fileStart(lines: readonly string[], at: number): { readonly file: OpenFile; readonly lines: number } | null {
  const [from, to] = [lines[at] ?? "", lines[at + 1] ?? ""];
  if (!from.startsWith("--- ") || !to.startsWith("+++ ")) return null;
  const [oldPath, newPath] = [sidePath(from.slice(4)), sidePath(to.slice(4))];
  const kind = oldPath === null ? "new" : newPath === null ? "deleted" : "changed";
  return { file: { path: newPath ?? oldPath, kind, hunks: [] }, lines: 2 };
}

function sidePath(side: string): string | null {
  const path = side.replace(/\t.*$/, "").trim().replace(/^"|"$/g, "");
  return path === "/dev/null" ? null : path.replace(/^[ab]\//, "");
}

const MARKS: Readonly<Record<string, "added" | "removed" | "context">> = {
  "+": "added",
  "-": "removed",
  " ": "context",
};
const NEIGHBOURS = 5; // papers §3.3: degree 5

function editsOf({ lines }: Hunk, hunk: number): LooseEdit[] {
  const read = trimmed(lines).map((line) => {
    const kind = MARKS[line.charAt(0)];
    return kind === undefined ? { kind: "context" as const, text: line } : { kind, text: line.slice(1) };
  });
  const edits: LooseEdit[] = [];
  for (let at = 0; at < read.length; at++) {
    if (read[at]?.kind === "context") continue;
    let end = at;
    while (end < read.length && read[end]?.kind !== "context") end++;
    const run = read.slice(at, end);
    const old = (part: typeof read): string[] => part.filter(({ kind }) => kind !== "added").map(({ text }) => text);
    edits.push({
      hunk,
      removed: old(run),
      added: run.filter(({ kind }) => kind === "added").map(({ text }) => text),
      before: old(read.slice(0, at)).reverse(),
      after: old(read.slice(end)),
    });
    at = end;
  }
  return edits;
}

/** Blank lines at a hunk's end are the space before the next one, or before prose. */
function trimmed(lines: readonly string[]): readonly string[] {
  let end = lines.length;
  while (end > 0 && lines[end - 1] === "") end--;
  return lines.slice(0, end);
}

/** The nearest lines that say something, at most so many as are looked at to tell one place from another. */
export function neighbours(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.trim() !== "").slice(0, NEIGHBOURS);
}
