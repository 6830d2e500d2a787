// The cause of a failure stands at the end of its output more often than at the start: a quarter for the head, the rest
// for the tail. One MiB is more than any reader of a log looks at and little beside the memory of a repair.
const KEPT_BYTES = 1024 * 1024;
const HEAD_SHARE = 0.25;

export interface Kept {
  readonly text: string;
  readonly omittedBytes: number;
}

/** Collects a stream of bytes, keeping its head and its tail; holds at most about twice `keptBytes` at any time. */
export class KeptOutput {
  readonly #headRoom: number;
  readonly #tailRoom: number;
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #omittedBytes = 0;

  constructor(keptBytes = KEPT_BYTES) {
    this.#headRoom = Math.floor(keptBytes * HEAD_SHARE);
    this.#tailRoom = keptBytes - this.#headRoom;
  }

  add(chunk: Buffer): void {
    const forHead = chunk.subarray(0, this.#headRoom - this.#headBytes);
    if (forHead.length > 0) this.#head.push(forHead);
    this.#headBytes += forHead.length;
    const rest = chunk.subarray(forHead.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    if (this.#tailBytes > 2 * this.#tailRoom) this.#cutTail();
  }

  /** What was kept, with one line in the middle that says how much is missing. */
  read(): Kept {
    this.#cutTail();
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail);
    if (this.#omittedBytes === 0) return { text: Buffer.concat([head, tail]).toString("utf8"), omittedBytes: 0 };
    const [start, end] = [withoutTornEnd(head), withoutTornStart(tail)];
    const omittedBytes = this.#omittedBytes + head.length - start.length + tail.length - end.length;
    return { text: `${start}\n[… ${omittedBytes} bytes omitted …]\n${end}`, omittedBytes };
  }

  #cutTail(): void {
    if (this.#tailBytes <= this.#tailRoom) return;
    const all = Buffer.concat(this.#tail);
    this.#omittedBytes += all.length - this.#tailRoom;
    // Copied, so that the cut part can be freed.
    this.#tail = [Buffer.from(all.subarray(all.length - this.#tailRoom))];
    this.#tailBytes = this.#tailRoom;
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** A character of UTF-8 has at most four bytes, so at most three lie on the wrong side of a cut. */
const MOST_TORN_BYTES = 3;

function withoutTornStart(bytes: Buffer): Buffer {
  let start = 0;
  while (start < MOST_TORN_BYTES && isContinuation(bytes[start])) start += 1;
  return bytes.subarray(start);
}

function withoutTornEnd(bytes: Buffer): Buffer {
  for (let back = 1; back <= MOST_TORN_BYTES && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return byte >= 0xc0 && back < lengthOfCharacter(byte) ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

function lengthOfCharacter(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}
