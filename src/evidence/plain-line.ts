// What begins a line that the splitter must look at: marks of the runner, another job's first words, Travis's marks.
const MARKS: readonly Buffer[] = [
  "##[",
  "Post job cleanup.",
  "Cleaning up orphan processes",
  "Requested labels: ",
  "Current runner version: '",
  "travis_",
].map((mark) => Buffer.from(mark));

const BY_FIRST_BYTE: readonly (readonly Buffer[] | null)[] = Array.from({ length: 256 }, (_, byte) => {
  const marks = MARKS.filter((mark) => mark[0] === byte);
  return marks.length === 0 ? null : marks;
});

const [DASH, SPACE, T, Z] = [0x2d, 0x20, 0x54, 0x5a];
const BOM = 0xef;
// `2026-01-02T03:04:05Z` and up to nine digits of a second's fraction.
const SHORTEST_STAMP = 19;
const LONGEST_STAMP = 29;

/**
 * Whether a line of a step's output says nothing to the splitter: no mark stands at its beginning, behind its timestamp.
 * A first timestamp in a text that had no frame so far (`framed`) is a sign, too.
 */
export function isPlainLine(bytes: Buffer, from: number, to: number, framed: boolean): boolean {
  if (bytes[from] === BOM) return false;
  const stamped = behindStamp(bytes, from, to);
  if (stamped !== from && !framed) return false;
  const marks = BY_FIRST_BYTE[bytes[stamped] ?? 0];
  if (marks === null || marks === undefined || stamped >= to) return true;
  return !marks.some((mark) => startsWith(bytes, stamped, to, mark));
}

/** The last timestamp in whole lines, null where none has one. */
export function stampOf(bytes: Buffer): string | null {
  let to = bytes.length;
  while (to > 0) {
    const from = to < 2 ? 0 : bytes.lastIndexOf(0x0a, to - 2) + 1;
    const end = behindStamp(bytes, from, to);
    if (end !== from) return bytes.toString("latin1", from, bytes[end - 1] === SPACE ? end - 1 : end);
    to = from;
  }
  return null;
}

/** Where a line's text begins: behind `2026-01-02T03:04:05.0000000Z `, or at once. */
function behindStamp(bytes: Buffer, from: number, to: number): number {
  if (to - from <= SHORTEST_STAMP || bytes[from + 4] !== DASH || bytes[from + 7] !== DASH || bytes[from + 10] !== T)
    return from;
  const last = Math.min(to - 1, from + LONGEST_STAMP);
  for (let at = from + SHORTEST_STAMP; at <= last; at++) {
    if (bytes[at] === Z) return bytes[at + 1] === SPACE && at + 1 < to ? at + 2 : at + 1;
  }
  return from;
}

function startsWith(bytes: Buffer, from: number, to: number, mark: Buffer): boolean {
  if (from + mark.length > to) return false;
  for (let at = 0; at < mark.length; at++) if (bytes[from + at] !== mark[at]) return false;
  return true;
}
