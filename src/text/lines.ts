// A minified bundle in one line says nothing after its beginning, and a line of megabytes must not fill the memory.
const MAX_LINE_BYTES = 8_000;

const NEWLINE = 0x0a;

/**
 * Cuts a stream of bytes at `\n` and hands out each line as text, without the `\n`, cut to its first 8,000 bytes. Bytes
 * that are no UTF-8 become U+FFFD. Holds at most one unfinished line.
 */
export class LineReader {
  private parts: Uint8Array[] = [];
  private held = 0;
  private readonly take: (line: string) => void;

  constructor(take: (line: string) => void) {
    this.take = take;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(NEWLINE, from);
      if (end === -1) break;
      if (this.parts.length === 0) {
        // Nearly every line lies in one chunk: no copy is made of it.
        this.take(bytes.toString("utf8", from, Math.min(end, from + MAX_LINE_BYTES)));
      } else {
        this.hold(chunk, from, end);
        this.finish();
      }
      from = end + 1;
    }
    this.hold(chunk, from, chunk.length);
  }

  /** Hands out what follows the last `\n`, when there is anything. */
  end(): void {
    if (this.parts.length > 0) this.finish();
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
    this.take(bytes.toString("utf8"));
  }
}
