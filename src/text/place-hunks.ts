import { type LooseEdit, neighbours } from "./loose-diff.ts";

/** What came of putting edits into a text. */
export interface Placed {
  readonly text: string;
  /** How many edits found their place. */
  readonly placed: number;
  readonly unplaced: readonly Unplaced[];
}

export interface Unplaced {
  readonly edit: LooseEdit;
  readonly why: "no such lines" | "several places look alike";
}

/**
 * Puts a model's edits where their lines are, never where their numbers say (papers §3.3): lines are compared without
 * white space and comments; of several places the one with the nearest neighbours
 * wins, none when two are alike. Edits of one hunk stay in order. Added lines take over the indentation that is there.
 */
export function placeEdits(text: string, edits: readonly LooseEdit[]): Placed {
  const lines = text.split("\n");
  const unplaced: Unplaced[] = [];
  const spots: Spot[] = [];
  let cursor = 0;
  let hunk = -1;
  for (const edit of edits) {
    const found = findSpot(lines, edit, { cursor, strict: edit.hunk === hunk, taken: spots });
    if (typeof found === "string") unplaced.push({ edit, why: found });
    else {
      spots.push(found);
      cursor = found.end;
      hunk = edit.hunk;
    }
  }
  for (const { start, end, added } of [...spots].sort((a, b) => b.start - a.start || b.end - a.end)) {
    lines.splice(start, end - start, ...added);
  }
  return { text: lines.join("\n"), placed: spots.length, unplaced };
}

/** Lines `start` to `end` (0-based, end excluded) give way to `added`. */
interface Spot {
  readonly start: number;
  readonly end: number;
  readonly added: readonly string[];
}

interface Order {
  /** Line from which on the next edit is expected. */
  readonly cursor: number;
  /** It must not stand before the cursor. */
  readonly strict: boolean;
  readonly taken: readonly Spot[];
}

interface Significant {
  readonly at: number;
  readonly key: string;
}

function findSpot(lines: readonly string[], edit: LooseEdit, order: Order): Spot | Unplaced["why"] {
  const told = lines.map((line, at): Significant => ({ at, key: keyOf(line) })).filter(({ key }) => key !== "");
  const removed = edit.removed.filter((line) => line.trim() !== "");
  const wanted = removed.map(keyOf);
  const before = neighbours(edit.before).map(keyOf);
  const after = neighbours(edit.after).map(keyOf);
  const sameLetters = (place: number): boolean =>
    removed.every((line, offset) => bare(line) === bare(lines[told[place + offset]?.at ?? -1] ?? ""));
  if (told.length === 0 && wanted.length === 0 && before.length + after.length === 0) {
    return { start: 0, end: 0, added: edit.added };
  }
  const places = candidates(told, wanted)
    .map((place) => ({ place, score: score(told, place, wanted.length, before, after) }))
    .map((one) => (sameLetters(one.place) ? one : { ...one, score: { ...one.score, sum: one.score.sum - A_COMMENT } }))
    .filter(({ place }) => isFree(spotAt(lines, told, place, wanted.length, edit), order))
    // Without a line to take out the nearest neighbour on one side is all that names the place.
    .filter(({ score: { near } }) => wanted.length > 0 || near);
  const forward = places.filter(({ place }) => (told[place]?.at ?? lines.length) >= order.cursor);
  const best = theBest(forward.length > 0 || order.strict ? forward : places);
  if (typeof best === "string") return best;
  return spotAt(lines, told, best, wanted.length, edit);
}

/** Indexes into `told` at which the wanted lines stand one after the other; every gap when none are wanted. */
function candidates(told: readonly Significant[], wanted: readonly string[]): number[] {
  const found: number[] = [];
  const last = told.length - wanted.length;
  for (let at = 0; at <= last; at++) {
    if (wanted.every((key, offset) => told[at + offset]?.key === key)) found.push(at);
  }
  return found;
}

// Another comment behind a line weighs less than any neighbour.
const A_COMMENT = 0.1;

interface Likeness {
  readonly sum: number;
  /** The nearest neighbour on one side is right. */
  readonly near: boolean;
}

function score(
  told: readonly Significant[],
  place: number,
  length: number,
  before: readonly string[],
  after: readonly string[],
): Likeness {
  let sum = 0;
  // A neighbour counts the more the nearer it is.
  const weight = (degree: number): number => 1 / (degree + 1);
  before.forEach((key, degree) => {
    if (told[place - 1 - degree]?.key === key) sum += weight(degree);
  });
  after.forEach((key, degree) => {
    if (told[place + length + degree]?.key === key) sum += weight(degree);
  });
  const near =
    (before[0] !== undefined && told[place - 1]?.key === before[0]) ||
    (after[0] !== undefined && told[place + length]?.key === after[0]);
  return { sum, near };
}

function theBest(places: readonly { readonly place: number; readonly score: Likeness }[]): number | Unplaced["why"] {
  const ranked = [...places].sort((a, b) => b.score.sum - a.score.sum);
  const [first, second] = ranked;
  if (first === undefined) return "no such lines";
  if (second !== undefined && second.score.sum === first.score.sum) return "several places look alike";
  return first.place;
}

function spotAt(
  lines: readonly string[],
  told: readonly Significant[],
  place: number,
  length: number,
  edit: LooseEdit,
): Spot {
  if (length === 0) return gapAt(lines, told, place, edit);
  const first = told[place]?.at ?? 0;
  const last = told[place + length - 1]?.at ?? first;
  const blank = (line: string | undefined): boolean => line !== undefined && line.trim() === "";
  const [leading, trailing] = [edgeBlanks(edit.removed), edgeBlanks([...edit.removed].reverse())];
  let [start, end] = [first, last + 1];
  for (let n = 0; n < leading && blank(lines[start - 1]); n++) start--;
  for (let n = 0; n < trailing && blank(lines[end]); n++) end++;
  const quoted = edit.removed.find((line) => line.trim() !== "") ?? "";
  return { start, end, added: reindented(edit.added, quoted, lines[first] ?? "") };
}

/** Behind the line before it, after as many blank lines as the diff shows there. */
function gapAt(lines: readonly string[], told: readonly Significant[], place: number, edit: LooseEdit): Spot {
  const previous = told[place - 1];
  const next = told[place];
  const anchored = previous !== undefined && neighbours(edit.before).length > 0;
  const quoted = neighbours(anchored ? edit.before : edit.after)[0] ?? "";
  if (!anchored) {
    const at = next?.at ?? lines.length;
    return { start: at, end: at, added: reindented(edit.added, quoted, next === undefined ? "" : (lines[at] ?? "")) };
  }
  let start = previous.at + 1;
  const limit = next?.at ?? lines.length;
  for (let n = 0; n < edgeBlanks(edit.before) && start < limit; n++) start++;
  let end = start;
  for (let n = 0; n < edit.removed.length && end < limit; n++) end++;
  return { start, end, added: reindented(edit.added, quoted, lines[previous.at] ?? "") };
}

function edgeBlanks(lines: readonly string[]): number {
  const first = lines.findIndex((line) => line.trim() !== "");
  return first === -1 ? lines.length : first;
}

function isFree({ start, end }: Spot, { taken }: Order): boolean {
  return taken.every((spot) => end <= spot.start || start >= spot.end);
}

function reindented(added: readonly string[], quoted: string, actual: string): readonly string[] {
  const [from, to] = [indentOf(quoted), indentOf(actual)];
  if (from === to) return added;
  return added.map((line) => (line.startsWith(from) && line.trim() !== "" ? to + line.slice(from.length) : line));
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function bare(line: string): string {
  return line.replace(/\s+/g, "");
}

/** A line without white space and comment; one that is all comment keeps it. */
function keyOf(line: string): string {
  return bare(withoutComment(line)) || bare(line);
}

/** Only comments that begin a line or follow a blank: `//` in an address and `#` in a colour are none. */
function withoutComment(line: string): string {
  return line.replace(/(^|\s)(?:\/\/|#(?!\w+[(<"]|include|define|if|endif)|--\s).*$/, "$1").replace(/\/\*.*?\*\//g, "");
}
