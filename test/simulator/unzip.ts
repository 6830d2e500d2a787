import { fromBuffer } from "yauzl";

/** The text of every entry of a zip, read by a library that the simulator does not use. */
export function unzip(archive: ArrayBuffer): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    fromBuffer(Buffer.from(archive), { lazyEntries: true }, (error, zip) => {
      if (error) return reject(error);
      const texts: Record<string, string> = {};
      zip.on("error", reject);
      zip.on("end", () => resolve(texts));
      zip.on("entry", (entry) => {
        zip.openReadStream(entry, async (failure, stream) => {
          if (failure) return reject(failure);
          const chunks: Buffer[] = [];
          for await (const chunk of stream) chunks.push(chunk as Buffer);
          texts[entry.fileName] = Buffer.concat(chunks).toString("utf8");
          zip.readEntry();
        });
      });
      zip.readEntry();
    });
  });
}
