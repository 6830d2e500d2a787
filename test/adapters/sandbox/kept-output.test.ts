import { describe, expect, it } from "vitest";
import { KeptOutput } from "../../../src/adapters/sandbox/kept-output.ts";

const keep = (chunks: readonly string[], bytes: number) => {
  const kept = new KeptOutput(bytes);
  for (const chunk of chunks) kept.add(Buffer.from(chunk));
  return kept.read();
};

describe("output that is kept", () => {
  it.each([
    { chunks: [], bytes: 8, text: "", omittedBytes: 0 },
    { chunks: ["abcd", "efgh"], bytes: 8, text: "abcdefgh", omittedBytes: 0 },
    { chunks: ["abcdefghi"], bytes: 8, text: "ab\n[… 1 bytes omitted …]\ndefghi", omittedBytes: 1 },
    {
      chunks: [..."abcdefghijklmnopqrstuvwxyz"],
      bytes: 8,
      text: "ab\n[… 18 bytes omitted …]\nuvwxyz",
      omittedBytes: 18,
    },
    // é is two bytes, € three: neither is torn, and what is dropped of them counts as left out.
    { chunks: ["aé", "bcdefghi"], bytes: 8, text: "a\n[… 4 bytes omitted …]\ndefghi", omittedBytes: 4 },
    { chunks: ["abcd€efgh"], bytes: 8, text: "ab\n[… 5 bytes omitted …]\nefgh", omittedBytes: 5 },
  ])("of $chunks in $bytes bytes is $text", ({ chunks, bytes, text, omittedBytes }) => {
    expect(keep(chunks, bytes)).toEqual({ text, omittedBytes });
  });

  it("keeps a character that comes in two pieces whole", () => {
    const kept = new KeptOutput(8);
    const bytes = Buffer.from("é");
    kept.add(bytes.subarray(0, 1));
    kept.add(bytes.subarray(1));

    expect(kept.read().text).toBe("é");
  });
});
