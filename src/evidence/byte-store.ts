const FIRST_SIZE = 64 * 1024;

/**
 * Bytes kept in one buffer, taken away from the front: a log's chunks are not kept alive for a few lines, and a gigabyte
 * that passes through leaves no garbage. Places count from the first byte ever put in.
 */
export class ByteStore {
  private bytes = Buffer.allocUnsafe(FIRST_SIZE);
  private base = 0;
  private from = 0;
  private to = 0;

  /** Copies the bytes in and returns their place. */
  put(bytes: Buffer): number {
    if (this.to + bytes.length > this.bytes.length) this.makeRoom(bytes.length);
    bytes.copy(this.bytes, this.to);
    const place = this.base + this.to;
    this.to += bytes.length;
    return place;
  }

  /** The bytes at a place, as they lie: good until the next `put`. */
  view(place: number, size: number): Buffer {
    return this.bytes.subarray(place - this.base, place - this.base + size);
  }

  /** Forgets what lies before a place. */
  dropBefore(place: number): void {
    this.from = Math.max(this.from, place - this.base);
  }

  clear(): void {
    this.dropBefore(this.base + this.to);
  }

  private makeRoom(wanted: number): void {
    const live = this.to - this.from;
    // Moved where at least half is free then: each byte is moved about once.
    const next = (live + wanted) * 2 > this.bytes.length ? Buffer.allocUnsafe((live + wanted) * 2) : this.bytes;
    this.bytes.copy(next, 0, this.from, this.to);
    this.bytes = next;
    this.base += this.from;
    this.from = 0;
    this.to = live;
  }
}
