import type { Candidate } from "../../../agent/trial.ts";
import type { TreeId, WorkingCopy } from "../../../ports/git.ts";
import { type LooseEdit, type LooseFile, readLooseDiff } from "../../../text/loose-diff.ts";
import { placeEdits } from "../../../text/place-hunks.ts";
import { withoutMarks } from "./comment-syntax.ts";

/** A model's diff made into whole texts. */
export interface Assembled {
  /** Null when no edit found its place: the patch is invalid (papers §3.3). */
  readonly candidate: Candidate | null;
  /** Edits that found no place, one line each. */
  readonly unplaced: readonly string[];
}

/**
 * Puts a model's diff onto the files of a tree, by context. A file without a name is `file`. Marks that came along in added
 * lines are dropped.
 */
export async function assemble(diff: string, file: string, tree: TreeId, copy: WorkingCopy): Promise<Assembled> {
  const files: { path: string; text: string | null }[] = [];
  const unplaced: string[] = [];
  for (const one of readLooseDiff(diff)) {
    const path = one.path ?? file;
    const change = changeOf(one, one.kind === "new" ? null : await copy.read(tree, path));
    if (change.changes) files.push({ path, text: change.text });
    unplaced.push(...change.unplaced.map((why) => `${path}: ${why}`));
  }
  return { candidate: files.length === 0 ? null : { files }, unplaced };
}

interface Change {
  readonly changes: boolean;
  /** Null: the file goes. */
  readonly text: string | null;
  readonly unplaced: readonly string[];
}

function changeOf({ kind, edits }: LooseFile, before: string | null): Change {
  const clean = edits.map((edit) => ({ ...edit, added: withoutMarks(edit.added) }));
  if (kind === "deleted") return { changes: true, text: null, unplaced: [] };
  if (kind === "new") {
    return { changes: true, text: `${clean.flatMap(({ added }) => added).join("\n")}\n`, unplaced: [] };
  }
  if (before === null) return { changes: false, text: null, unplaced: ["there is no such file"] };
  const { text, placed, unplaced } = placeEdits(before, clean);
  return { changes: placed > 0, text, unplaced: unplaced.map(({ edit, why }) => `${why}: ${quoted(edit)}`) };
}

const LINE_CHARACTERS = 120;

function quoted({ removed, before, after }: LooseEdit): string {
  return (removed[0] ?? before[0] ?? after[0] ?? "").trim().slice(0, LINE_CHARACTERS);
}
