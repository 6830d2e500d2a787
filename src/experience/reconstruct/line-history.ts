import type { StepChange } from "../../ports/history.ts";
import { type FileDiff, type Hunk, pathOf } from "../../text/diff.ts";

/**
 * Where each line came from and what became of it, by replaying the hunks of every step on lists of runs of lines. What
 * `git blame` and `git blame --reverse` find, with one difference: a line that comes back where it was taken away counts
 * as the old line, so that a revert owns nothing.
 */
export interface LineHistory {
  /** Every hunk of every step, in order. */
  readonly hunks: readonly StepHunk[];
  /** The lines of a file at the end, as runs; the last one of an untouched file has no end. */
  lines(path: string): readonly Run[];
  /** The last hunk that took away a line of the first commit, whether or not it came back. */
  removalOf(path: string, line: number): Removal | null;
  /** The runs that a hunk brought and that are still there. */
  alive(hunk: StepHunk): number;
  /** What took away a line that a hunk brought; null while it is there. */
  killerOf(hunk: StepHunk, line: number): StepHunk | null;
  /** The last step that gave this path other content, another mode or its name; null when none did. */
  lastTouch(path: string): Touch | null;
  /** The step after which a file of the first commit no longer had this name. */
  renamedAway(path: string): Touch | null;
  /** How many steps changed the file of this name. */
  touches(path: string): readonly Touch[];
}

export interface Removal {
  readonly hunk: StepHunk;
  /** On the hunk's own old side. */
  readonly oldLine: number;
}

export interface Touch {
  readonly step: number;
  readonly external: boolean;
}

/** A hunk of one step without lines of context. */
export interface StepHunk {
  readonly step: number;
  readonly commit: string;
  readonly file: FileDiff;
  readonly hunk: Hunk;
  readonly path: string;
  /** It came in with a merge of another branch. */
  readonly external: boolean;
  /** Lines of the new side that only brought back what had been there. */
  readonly restored: Set<number>;
  /** Lines it took away, with where they came from. */
  readonly removed: TakenLine[];
}

/** A line that a hunk took away. */
export interface TakenLine {
  readonly text: string;
  readonly oldLine: number;
  readonly origin: Origin;
  /** It came back later. */
  back: boolean;
}

/** `hunk` null: it was there at the first commit, at `line` of `path`. */
export interface Origin {
  readonly hunk: StepHunk | null;
  readonly path: string;
  readonly line: number;
}

/** Consecutive lines with consecutive origins. */
export interface Run {
  readonly origin: Origin;
  readonly length: number;
  /** The hunk that brought it back, for a line that had been gone. */
  readonly by: StepHunk | null;
}

/** What is left in the place of a line that was taken away. */
interface Grave {
  readonly taken: TakenLine;
  readonly killer: StepHunk;
}

type Element = Run | Grave;

// Beyond that a deletion is a vendored tree going away, and no line of it is looked for again one by one.
const MOST_GRAVES_A_HUNK = 5_000;
// Blank lines and lone braces come back everywhere: only in their own place do they count as the old line.
const TELLING_CHARACTERS = 8;

/** Replays the steps of a way. Memory grows with what changed, not with the size of the repository. */
export async function replayLines(steps: AsyncIterable<StepChange> | Iterable<StepChange>): Promise<LineHistory> {
  const replay = new Replay();
  let step = 0;
  for await (const change of steps) replay.apply(step++, change);
  return replay;
}

class Replay implements LineHistory {
  readonly hunks: StepHunk[] = [];
  private readonly files = new Map<string, Element[]>();
  private readonly removals = new Map<string, Map<number, Removal>>();
  private readonly killers = new Map<StepHunk, Map<number, StepHunk>>();
  private readonly touched = new Map<string, Touch[]>();
  private readonly away = new Map<string, Touch>();

  apply(step: number, { commit, files, againstOthers }: StepChange): void {
    const others = againstOthers.map(linesOwnToMerge);
    // All old names first: two files may have changed names with each other.
    const before = new Map(files.map((file) => [file, this.take(file)] as const));
    for (const file of files) {
      const path = pathOf(file);
      const own = others.map((other) => other.get(path) ?? null);
      const isMerge = others.length > 0;
      const touch = { step, external: isMerge && own.some((lines) => lines === null) };
      for (const name of new Set([path, file.oldPath ?? path])) {
        this.touched.set(name, [...(this.touched.get(name) ?? []), touch]);
      }
      if (file.status === "renamed" && file.oldPath !== null) this.away.set(file.oldPath, touch);
      const hunks = file.hunks.map((hunk) => ({
        step,
        commit: commit.sha,
        file,
        hunk,
        path,
        external: isMerge && !isOwnToMerge(hunk, own),
        restored: new Set<number>(),
        removed: [],
      }));
      this.hunks.push(...hunks);
      this.files.set(path, this.replayFile(before.get(file) ?? [], hunks));
    }
  }

  private take(file: FileDiff): Element[] {
    const name = file.oldPath ?? pathOf(file);
    const known = this.files.get(name);
    if (file.status === "renamed") this.files.set(name, []);
    if (known !== undefined) return known;
    return file.oldPath === null ? [] : [untouched(name)];
  }

  private replayFile(elements: readonly Element[], hunks: readonly StepHunk[]): Element[] {
    const reader = new ElementReader(elements);
    const elsewhere = new GraveSearch(elements);
    for (const one of hunks) {
      const { oldStart, oldLines } = one.hunk;
      reader.keepThrough(oldLines === 0 ? oldStart : oldStart - 1);
      const { runs, graves } = reader.takeAway(oldLines);
      this.bury(runs, one);
      this.add(one, graves, elsewhere, reader);
    }
    return reader.keepRest();
  }

  private bury(runs: readonly Run[], killer: StepHunk): void {
    const texts = killer.hunk.lines.filter((line) => line.kind === "removed");
    let at = 0;
    for (const run of runs) {
      for (let index = 0; index < run.length; index++) {
        const gone = texts[at++];
        const origin = { ...run.origin, line: run.origin.line + index };
        const oldLine = gone?.oldLine ?? 0;
        killer.removed.push({ text: gone?.text ?? "", oldLine, origin, back: false });
        if (origin.hunk === null) mapOf(this.removals, origin.path).set(origin.line, { hunk: killer, oldLine });
        else mapOf(this.killers, origin.hunk).set(origin.line, killer);
      }
    }
  }

  /** Puts the new lines in the place of the old ones; a line that stood there before comes back as itself. */
  private add(one: StepHunk, graves: readonly Grave[], elsewhere: GraveSearch, reader: ElementReader): void {
    const added = one.hunk.lines.filter((line) => line.kind === "added");
    const backs = matchGraves(
      added.map((line) => line.text),
      graves.filter(({ taken, killer }) => !taken.back && mayComeBackHere(taken, killer)),
    );
    added.forEach((line, index) => {
      const grave = backs.get(index) ?? elsewhere.find(line.text);
      const newLine = line.newLine ?? 0;
      if (grave === null) {
        reader.put({ origin: { hunk: one, path: one.path, line: newLine }, length: 1, by: null });
        return;
      }
      grave.taken.back = true;
      one.restored.add(newLine);
      const { origin } = grave.taken;
      if (origin.hunk !== null) this.killers.get(origin.hunk)?.delete(origin.line);
      reader.put({ origin, length: 1, by: one });
    });
    for (const grave of graves) if (!grave.taken.back) reader.put(grave);
    for (const taken of one.removed.slice(0, MOST_GRAVES_A_HUNK)) reader.put({ taken, killer: one });
  }

  lines(path: string): readonly Run[] {
    const elements = this.files.get(path);
    return elements === undefined ? [untouched(path)] : elements.filter(isRun);
  }

  removalOf(path: string, line: number): Removal | null {
    return this.removals.get(path)?.get(line) ?? null;
  }

  alive(hunk: StepHunk): number {
    return hunk.hunk.newLines - hunk.restored.size - (this.killers.get(hunk)?.size ?? 0);
  }

  killerOf(hunk: StepHunk, line: number): StepHunk | null {
    return this.killers.get(hunk)?.get(line) ?? null;
  }

  lastTouch(path: string): Touch | null {
    return this.touched.get(path)?.at(-1) ?? null;
  }

  renamedAway(path: string): Touch | null {
    return this.away.get(path) ?? null;
  }

  touches(path: string): readonly Touch[] {
    return this.touched.get(path) ?? [];
  }
}

function untouched(path: string): Run {
  return { origin: { hunk: null, path, line: 1 }, length: Number.POSITIVE_INFINITY, by: null };
}

function isRun(element: Element): element is Run {
  return "origin" in element;
}

function mapOf<K, L, V>(maps: Map<K, Map<L, V>>, key: K): Map<L, V> {
  const known = maps.get(key) ?? new Map<L, V>();
  maps.set(key, known);
  return known;
}

/**
 * A line of ours that a pure deletion took away and somebody writes again is a new attempt; one that was replaced and
 * stands there again was brought back by undoing the replacement.
 */
function mayComeBackHere(taken: TakenLine, killer: StepHunk): boolean {
  return taken.origin.hunk === null || killer.hunk.newLines > 0;
}

/** Equal texts in equal order: index of the added line → grave. Greedy: a revert writes the same lines in the same order. */
function matchGraves(added: readonly string[], graves: readonly Grave[]): Map<number, Grave> {
  const found = new Map<number, Grave>();
  let from = 0;
  added.forEach((text, index) => {
    for (let at = from; at < graves.length; at++) {
      const grave = graves[at];
      if (grave === undefined || grave.taken.text !== text) continue;
      found.set(index, grave);
      from = at + 1;
      return;
    }
  });
  return found;
}

/** Lines of the first commit that lie buried elsewhere in a file, by their text. */
class GraveSearch {
  private byText: Map<string, Grave[]> | null = null;

  constructor(private readonly file: readonly Element[]) {}

  find(text: string): Grave | null {
    if (text.replace(/\s/g, "").length < TELLING_CHARACTERS) return null;
    if (this.byText === null) {
      this.byText = new Map();
      for (const element of this.file) {
        if (isRun(element) || element.taken.origin.hunk !== null) continue;
        const { text: key } = element.taken;
        this.byText.set(key, [...(this.byText.get(key) ?? []), element]);
      }
    }
    return this.byText.get(text)?.find(({ taken }) => !taken.back) ?? null;
  }
}

/** Walks the elements of a file once, from the top, and writes the new list. */
class ElementReader {
  private readonly out: Element[] = [];
  private rest: Run | null = null;
  private next = 0;
  private done = 0;

  constructor(private readonly elements: readonly Element[]) {}

  /** Keeps everything up to that line; graves right behind it stay to be looked at. */
  keepThrough(line: number): void {
    while (this.done < line) {
      const element = this.read(line - this.done);
      if (element === null) return;
      this.put(element);
    }
  }

  /** Takes so many lines out, with all graves between and around them. */
  takeAway(count: number): { readonly runs: readonly Run[]; readonly graves: readonly Grave[] } {
    const runs: Run[] = [];
    const graves: Grave[] = [];
    // Graves may lie on either side of the place where lines come in.
    while (this.out.length > 0) {
      const last = this.out.at(-1);
      if (last === undefined || isRun(last)) break;
      graves.unshift(last);
      this.out.pop();
    }
    const until = this.done + count;
    for (;;) {
      const ahead = this.rest ?? this.elements[this.next];
      if (ahead === undefined || (isRun(ahead) && this.done >= until)) break;
      const element = this.read(until - this.done);
      if (element === null) break;
      if (isRun(element)) runs.push(element);
      else graves.push(element);
    }
    return { runs, graves };
  }

  put(element: Element): void {
    const last = this.out.at(-1);
    if (last !== undefined && isRun(last) && isRun(element) && follows(last, element)) {
      this.out[this.out.length - 1] = { ...last, length: last.length + element.length };
    } else if (!isRun(element) || element.length > 0) {
      this.out.push(element);
    }
  }

  keepRest(): Element[] {
    if (this.rest !== null) this.put(this.rest);
    const [next] = this.elements.slice(this.next, this.next + 1);
    if (next === undefined) return this.out;
    this.put(next);
    // What was apart before stays apart: only the seam can have become one run.
    return this.out.concat(this.elements.slice(this.next + 1));
  }

  /** The next element, a run cut to at most so many lines. */
  private read(most: number): Element | null {
    const element = this.rest ?? this.elements[this.next];
    if (element === undefined) return null;
    if (this.rest === null) this.next++;
    this.rest = null;
    if (!isRun(element)) return element;
    const length = Math.min(element.length, most);
    this.done += length;
    if (length === element.length) return element;
    const origin = { ...element.origin, line: element.origin.line + length };
    this.rest = { ...element, origin, length: element.length - length };
    return { ...element, length };
  }
}

function follows(first: Run, second: Run): boolean {
  const { origin, by, length } = first;
  return (
    second.by === by &&
    second.origin.hunk === origin.hunk &&
    second.origin.path === origin.path &&
    second.origin.line === origin.line + length
  );
}

/* ------------------------------------------------------------------ merges */

interface OwnLines {
  readonly added: ReadonlySet<number>;
  /** Lines of the new side after which lines of the other parent are gone. */
  readonly gaps: ReadonlySet<number>;
}

/** What a merge has that its other parent has not, by path. */
function linesOwnToMerge(files: readonly FileDiff[]): ReadonlyMap<string, OwnLines> {
  return new Map(
    files.map((file) => {
      const added = new Set<number>();
      const gaps = new Set<number>();
      for (const hunk of file.hunks) {
        for (let line = 0; line < hunk.newLines; line++) added.add(hunk.newStart + line);
        if (hunk.oldLines > 0) gaps.add(gapOf(hunk));
      }
      return [pathOf(file), { added, gaps }] as const;
    }),
  );
}

/** The line of the new side before the hunk. */
function gapOf(hunk: Hunk): number {
  return hunk.newLines === 0 ? hunk.newStart : hunk.newStart - 1;
}

/** Neither parent had it: whoever merged wrote it. */
function isOwnToMerge(hunk: Hunk, others: readonly (OwnLines | null)[]): boolean {
  return others.every((own) => {
    if (own === null) return false;
    if (hunk.newLines === 0) return own.gaps.has(gapOf(hunk));
    for (let line = 0; line < hunk.newLines; line++) if (own.added.has(hunk.newStart + line)) return true;
    return false;
  });
}
