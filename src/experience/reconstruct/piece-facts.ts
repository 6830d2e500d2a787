import type { ArtifactRole } from "../../domain/experience.ts";
import type { Definition } from "../../text/code-outline.ts";
import { type CodeView, definitionsOf } from "./code-view.ts";
import { roleOf } from "./roles.ts";
import type { DeltaHunk } from "./split-delta.ts";
import { wordsThatDiffer } from "./words.ts";

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
  return {
    hunk,
    id: ref.id,
    path: ref.path,
    oldPath: ref.oldPath ?? ref.path,
    role: roleOf(ref.path),
    before,
    after,
    words: wordsThatDiffer(before, after),
    definitions: definitionsOf(hunk, code),
    place: placeOf(hunk, file.hunks),
    isLayout: isSameButLayout(before, after),
  };
}

/** An insertion stands between two old lines: that of its own hunk in the whole difference tells which. */
function placeOf({ ref }: DeltaHunk, hunks: DeltaHunk["file"]["hunks"]): Piece["place"] {
  if (ref.oldRange !== null) return { first: ref.oldRange.start, last: ref.oldRange.end };
  const start = ref.newRange?.start;
  if (start === undefined) return null;
  const whole = hunks.find((hunk) => hunk.newStart <= start && start < hunk.newStart + hunk.newLines);
  if (whole === undefined) return null;
  if (whole.oldLines > 0) return { first: whole.oldStart, last: whole.oldStart + whole.oldLines - 1 };
  return { first: whole.oldStart, last: whole.oldStart + 1 };
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
