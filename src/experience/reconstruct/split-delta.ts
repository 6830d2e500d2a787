import type { Fate, HunkRef, LineRange } from "../../domain/experience.ts";
import { type FileDiff, type Hunk, type HunkLine, pathOf } from "../../text/diff.ts";
import { fingerprintOf } from "./fingerprint.ts";
import type { LineHistory, Run, StepHunk, Touch } from "./line-history.ts";

/** A piece of the final patch that one commit is to be thanked for, with its changed lines. */
export interface DeltaHunk {
  readonly ref: HunkRef;
  readonly file: FileDiff;
  readonly lines: readonly HunkLine[];
  /** Behind git's second `@@`: usually the enclosing function. */
  readonly section: string;
  /** Hunks of commits it consists of. */
  readonly from: readonly StepHunk[];
}

/** Whom a line of the final patch is owed to. `hunk` null: the step is known, not the hunk (a rename, a neighbour). */
export interface Owner {
  readonly commit: string;
  readonly external: boolean;
  readonly hunk: StepHunk | null;
  /** The line as the hunk itself counts it, on its new side for an added line, on its old side for a removed one. */
  readonly ownLine: number | null;
  /** No line history says so: its neighbours do. */
  readonly guessed: boolean;
}

export interface OwnedLine {
  readonly path: string;
  readonly line: HunkLine;
  readonly owner: Owner | null;
}

/** How a change's own lines fared, as `commit-fates` knows it. */
export type FateOf = (hunk: StepHunk, side: "added" | "removed") => Fate;

/** Every added and removed line of the final patch with its owner, hunk by hunk. */
export function ownLines(
  delta: readonly FileDiff[],
  history: LineHistory,
  commits: readonly string[],
): readonly (readonly OwnedLine[])[] {
  return delta.flatMap((file) => {
    const path = pathOf(file);
    const added = file.newPath === null ? null : new RunIndex(history.lines(file.newPath));
    return file.hunks.map((hunk) => {
      const lines = hunk.lines.filter((line) => line.kind !== "context");
      const owned = lines.map((line) => {
        const owner =
          line.kind === "added"
            ? ownerOfAdded(line.newLine ?? 0, path, added, history, commits)
            : ownerOfRemoved(line.oldLine ?? 0, file.oldPath ?? path, history, commits);
        return { path, line, owner };
      });
      return fillGaps(owned, history, commits);
    });
  });
}

function ownerOfAdded(
  line: number,
  path: string,
  runs: RunIndex | null,
  history: LineHistory,
  commits: readonly string[],
): Owner | null {
  const run = runs?.at(line);
  if (run === undefined || run === null) return null;
  const hunk = run.origin.hunk ?? run.by;
  if (hunk !== null) {
    const ownLine = run.origin.hunk === null ? null : run.origin.line;
    return { commit: hunk.commit, external: hunk.external, hunk, ownLine, guessed: false };
  }
  // The line is as old as the failing commit, under another name of the file.
  const touch = run.origin.path === path ? null : (history.renamedAway(run.origin.path) ?? history.lastTouch(path));
  return touch && touchOwner(touch, commits);
}

function touchOwner({ step, external }: Touch, commits: readonly string[]): Owner {
  return { commit: commits[step] ?? "", external, hunk: null, ownLine: null, guessed: false };
}

function ownerOfRemoved(line: number, path: string, history: LineHistory, commits: readonly string[]): Owner | null {
  const removal = history.removalOf(path, line);
  if (removal !== null) {
    const { hunk, oldLine } = removal;
    return { commit: hunk.commit, external: hunk.external, hunk, ownLine: oldLine, guessed: false };
  }
  const touch = history.renamedAway(path);
  return touch && touchOwner(touch, commits);
}

/**
 * Git's difference between the ends and the sum of the steps can align equal lines differently: a line nobody touched then
 * counts as changed. It belongs to what stands around it, else to the only commit that touched the file.
 */
function fillGaps(lines: readonly OwnedLine[], history: LineHistory, commits: readonly string[]): readonly OwnedLine[] {
  if (lines.every(({ owner }) => owner !== null)) return lines;
  return lines.map((one, index) => {
    if (one.owner !== null) return one;
    const near = nearestOwner(lines, index);
    if (near !== null) return { ...one, owner: { ...near, guessed: true } };
    const touches = history.touches(one.path);
    const [only] = touches;
    if (only === undefined || touches.length > 1) return one;
    return { ...one, owner: { ...touchOwner(only, commits), guessed: true } };
  });
}

function nearestOwner(lines: readonly OwnedLine[], index: number): Owner | null {
  for (let distance = 1; distance < lines.length; distance++) {
    const near = lines[index - distance]?.owner ?? lines[index + distance]?.owner;
    if (near) return near;
  }
  return null;
}

/** Finds the run that holds a line. */
class RunIndex {
  private readonly starts: number[] = [];

  constructor(private readonly runs: readonly Run[]) {
    let start = 1;
    for (const run of runs) {
      this.starts.push(start);
      start += run.length;
    }
  }

  at(line: number): Run | null {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.starts[middle] ?? 0) <= line) low = middle;
      else high = middle - 1;
    }
    const run = this.runs[low];
    const start = this.starts[low];
    if (run === undefined || start === undefined || line < start || line >= start + run.length) return null;
    return { ...run, origin: { ...run.origin, line: run.origin.line + (line - start) } };
  }
}

/** Cuts the final patch so that every piece is owed to one commit. Pieces are numbered `H1`, `H2` … in order of the patch. */
export function splitDelta(
  delta: readonly FileDiff[],
  owned: readonly (readonly OwnedLine[])[],
  history: LineHistory,
  commits: readonly string[],
  fateOf: FateOf,
): readonly DeltaHunk[] {
  const pieces: Omit<DeltaHunk, "ref">[] = [];
  const refs: Omit<HunkRef, "id">[] = [];
  let next = 0;
  for (const file of delta) {
    if (file.hunks.length === 0) {
      const touch = history.lastTouch(pathOf(file));
      const owner = touch && { commit: commits[touch.step] ?? "", external: touch.external };
      pieces.push({ file, lines: [], section: "", from: [] });
      refs.push(
        refOf(file, [], owner?.commit ?? null, owner === null ? "unknown" : owner.external ? "external" : "retained"),
      );
    }
    for (const hunk of file.hunks) {
      for (const part of partsOf(owned[next++] ?? [])) {
        const from = [...new Set(part.flatMap(({ owner }) => owner?.hunk ?? []))];
        const lines = part.map(({ line }) => line);
        pieces.push({ file, lines, section: hunk.section, from });
        refs.push(refOf(file, lines, part[0]?.owner?.commit ?? null, fateOfPart(part, fateOf)));
      }
    }
  }
  return pieces.map((piece, index) => ({ ...piece, ref: { id: `H${index + 1}`, ...(refs[index] ?? NO_REF) } }));
}

const NO_REF = refOf(
  { oldPath: null, newPath: null, status: "modified", oldMode: null, newMode: null, binary: false, hunks: [] },
  [],
  null,
  "unknown",
);

/** Without commits between the ends the patch stays whole, and what is in it was kept by definition. */
export function wholeDelta(delta: readonly FileDiff[], commit: string | null): readonly DeltaHunk[] {
  let number = 0;
  return delta.flatMap((file) => {
    const hunks: readonly (Hunk | null)[] = file.hunks.length === 0 ? [null] : file.hunks;
    return hunks.map((hunk) => {
      const lines = hunk?.lines.filter((line) => line.kind !== "context") ?? [];
      const ref = { id: `H${++number}`, ...refOf(file, lines, commit, "retained") };
      return { ref, file, lines, section: hunk?.section ?? "", from: [] };
    });
  });
}

/** The lines of one hunk by owner; what one commit took away and put in its place stays together. */
function partsOf(lines: readonly OwnedLine[]): readonly (readonly OwnedLine[])[] {
  const parts: OwnedLine[][] = [];
  for (const kind of ["removed", "added"] as const) {
    let run: OwnedLine[] | null = null;
    for (const one of lines.filter(({ line }) => line.kind === kind)) {
      if (run !== null && sameOwner(run[0], one)) {
        run.push(one);
        continue;
      }
      const open =
        kind === "added"
          ? parts.find((part) => sameOwner(part[0], one) && part.every(({ line }) => line.kind === "removed"))
          : undefined;
      run = open ?? [];
      if (open === undefined) parts.push(run);
      run.push(one);
    }
  }
  return parts;
}

function sameOwner(a: OwnedLine | undefined, b: OwnedLine): boolean {
  return a?.owner?.commit === b.owner?.commit && a?.owner?.external === b.owner?.external;
}

function fateOfPart(part: readonly OwnedLine[], fateOf: FateOf): Fate {
  const owner = part[0]?.owner ?? null;
  if (owner === null) return "unknown";
  if (owner.external) return "external";
  const sides = part.flatMap(({ line, owner }) =>
    owner?.hunk && line.kind !== "context" ? [fateOf(owner.hunk, line.kind)] : [],
  );
  return sides.some((fate) => fate !== "retained") ? "partial" : "retained";
}

/** What names a change: its file, its lines, who made it, what became of it. */
export function refOf(
  file: FileDiff,
  lines: readonly HunkLine[],
  commit: string | null,
  fate: Fate,
): Omit<HunkRef, "id"> {
  const removed = lines.filter((line) => line.kind === "removed");
  const added = lines.filter((line) => line.kind === "added");
  const side = (count: number) => (count === 0 ? null : { fate, lines: count, alive: 1, inDelta: 1 });
  return {
    path: pathOf(file),
    oldPath: file.oldPath !== null && file.oldPath !== file.newPath && file.newPath !== null ? file.oldPath : null,
    oldRange: rangeOf(removed.map((line) => line.oldLine ?? 0)),
    newRange: rangeOf(added.map((line) => line.newLine ?? 0)),
    commit,
    fate,
    added: side(added.length),
    removed: side(removed.length),
    fingerprint: fingerprintOf(lines),
  };
}

function rangeOf(lines: readonly number[]): LineRange | null {
  const [start] = lines;
  const end = lines.at(-1);
  return start === undefined || end === undefined ? null : { start, end };
}
