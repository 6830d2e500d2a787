import type { ArtifactRole } from "../../domain/experience.ts";
import type { Definition } from "../../text/code-outline.ts";
import type { Hunk } from "../../text/diff.ts";
import { type CodeView, definitionsOf } from "./code-view.ts";
import { roleOf } from "./roles.ts";
import type { DeltaHunk } from "./split-delta.ts";
import { namesIn, wordsThatDiffer } from "./words.ts";

/** What attribution looks at in a piece of the patch. */
export interface Piece {
  readonly hunk: DeltaHunk;
  readonly id: string;
  readonly path: string;
  readonly oldPath: string;
  readonly role: ArtifactRole;
  readonly before: string;
  readonly after: string;
  /** Names that only one side has. */
  readonly words: ReadonlySet<string>;
  /** Innermost first. */
  readonly definitions: readonly Definition[];
  /** Line numbers of the failing commit it takes away, or stands between when it only adds. */
  readonly place: { readonly first: number; readonly last: number } | null;
  /** It only adds, in the place of a line that another commit took away, and says much the same. */
  readonly rewrites: boolean;
  /** Nothing but comments and blank lines. */
  readonly isComment: boolean;
  /** Only layout differs. */
  readonly isLayout: boolean;
}

export function pieceOf(hunk: DeltaHunk, code: CodeView): Piece {
  const textOf = (kind: "added" | "removed"): string =>
    hunk.lines
      .filter((line) => line.kind === kind)
      .map((line) => line.text)
      .join("\n");
  const [before, after] = [textOf("removed"), textOf("added")];
  const { ref, file } = hunk;
  const role = roleOf(ref.path);
  return {
    hunk,
    id: ref.id,
    path: ref.path,
    oldPath: ref.oldPath ?? ref.path,
    role,
    before,
    after,
    words: SETTINGS.has(role) ? wordsThatDiffer(before, after) : wordsThatDiffer(codeOf(before), codeOf(after)),
    definitions: definitionsOf(hunk, code),
    place: placeOf(hunk, file.hunks),
    rewrites: isRewrite(hunk, after),
    isComment: role === "source" && isOnlyComment(`${before}\n${after}`),
    isLayout: isSameButLayout(before, after),
  };
}

// There names are strings.
const SETTINGS: ReadonlySet<ArtifactRole> = new Set(["manifest", "lockfile", "config", "workflow", "snapshot", "docs"]);

/** Without comments and the words of strings: they may hold any name. */
function codeOf(text: string): string {
  return text.replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|(?:\/\/|(?<![\w&])#\s).*$|\/\*[\s\S]*?\*\//gm, " ");
}

/** An insertion stands between two old lines: that of its own hunk in the whole difference tells which. */
function placeOf({ ref }: DeltaHunk, hunks: DeltaHunk["file"]["hunks"]): Piece["place"] {
  if (ref.oldRange !== null) return { first: ref.oldRange.start, last: ref.oldRange.end };
  const whole = wholeOf(ref, hunks);
  if (whole === undefined) return null;
  if (whole.oldLines > 0) return { first: whole.oldStart, last: whole.oldStart + whole.oldLines - 1 };
  return { first: whole.oldStart, last: whole.oldStart + 1 };
}

function isOnlyComment(text: string): boolean {
  return text.split("\n").every((line) => /^\s*(?:\/\/|#(?!include|define|if|endif|\[)|\*|\/\*|"""|$)/.test(line));
}

// Half of the names the same: it is the old line with something put right.
const SAME_LINE_SHARE = 0.4;

function isRewrite({ ref, file }: DeltaHunk, after: string): boolean {
  const whole = wholeOf(ref, file.hunks);
  if (ref.oldRange !== null || whole === undefined || whole.oldLines === 0) return false;
  const gone = new Set(whole.lines.filter(({ kind }) => kind === "removed").flatMap(({ text }) => namesIn(text)));
  const come = new Set(namesIn(after));
  const shared = [...come].filter((name) => gone.has(name)).length;
  return shared > 0 && shared / (gone.size + come.size - shared) >= SAME_LINE_SHARE;
}

function wholeOf({ newRange }: DeltaHunk["ref"], hunks: DeltaHunk["file"]["hunks"]): Hunk | undefined {
  return newRange === null
    ? undefined
    : hunks.find((hunk) => hunk.newStart <= newRange.start && newRange.start < hunk.newStart + hunk.newLines);
}

/** White space, quotes, trailing commas and semicolons, the order of whole lines: what formatters move about. */
function isSameButLayout(before: string, after: string): boolean {
  if (before === after) return false;
  if (bare(before) === bare(after)) return true;
  const [old, young] = [before, after].map((text) => text.split("\n").map(bare).filter(Boolean).toSorted().join("\n"));
  return old !== "" && old === young;
}

function bare(text: string): string {
  return text
    .replace(/\s+/g, "")
    .replace(/['`]/g, '"')
    .replace(/,(?=[)\]}])/g, "")
    .replace(/[;,]$/g, "")
    .replace(/;(?=")/g, "");
}
