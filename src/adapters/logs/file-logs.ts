import { open } from "node:fs/promises";
import path from "node:path";
import type { LogFile, LogSource } from "../../ports/log-source.ts";
import { UnreadableSource } from "../../ports/log-source.ts";
import { notText } from "./text-check.ts";

// Large enough that asking costs nothing beside reading.
const READ_BYTES = 512 * 1024;

/** One raw log. Its name is the file's own. */
export function fileLogs(file: string): LogSource {
  return { files: async () => [logFile(file, path.basename(file))] };
}

/** A file on disk as a log under `name`; reading it rejects with UnreadableSource when it is no text. */
export function logFile(file: string, name: string): LogFile {
  return { name, chunks: () => textChunks(readPieces(file), file) };
}

/** One buffer for all of the file: gigabytes in buffers of their own fill memory faster than they are collected. */
async function* readPieces(path: string): AsyncIterable<Uint8Array> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, READ_BYTES, null);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** The chunks as they come; rejects with UnreadableSource when the stream fails or its beginning is no text. */
export async function* textChunks(stream: AsyncIterable<Uint8Array>, name: string): AsyncIterable<Uint8Array> {
  let first = true;
  try {
    for await (const chunk of stream) {
      const kind = first ? notText(chunk) : null;
      first = false;
      if (kind !== null) throw new UnreadableSource(`${name} is not a log but ${kind}`);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof UnreadableSource) throw error;
    throw new UnreadableSource(`cannot read ${name}: ${(error as Error).message.split("\n")[0]}`);
  }
}
