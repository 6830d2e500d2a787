import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ComparedProblem,
  comparable,
  isAboutOthers,
  jaccard,
  similarity,
  similarityAtMost,
} from "../../src/domain/similarity.ts";

const problem: ComparedProblem = {
  problem: "the parser rejects an empty list",
  rootCause: "the loop expects one element at least",
  files: ["src/parse.ts"],
  type: "runtime_error",
  fix: "return early for an empty list",
  symbols: [],
};
const s = (a: Partial<ComparedProblem>, b: Partial<ComparedProblem>, rule?: "product" | "paper"): number =>
  similarity(comparable({ ...problem, ...a }), comparable({ ...problem, ...b }), rule);

describe("the similarity S of two problems", () => {
  it.each([
    ["identical, no tests", {}, {}, 0.95],
    ["identical, without files", { files: [] }, { files: [] }, 0.75],
    ["identical with a test file", { files: ["test/a.test.ts"] }, { files: ["test/a.test.ts"] }, 1],
    ["same folder and extension", {}, { files: ["src/lex.ts"] }, 0.89],
    ["same folder", {}, { files: ["src/lex.css"] }, 0.85],
    ["same extension", {}, { files: ["lib/lex.ts"] }, 0.81],
    ["nothing of the files", {}, { files: ["lib/lex.css"] }, 0.75],
    ["no root cause on one side", { rootCause: "" }, {}, 0.75],
    ["tests of the same name elsewhere", { files: ["test/a.test.ts"] }, { files: ["x/test/a.test.ts"] }, 0.85],
    ["tests of other names", { files: ["test/a.test.ts"] }, { files: ["test/b.test.ts"] }, 0.905],
    ["different names in code spans", { problem: "`a` is lost" }, { problem: "`b` is lost" }, 0.95],
  ])("%s", (_, a, b, expected) => {
    expect(s(a, b)).toBe(expected);
  });

  it("compares files in both directions, as published in one", () => {
    const more = { files: ["src/parse.ts", "docs/x.css"] };

    expect([s({}, more, "paper"), s(more, {}, "paper"), s({}, more), s(more, {})]).toEqual([0.95, 0.85, 0.9, 0.9]);
  });

  it("lies between 0 and 1 and never above its cheap bound", () => {
    const text = fc.array(fc.constantFrom("parser", "lost", "import", "`x`", "3", "type"), { maxLength: 6 });
    const any = fc.record({
      problem: text.map((words) => words.join(" ")),
      rootCause: text.map((words) => words.join(" ")),
      fix: text.map((words) => words.join(" ")),
      type: fc.constantFrom("linting", "type_checking"),
      files: fc.array(fc.constantFrom("a.ts", "src/a.ts", "test/a.test.ts", "README.md"), { maxLength: 3 }),
      symbols: fc.constant([]),
    });
    fc.assert(
      fc.property(any, any, (left, right) => {
        const [a, b] = [comparable(left), comparable(right)];
        expect(similarity(a, b)).toBeGreaterThanOrEqual(0);
        expect(similarity(a, b)).toBeLessThanOrEqual(similarityAtMost(a, b));
        expect(similarityAtMost(a, b)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

it.each([
  [["a"], ["a.ts"], ["b"], ["b.ts"], true],
  [["a"], ["a.ts"], ["a"], ["b.ts"], false],
  [["a"], ["a.ts"], ["b"], ["a.ts"], false],
  [[], ["a.ts"], ["b"], ["b.ts"], false],
])("symbols %j in %j against %j in %j: about others is %s", (symbols, files, otherSymbols, otherFiles, expected) => {
  const a = comparable({ ...problem, symbols, files });
  const b = comparable({ ...problem, symbols: otherSymbols, files: otherFiles });

  expect(isAboutOthers(a, b)).toBe(expected);
});

it("two empty sets share nothing", () => {
  expect([jaccard(new Set(), new Set()), jaccard(new Set([1, 2]), new Set([2, 3]))]).toEqual([0, 1 / 3]);
});
