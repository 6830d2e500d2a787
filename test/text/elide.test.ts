import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elide } from "../../src/text/elide.ts";

describe("elide", () => {
  it("returns a text that fits as it is", () => {
    expect(elide("abcdef", { head: 3, tail: 3 })).toBe("abcdef");
  });

  it("keeps both ends and says how much is missing", () => {
    expect(elide("abcdefghij", { head: 2, tail: 3 })).toBe("ab\n… 5 characters left out …\nhij");
  });

  it.each([
    { cut: "the head", ends: { head: 2, tail: 1 }, expected: "a\n… 6 characters left out …\nd" },
    { cut: "the tail", ends: { head: 1, tail: 2 }, expected: "a\n… 6 characters left out …\nd" },
  ])("does not split a surrogate pair at $cut", ({ ends, expected }) => {
    expect(elide("a😀bc😀d", ends)).toBe(expected);
  });

  it("can keep one end only", () => {
    expect(elide("abcdef", { head: 0, tail: 2 })).toBe("\n… 4 characters left out …\nef");
  });

  it("never makes a well-formed text ill-formed, and the count is what is missing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(12), fc.nat(12), (text, head, tail) => {
        const short = elide(text, { head, tail });

        expect(() => encodeURIComponent(short)).not.toThrow();
        if (short === text) return;
        const marks = [...short.matchAll(/\n… (\d+) characters left out …\n/g)];
        expect(marks.some((mark) => short.length - mark[0].length + Number(mark[1]) === text.length)).toBe(true);
      }),
    );
  });
});
