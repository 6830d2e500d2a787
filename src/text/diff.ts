/** What `git diff` says about one file. */
export interface FileDiff {
  /** Null for a new file. */
  readonly oldPath: string | null;
  /** Null for a deleted file. */
  readonly newPath: string | null;
  readonly status: "modified" | "added" | "deleted" | "renamed" | "copied";
  readonly oldMode: string | null;
  readonly newMode: string | null;
  readonly binary: boolean;
  readonly hunks: readonly Hunk[];
}

export interface Hunk {
  /** First line of the hunk on each side, 1-based as git counts: 0 where the side is empty. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  /** What git shows behind the second `@@`: usually the enclosing function. */
  readonly section: string;
  readonly lines: readonly HunkLine[];
}

export interface HunkLine {
  readonly kind: "context" | "added" | "removed";
  /** Without its mark and its `\n`; a `\r` stays. */
  readonly text: string;
  /** 1-based; null on the side that does not have the line. */
  readonly oldLine: number | null;
  readonly newLine: number | null;
  /** It is the last of its file and has no line end. */
  readonly noNewline: boolean;
}

/** The path to name a file by: the new one, else the old one. */
export function pathOf(file: FileDiff): string {
  return file.newPath ?? file.oldPath ?? "";
}

export function addedLines(file: FileDiff): readonly HunkLine[] {
  return file.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.kind === "added"));
}

export function removedLines(file: FileDiff): readonly HunkLine[] {
  return file.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.kind === "removed"));
}

/** Added and removed lines over a whole patch. Binary files count none. */
export function countLines(files: readonly FileDiff[]): { readonly added: number; readonly removed: number } {
  return {
    added: files.reduce((sum, file) => sum + addedLines(file).length, 0),
    removed: files.reduce((sum, file) => sum + removedLines(file).length, 0),
  };
}

/**
 * Reads `git diff` text (also `--binary`, also plain unified diffs without git's header): one entry a file, in order.
 * Combined diffs of merges are not read. Text outside of any file is skipped. Throws BadDiff where a hunk
 * ends before its own count says so: such a patch is not what it seems.
 */
export function parseDiff(text: string): readonly FileDiff[] {
  const cursor = new Cursor(text);
  const files: FileDiff[] = [];
  for (;;) {
    const line = cursor.peek();
    if (line === null) return files;
    if (line.startsWith("diff --git ")) files.push(readGitFile(cursor));
    else if (line.startsWith("--- ") && cursor.peek(1)?.startsWith("+++ ")) files.push(readPlainFile(cursor));
    else cursor.next();
  }
}

export class BadDiff extends Error {
  override readonly name = "BadDiff";
}

class Cursor {
  private at = 0;
  private readonly lines: readonly string[];

  constructor(text: string) {
    const lines = text.split("\n");
    if (lines.at(-1) === "") lines.pop();
    this.lines = lines;
  }

  peek(ahead = 0): string | null {
    return this.lines[this.at + ahead] ?? null;
  }

  next(): string | null {
    return this.lines[this.at++] ?? null;
  }

  /** 1-based number of the line that `peek` shows. */
  get number(): number {
    return this.at + 1;
  }
}

interface Header {
  oldPath: string | null;
  newPath: string | null;
  oldMode: string | null;
  newMode: string | null;
  status: FileDiff["status"];
  binary: boolean;
}

/** Lines between `diff --git` and the first hunk, by their first words. */
const HEADER_LINES: readonly (readonly [string, (rest: string, header: Header) => void])[] = [
  ["old mode ", (rest, header) => void Object.assign(header, { oldMode: rest })],
  ["new mode ", (rest, header) => void Object.assign(header, { newMode: rest })],
  ["new file mode ", (rest, header) => void Object.assign(header, { newMode: rest, status: "added", oldPath: null })],
  [
    "deleted file mode ",
    (rest, header) => void Object.assign(header, { oldMode: rest, status: "deleted", newPath: null }),
  ],
  ["rename from ", (rest, header) => void Object.assign(header, { oldPath: unquote(rest), status: "renamed" })],
  ["rename to ", (rest, header) => void Object.assign(header, { newPath: unquote(rest), status: "renamed" })],
  ["copy from ", (rest, header) => void Object.assign(header, { oldPath: unquote(rest), status: "copied" })],
  ["copy to ", (rest, header) => void Object.assign(header, { newPath: unquote(rest), status: "copied" })],
  ["similarity index ", () => {}],
  ["dissimilarity index ", () => {}],
  ["index ", (rest, header) => setIndexMode(rest, header)],
  ["--- ", (rest, header) => void Object.assign(header, { oldPath: sidePath(rest) })],
  ["+++ ", (rest, header) => void Object.assign(header, { newPath: sidePath(rest) })],
  ["Binary files ", (_rest, header) => void Object.assign(header, { binary: true })],
];

function readGitFile(cursor: Cursor): FileDiff {
  const [oldPath, newPath] = gitLinePaths((cursor.next() ?? "").slice("diff --git ".length));
  const header: Header = { oldPath, newPath, oldMode: null, newMode: null, status: "modified", binary: false };
  for (;;) {
    const line = cursor.peek();
    const row = line === null ? undefined : HEADER_LINES.find(([start]) => line.startsWith(start));
    if (line === null || row === undefined) break;
    row[1](line.slice(row[0].length), header);
    cursor.next();
  }
  if (cursor.peek() === "GIT binary patch") {
    header.binary = true;
    while (cursor.peek() !== null && !cursor.peek()?.startsWith("diff --git ")) cursor.next();
  }
  return { ...header, hunks: readHunks(cursor) };
}

function readPlainFile(cursor: Cursor): FileDiff {
  const oldPath = sidePath((cursor.next() ?? "").slice(4));
  const newPath = sidePath((cursor.next() ?? "").slice(4));
  const status = oldPath === null ? "added" : newPath === null ? "deleted" : "modified";
  return { oldPath, newPath, status, oldMode: null, newMode: null, binary: false, hunks: readHunks(cursor) };
}

/** `index 1a2b..3c4d 100644`: the mode of both sides, when it did not change. */
function setIndexMode(rest: string, header: Header): void {
  const mode = / (\d{6})$/.exec(rest)?.[1] ?? null;
  header.oldMode ??= mode;
  header.newMode ??= mode;
}

/** Only when names hold blanks is the line ambiguous; then both sides are the same path and the halves tell. */
function gitLinePaths(rest: string): readonly [string | null, string | null] {
  const quoted = /^("(?:[^"\\]|\\.)*"|\S+) ("(?:[^"\\]|\\.)*"|\S+)$/.exec(rest);
  if (quoted !== null) return [sidePath(quoted[1] ?? ""), sidePath(quoted[2] ?? "")];
  const half = (rest.length - 1) / 2;
  return [sidePath(rest.slice(0, half)), sidePath(rest.slice(half + 1))];
}

/** `a/x`, `"b/\303\244"`, `/dev/null` (null); git ends names that hold blanks with a tab. */
function sidePath(side: string): string | null {
  const path = unquote(side.replace(/\t.*$/, ""));
  return path === "/dev/null" ? null : path.replace(/^[abciow]\//, "");
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, "\\": 92 };

/** Git's C-style quoting of unusual paths; octal escapes are bytes of UTF-8. */
function unquote(path: string): string {
  if (!path.startsWith('"') || !path.endsWith('"') || path.length < 2) return path;
  const parts = path.slice(1, -1).match(/\\[0-7]{3}|\\.|[^\\]+/g) ?? [];
  const bytes = parts.map((part) => {
    if (!part.startsWith("\\")) return Buffer.from(part, "utf8");
    const code = part.slice(1);
    return Buffer.from([ESCAPES[code] ?? Number.parseInt(code, 8)]);
  });
  return Buffer.concat(bytes).toString("utf8");
}

const HUNK_HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

function readHunks(cursor: Cursor): Hunk[] {
  const hunks: Hunk[] = [];
  for (;;) {
    const head = HUNK_HEAD.exec(cursor.peek() ?? "");
    if (head === null) return hunks;
    cursor.next();
    const [oldStart, oldLines, newStart, newLines] = [head[1], head[2] ?? "1", head[3], head[4] ?? "1"].map(Number);
    const range = {
      oldStart: oldStart ?? 0,
      oldLines: oldLines ?? 0,
      newStart: newStart ?? 0,
      newLines: newLines ?? 0,
    };
    hunks.push({ ...range, section: head[5] ?? "", lines: readHunkLines(cursor, range) });
  }
}

const KINDS: Readonly<Record<string, HunkLine["kind"]>> = { " ": "context", "+": "added", "-": "removed" };

function readHunkLines(cursor: Cursor, range: Omit<Hunk, "section" | "lines">): HunkLine[] {
  const lines: HunkLine[] = [];
  let oldLine = range.oldStart;
  let newLine = range.newStart;
  const oldEnd = oldLine + range.oldLines;
  const newEnd = newLine + range.newLines;
  while (oldLine < oldEnd || newLine < newEnd) {
    const line = cursor.peek();
    // Some programs strip the blank of an empty context line.
    const kind = line === "" ? "context" : KINDS[line?.charAt(0) ?? ""];
    const overfull = (kind !== "added" && oldLine >= oldEnd) || (kind !== "removed" && newLine >= newEnd);
    if (line === null || kind === undefined || overfull) {
      throw new BadDiff(`the hunk at line ${cursor.number} of the diff does not hold the lines that its header counts`);
    }
    cursor.next();
    const noNewline = cursor.peek()?.startsWith("\\ ") ?? false;
    if (noNewline) cursor.next();
    lines.push({
      kind,
      text: line.slice(1),
      oldLine: kind === "added" ? null : oldLine,
      newLine: kind === "removed" ? null : newLine,
      noNewline,
    });
    if (kind !== "added") oldLine++;
    if (kind !== "removed") newLine++;
  }
  return lines;
}
