import type { LogLine } from "../domain/ci-run.ts";
import { ByteStore } from "./byte-store.ts";
import { readRawLine } from "./raw-line.ts";

// A step's summary stands at its end, its first error often near its beginning. Together below a few megabytes.
const HEAD_LINES = 2_000;
const HEAD_BYTES = 2_000_000;
const TAIL_LINES = 6_000;
const TAIL_BYTES = 2_000_000;
// Lines between head and tail that look like errors, each with its neighbours.
const ERROR_LINES = 4_000;
const ERROR_CHARS = 1_000_000;
const AFTER_ERROR = 6;
const BEFORE_ERROR = 3;
// Looking for errors costs ten times what passing over does: of a step of gigabytes only the first part is searched,
// beside its head, its tail and what the runner itself marks.
const SEARCHED_BYTES = 16_000_000;
// No tool reads more of a line (tools/bare-lines.ts).
const MAX_TEXT = 4_000;

const NEWLINE = 0x0a;

const ERROR_LIKE =
  /^##\[error\]|error|fail|fatal|panic|exception|traceback|assert|✕|✗|✖|×|not ok|expected|cannot|not found/i;

/** Lines as they came: one already read, or many still as bytes, split at `\n` and each with its timestamp. */
interface Piece {
  readonly first: number;
  readonly count: number;
  readonly size: number;
  /** The text, or the place of the bytes. */
  readonly content: string | number;
}

/**
 * The lines of one step, kept within bounds however long it is: head, tail, and between them what looks like an error.
 * Nothing is decoded before it must be: most steps are green and nobody asks for their lines.
 */
export class StepLines {
  private head: Piece[] = [];
  /** The head once it is full, decoded: its bytes would keep those of the whole step in place. */
  private headText: readonly LogLine[] = [];
  private headLines = 0;
  private headBytes = 0;
  private headFull = false;
  private tail: Piece[] = [];
  private tailStart = 0;
  private tailLines = 0;
  private tailBytes = 0;
  private readonly middle = new MiddleLines();
  private total = 0;
  private readonly store: ByteStore;

  /** `store` is this step's alone until the next step begins. */
  constructor(store: ByteStore = new ByteStore()) {
    this.store = store;
    store.clear();
  }

  /** One line whose wrapping was taken off. */
  add(number: number, text: string): void {
    const content = text.length > MAX_TEXT ? flat(text.slice(0, MAX_TEXT)) : text;
    this.addPiece({ first: number, count: 1, size: content.length + 1, content });
  }

  /** `count` whole lines as they stand in the log. */
  addRaw(first: number, bytes: Buffer, count: number): void {
    this.addPiece({ first, count, size: bytes.length, content: this.store.put(bytes) });
  }

  /** What was kept, ascending, and how many lines were not. */
  result(): { readonly lines: readonly LogLine[]; readonly omittedLines: number } {
    const decode = (piece: Piece): readonly LogLine[] => this.decode(piece);
    const tail = this.tail.slice(this.tailStart).flatMap(decode);
    let size = 0;
    let from = tail.length;
    while (from > 0 && tail.length - from < TAIL_LINES && size < TAIL_BYTES) {
      from--;
      size += (tail[from]?.text.length ?? 0) + 1;
    }
    const middle = this.middle.copy();
    for (const line of tail.slice(0, from)) middle.pass(line);
    const lines = [...this.headText, ...this.head.flatMap(decode), ...middle.kept, ...tail.slice(from)];
    return { lines, omittedLines: this.total - lines.length };
  }

  /** How many lines there were. */
  get count(): number {
    return this.total;
  }

  private addPiece(piece: Piece): void {
    this.total += piece.count;
    if (this.headFull) {
      this.addToTail(piece);
      return;
    }
    if (this.headLines + piece.count <= HEAD_LINES && this.headBytes + piece.size <= HEAD_BYTES) {
      this.head.push(piece);
      this.headLines += piece.count;
      this.headBytes += piece.size;
      return;
    }
    this.headFull = true;
    const [fits, rest] = this.split(piece, HEAD_LINES - this.headLines, HEAD_BYTES - this.headBytes);
    if (fits !== null) this.head.push(fits);
    this.headText = this.head.flatMap((kept) => this.decode(kept));
    this.head = [];
    if (rest !== null) this.addToTail(rest);
  }

  private addToTail(piece: Piece): void {
    this.tail.push(piece);
    this.tailLines += piece.count;
    this.tailBytes += piece.size;
    for (;;) {
      const oldest = this.tail[this.tailStart];
      if (oldest === undefined) return;
      // Decoded lines are at most as long as their bytes: four times the bytes hold what result() may take of them.
      const spare = this.tailLines - oldest.count >= TAIL_LINES || this.tailBytes - oldest.size >= 4 * TAIL_BYTES;
      if (!spare || this.tailStart === this.tail.length - 1) return;
      this.tailStart++;
      this.tailLines -= oldest.count;
      this.tailBytes -= oldest.size;
      this.passToMiddle(oldest);
      // The front is cut off now and then, not each time: shifting an array is not free.
      if (this.tailStart > TAIL_LINES) {
        this.tail = this.tail.slice(this.tailStart);
        this.tailStart = 0;
      }
    }
  }

  private passToMiddle(piece: Piece): void {
    if (this.middle.wants(piece)) for (const line of this.decode(piece)) this.middle.pass(line);
    if (typeof piece.content === "number") this.store.dropBefore(piece.content + piece.size);
  }

  private decode({ first, size, content }: Piece): readonly LogLine[] {
    if (typeof content === "string") return [{ number: first, text: content }];
    const bytes = this.store.view(content, size);
    const end = bytes.at(-1) === NEWLINE ? size - 1 : size;
    return bytes
      .toString("utf8", 0, end)
      .split("\n")
      .map((line, at) => ({ number: first + at, text: readRawLine(line).text.slice(0, MAX_TEXT) }));
  }

  /** The first lines of a piece, at most so many and so many bytes, and the others; null where there are none. */
  private split(piece: Piece, lines: number, bytes: number): readonly [Piece | null, Piece | null] {
    const { content, first } = piece;
    if (typeof content === "string") return [null, piece];
    const all = this.store.view(content, piece.size);
    let at = 0;
    let count = 0;
    while (count < lines) {
      const end = all.indexOf(NEWLINE, at);
      if (end === -1 || end + 1 > bytes) break;
      at = end + 1;
      count++;
    }
    const fits = { first, count, size: at, content };
    const rest = { first: first + count, count: piece.count - count, size: piece.size - at, content: content + at };
    return [count === 0 ? null : fits, rest.count === 0 ? null : rest];
  }
}

/** What passes between head and tail: lines that look like errors stay, with their neighbours. */
class MiddleLines {
  kept: LogLine[] = [];
  private chars = 0;
  private searched = 0;
  private keepNext = 0;
  private lastKept = 0;
  private before: LogLine[] = [];

  copy(): MiddleLines {
    return Object.assign(new MiddleLines(), this, { kept: [...this.kept], before: [...this.before] });
  }

  /** Whether a piece is worth decoding. */
  wants(piece: Piece): boolean {
    if (this.isFull()) return false;
    this.searched += piece.size;
    return this.searched <= SEARCHED_BYTES || typeof piece.content === "string";
  }

  pass(line: LogLine): void {
    if (this.isFull()) return;
    if (ERROR_LIKE.test(line.text)) {
      for (const earlier of this.before) if (earlier.number > this.lastKept) this.keep(earlier);
      this.keep(line);
      this.keepNext = AFTER_ERROR;
    } else if (this.keepNext > 0) {
      this.keep(line);
      this.keepNext--;
    }
    this.before.push(line);
    if (this.before.length > BEFORE_ERROR) this.before.shift();
  }

  private isFull(): boolean {
    return this.kept.length >= ERROR_LINES || this.chars > ERROR_CHARS;
  }

  private keep(line: LogLine): void {
    this.kept.push(line);
    this.chars += line.text.length;
    this.lastKept = line.number;
  }
}

/** A copy that does not keep the long string it was cut from alive. */
function flat(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
