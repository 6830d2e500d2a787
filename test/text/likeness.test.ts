import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { likeness, likenessAtMost } from "../../src/text/likeness.ts";

describe("the likeness of two texts", () => {
  // Values of Python's difflib, SequenceMatcher(None, a, b, autojunk=False).ratio().
  it.each([
    ["abcd", "bcde", 0.75],
    ["expected 3 to be 4", "expected 4 to be 3", 0.888889],
    ["module not found left pad", "cannot find module right pad", 0.45283],
    ["tide", "diet", 0.25],
    ["diet", "tide", 0.5],
    ["", "x", 0],
    ["", "", 1],
    ["unused import of os in the parser", "unused import of sys in the lexer", 0.848485],
    ["aaaaaaaa", "aaaa", 0.666667],
    ["private", "primate", 0.857143],
  ])("of %j and %j is %d", (a, b, expected) => {
    expect(likeness(a, b)).toBeCloseTo(expected, 6);
  });

  it("lies between 0 and 1, is 1 for the same text only, and never above its cheap bound", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 30 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        const ratio = likeness(a, b);
        expect(ratio).toBeGreaterThanOrEqual(0);
        expect(ratio).toBeLessThanOrEqual(likenessAtMost(a, b));
        expect(ratio === 1).toBe(a === b);
      }),
    );
  });
});
