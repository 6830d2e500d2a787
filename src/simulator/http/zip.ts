import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  readonly name: string;
  readonly content: string;
}

const VERSION = 20;
/** Bit 11: names are UTF-8. */
const FLAGS = 0x0800;
const DEFLATE = 8;
/** 1 January 1980, the earliest date a zip can tell. */
const DATE = 0x0021;

/** A zip archive, deflated; for log archives, so without zip64. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content } of entries) {
    const bytes = Buffer.from(content);
    const packed = deflateRawSync(bytes);
    const path = Buffer.from(name);
    const facts = Buffer.alloc(26);
    facts.writeUInt16LE(VERSION, 0);
    facts.writeUInt16LE(FLAGS, 2);
    facts.writeUInt16LE(DEFLATE, 4);
    facts.writeUInt16LE(DATE, 8);
    facts.writeUInt32LE(crc32(bytes), 10);
    facts.writeUInt32LE(packed.length, 14);
    facts.writeUInt32LE(bytes.length, 18);
    facts.writeUInt16LE(path.length, 22);
    files.push(signature(0x04034b50), facts, path, packed);

    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(signature(0x02014b50), uint16(VERSION), facts, place, path);
    offset += 4 + facts.length + path.length + packed.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, ...directory, signature(0x06054b50), end]);
}

function signature(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}
