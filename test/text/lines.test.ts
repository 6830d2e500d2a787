import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineReader } from "../../src/text/lines.ts";

function readLines(chunks: readonly Uint8Array[]): string[] {
  const lines: string[] = [];
  const reader = new LineReader((line) => lines.push(line));
  for (const chunk of chunks) reader.push(chunk);
  reader.end();
  return lines;
}

describe("LineReader", () => {
  it("gives the same lines however the bytes are cut", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 20 })), fc.integer({ min: 1, max: 7 }), (parts, size) => {
        const bytes = Buffer.from(parts.join("\n"), "utf8");
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );

        expect(readLines(chunks)).toEqual(readLines([bytes]));
      }),
    );
  });

  it("keeps empty lines and what follows the last line end", () => {
    expect(readLines([Buffer.from("a\n\nb\n")])).toEqual(["a", "", "b"]);
    expect(readLines([Buffer.from("a\nb")])).toEqual(["a", "b"]);
    expect(readLines([])).toEqual([]);
  });

  it("cuts a line of megabytes to its beginning and goes on behind it", () => {
    const [long, next] = readLines([Buffer.from(`${"x".repeat(5_000_000)}\nnext\n`)]);

    expect(long).toBe("x".repeat(8_000));
    expect(next).toBe("next");
  });
});
