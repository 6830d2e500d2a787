import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fence } from "../../src/text/fence.ts";

describe("fence", () => {
  it.each([
    { name: "plain text", text: "a\nb", info: "log", expected: "```log\na\nb\n```" },
    { name: "a text that ends its last line", text: "a\n", info: "", expected: "```\na\n```" },
    { name: "no text", text: "", info: "", expected: "```\n```" },
    { name: "a text with a fence", text: "```\nx\n```", info: "md", expected: "````md\n```\nx\n```\n````" },
    { name: "a text with a long run", text: "a `````` b", info: "", expected: "```````\na `````` b\n```````" },
    { name: "an info string that tries to end its line", text: "x", info: "js\n``", expected: "```js\nx\n```" },
  ])("fences $name", ({ text, info, expected }) => {
    expect(fence(text, info)).toBe(expected);
  });

  it("cannot be closed by what is inside", () => {
    const backtickText = fc.string({ unit: fc.constantFrom("`", "~", "a", "\n", " ") });
    fc.assert(
      fc.property(backtickText, (text) => {
        const lines = fence(text).split("\n");
        const mark = lines[0] ?? "";
        const closing = lines.findIndex(
          (line, at) => at > 0 && /^ {0,3}`+\s*$/.test(line) && line.trim().length >= mark.length,
        );

        expect(closing).toBe(lines.length - 1);
      }),
    );
  });
});
