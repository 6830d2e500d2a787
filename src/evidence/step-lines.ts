import type { LogLine } from "../domain/ci-run.ts";

// A step's summary stands at its end, its first error often near its beginning. Together below a few megabytes.
const HEAD_LINES = 2_000;
const TAIL_LINES = 6_000;
// Lines between head and tail that look like errors, each with its neighbours.
const ERROR_LINES = 4_000;
const AFTER_ERROR = 6;
const BEFORE_ERROR = 3;
// No tool reads more of a line (tools/bare-lines.ts).
const MAX_TEXT = 4_000;
const MAX_CHARS = 4_000_000;

const ERROR_LIKE =
  /^##\[error\]|error|fail|fatal|panic|exception|traceback|assert|✕|✗|✖|×|not ok|expected|cannot|not found/i;

/** The lines of one step, kept within bounds however long it is: head, tail, and between them what looks like an error. */
export class StepLines {
  private readonly head: LogLine[] = [];
  private readonly middle: LogLine[] = [];
  private tail: LogLine[] = [];
  private tailStart = 0;
  private chars = 0;
  private keepNext = 0;
  private lastKept = 0;
  private before: LogLine[] = [];
  private total = 0;

  add(number: number, text: string): void {
    const line = { number, text: text.length > MAX_TEXT ? flat(text.slice(0, MAX_TEXT)) : text };
    this.total++;
    if (this.head.length < HEAD_LINES && this.chars < MAX_CHARS / 2) {
      this.head.push(line);
      this.chars += line.text.length;
      return;
    }
    this.tail.push(line);
    this.chars += line.text.length;
    while (this.tailLength() > TAIL_LINES || (this.chars > MAX_CHARS && this.tailLength() > 1)) this.dropOldest();
  }

  /** What was kept, ascending, and how many lines were not. */
  result(): { readonly lines: readonly LogLine[]; readonly omittedLines: number } {
    const lines = [...this.head, ...this.middle, ...this.tail.slice(this.tailStart)];
    return { lines, omittedLines: this.total - lines.length };
  }

  private tailLength(): number {
    return this.tail.length - this.tailStart;
  }

  private dropOldest(): void {
    const line = this.tail[this.tailStart++];
    // The front is cut off now and then, not each time: shifting an array is not free.
    if (this.tailStart > TAIL_LINES) {
      this.tail = this.tail.slice(this.tailStart);
      this.tailStart = 0;
    }
    if (line !== undefined) this.passToMiddle(line);
  }

  private passToMiddle(line: LogLine): void {
    const full = this.middle.length >= ERROR_LINES || this.chars > MAX_CHARS;
    if (!full && ERROR_LIKE.test(line.text)) {
      for (const earlier of this.before) if (earlier.number > this.lastKept) this.keep(earlier);
      this.keep(line);
      this.keepNext = AFTER_ERROR;
    } else if (!full && this.keepNext > 0) {
      this.keep(line);
      this.keepNext--;
    }
    this.before.push(line);
    if (this.before.length > BEFORE_ERROR) this.before.shift();
    if (this.lastKept !== line.number) this.chars -= line.text.length;
  }

  private keep(line: LogLine): void {
    this.middle.push(line);
    this.lastKept = line.number;
  }
}

/** A copy that does not keep the long string it was cut from alive. */
function flat(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
