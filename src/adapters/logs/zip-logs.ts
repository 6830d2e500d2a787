import type { Readable } from "node:stream";
import yauzl from "yauzl";
import type { LogFile, LogSource } from "../../ports/log-source.ts";
import { UnreadableSource } from "../../ports/log-source.ts";
import { inArchiveOrder, isLogName } from "./archive-order.ts";
import { textChunks } from "./file-logs.ts";

/** How much an archive may hold; beyond it we take it for a bomb. */
export interface ZipLimits {
  readonly entries: number;
  readonly entryBytes: number;
  readonly totalBytes: number;
}

// A run with 256 jobs of 60 steps has about 15,000 entries. Logs of a gigabyte exist; four of them in one run do not.
const LIMITS: ZipLimits = { entries: 20_000, entryBytes: 2 * 1024 ** 3, totalBytes: 4 * 1024 ** 3 };

/** A run's log archive as GitHub hands it out. Nothing is unpacked to disk; sizes are checked as declared and again as they come. */
export function zipLogs(file: string, limits: ZipLimits = LIMITS): LogSource {
  return {
    files: async () => {
      const entries = await listEntries(file, limits);
      if (entries.length === 0) throw new UnreadableSource(`no log (.txt or .log) in archive ${file}`);
      const logs = entries.map((entry): LogFile & { name: string } => ({
        name: entry.fileName,
        chunks: () => textChunks(entryChunks(file, entry), `${entry.fileName} in ${file}`),
      }));
      return inArchiveOrder(logs);
    },
  };
}

async function listEntries(file: string, limits: ZipLimits): Promise<yauzl.Entry[]> {
  const zip = await openZip(file);
  return new Promise((resolve, reject) => {
    const logs: yauzl.Entry[] = [];
    let count = 0;
    let total = 0;
    const refuse = (why: string): void => {
      zip.close();
      reject(new UnreadableSource(`${file} ${why}`));
    };
    zip.on("error", (error: Error) => refuse(`is a broken archive: ${firstLine(error)}`));
    zip.on("end", () => {
      zip.close();
      resolve(logs);
    });
    zip.on("entry", (entry: yauzl.Entry) => {
      count++;
      if (count > limits.entries) return refuse(`holds more than ${limits.entries} entries`);
      if (entry.isEncrypted()) return refuse("is encrypted");
      if (!entry.fileName.endsWith("/") && isLogName(entry.fileName)) {
        total += entry.uncompressedSize;
        if (entry.uncompressedSize > limits.entryBytes)
          return refuse(`would unpack ${entry.fileName} to ${entry.uncompressedSize} bytes`);
        if (total > limits.totalBytes) return refuse(`would unpack to more than ${limits.totalBytes} bytes`);
        logs.push(entry);
      }
      zip.readEntry();
    });
    zip.readEntry();
  });
}

async function* entryChunks(file: string, entry: yauzl.Entry): AsyncIterable<Uint8Array> {
  const zip = await openZip(file);
  try {
    const stream = await new Promise<Readable>((resolve, reject) => {
      // yauzl itself fails the stream when more bytes come than the entry declares.
      zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened)));
    });
    yield* stream;
  } finally {
    zip.close();
  }
}

function openZip(file: string): Promise<yauzl.ZipFile> {
  return new Promise((resolve, reject) => {
    yauzl.open(file, { lazyEntries: true, autoClose: false }, (error, zip) =>
      error ? reject(new UnreadableSource(`${file} is a broken archive: ${firstLine(error)}`)) : resolve(zip),
    );
  });
}

function firstLine(error: Error): string {
  return error.message.split("\n")[0] ?? "";
}
