// A minified bundle in one line says nothing after its beginning, and a line of megabytes must not fill the memory.
const MAX_LINE_BYTES = 8_000;

const NEWLINE = 0x0a;

/** Takes lines that need no look of their own as they lie in the stream, many at a time. */
export interface BulkTaker {
  /** Asked before each line, in order: whether the line at `bytes[from, to)` (its first 8,000 bytes) may go with the others. */
  isPlain(bytes: Buffer, from: number, to: number): boolean;
  /** Whole lines, each ended by `\n` or by the end of `bytes`. The bytes are not written to again. */
  takePlain(bytes: Buffer, count: number): void;
}

/**
 * Cuts a stream of bytes at `\n` and hands out each line as text, without the `\n`, cut to its first 8,000 bytes. Bytes
 * that are no UTF-8 become U+FFFD. Holds at most one unfinished line. Lines that `bulk` calls plain go there as bytes.
 */
export class LineReader {
  private parts: Uint8Array[] = [];
  private held = 0;
  private readonly take: (line: string) => void;
  private readonly bulk: BulkTaker | null;

  constructor(take: (line: string) => void, bulk: BulkTaker | null = null) {
    this.take = take;
    this.bulk = bulk;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    if (this.parts.length > 0) {
      const end = bytes.indexOf(NEWLINE);
      this.hold(chunk, 0, end === -1 ? chunk.length : end);
      if (end === -1) return;
      this.finish();
      from = end + 1;
    }
    const rest = this.bulk === null ? this.takeEach(bytes, from) : this.takeMany(bytes, from, this.bulk);
    this.hold(chunk, rest, chunk.length);
  }

  /** Hands out what follows the last `\n`; whether there was anything. */
  end(): boolean {
    const isCut = this.parts.length > 0;
    if (isCut) this.finish();
    return isCut;
  }

  /** Takes every whole line from `from` on; where the unfinished one begins. */
  private takeEach(bytes: Buffer, start: number): number {
    let from = start;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, from);
      if (end === -1) return from;
      // No copy is made of a line that lies in one chunk, as nearly every one does.
      this.take(bytes.toString("utf8", from, Math.min(end, from + MAX_LINE_BYTES)));
      from = end + 1;
    }
  }

  private takeMany(bytes: Buffer, start: number, bulk: BulkTaker): number {
    let from = start;
    let run = start;
    let count = 0;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, from);
      const fits = end !== -1 && end - from <= MAX_LINE_BYTES;
      if (fits && bulk.isPlain(bytes, from, end)) {
        count++;
        from = end + 1;
        continue;
      }
      if (count > 0) bulk.takePlain(bytes.subarray(run, from), count);
      if (end === -1) return from;
      this.takeOne(bytes.subarray(from, fits ? end : from + MAX_LINE_BYTES), fits);
      from = end + 1;
      run = from;
      count = 0;
    }
  }

  /** A line on its own: one known not to be plain, or one that was cut or put together and was not looked at yet. */
  private takeOne(line: Buffer, looked: boolean): void {
    if (!looked && this.bulk?.isPlain(line, 0, line.length)) this.bulk.takePlain(line, 1);
    else this.take(line.toString("utf8"));
  }

  private hold(chunk: Uint8Array, from: number, to: number): void {
    const room = MAX_LINE_BYTES - this.held;
    if (to <= from || room <= 0) return;
    // A copy: a view would keep the whole chunk alive for one short line. (Buffer.slice is a view.)
    const part = Uint8Array.prototype.slice.call(chunk, from, Math.min(to, from + room));
    this.parts.push(part);
    this.held += part.length;
  }

  private finish(): void {
    const bytes = Buffer.concat(this.parts);
    this.parts = [];
    this.held = 0;
    this.takeOne(bytes, false);
  }
}
