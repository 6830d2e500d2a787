import { describe, expect, it } from "vitest";
import { expandMatrix } from "../../src/evidence/matrix.ts";

const legs = (matrix: unknown) => expandMatrix(matrix).legs;

describe("expanding a matrix", () => {
  it.each<[string, unknown, unknown]>([
    ["no matrix is one empty leg", undefined, [{}]],
    [
      "the product of the axes, the last turning fastest",
      { os: ["a", "b"], node: [18, 20] },
      [
        { os: "a", node: 18 },
        { os: "a", node: 20 },
        { os: "b", node: 18 },
        { os: "b", node: 20 },
      ],
    ],
    [
      "exclude removes by partial match",
      { os: ["a", "b"], node: [18, 20], exclude: [{ os: "b" }, { os: "a", node: 18 }] },
      [{ os: "a", node: 20 }],
    ],
    ["include alone is a list of legs", { include: [{ site: "x" }, { site: "y" }] }, [{ site: "x" }, { site: "y" }]],
    [
      "include adds to legs whose own values it keeps",
      { os: ["a", "b"], include: [{ os: "a", extra: 1 }] },
      [{ os: "a", extra: 1 }, { os: "b" }],
    ],
    [
      "include that would change a value is a leg of its own",
      { os: ["a"], node: [1], include: [{ os: "a", node: 2 }] },
      [
        { os: "a", node: 1 },
        { os: "a", node: 2 },
      ],
    ],
    // The example of GitHub's documentation on `include`.
    [
      "later includes overwrite added values, not original ones",
      {
        fruit: ["apple", "pear"],
        animal: ["cat", "dog"],
        include: [
          { color: "green" },
          { color: "pink", animal: "cat" },
          { fruit: "apple", shape: "circle" },
          { fruit: "banana" },
          { fruit: "banana", animal: "cat" },
        ],
      },
      [
        { fruit: "apple", animal: "cat", color: "pink", shape: "circle" },
        { fruit: "apple", animal: "dog", color: "green", shape: "circle" },
        { fruit: "pear", animal: "cat", color: "pink" },
        { fruit: "pear", animal: "dog", color: "green" },
        { fruit: "banana" },
        { fruit: "banana", animal: "cat" },
      ],
    ],
  ])("%s", (_name, matrix, expected) => {
    expect(legs(matrix)).toEqual(expected);
  });

  it.each([
    ["${{ fromJSON(needs.plan.outputs.matrix) }}"],
    [{ node: "${{ fromJSON(needs.plan.outputs.nodes) }}" }],
    [{ node: [20], include: "${{ fromJSON(needs.plan.outputs.more) }}" }],
  ])("knows that %j is known only from the jobs that ran", (matrix) => {
    expect(expandMatrix(matrix).dynamic).toBe(true);
  });

  it("stays within what GitHub starts", () => {
    const axis = Array.from({ length: 60 }, (_, at) => at);

    expect(legs({ a: axis, b: axis, c: axis, d: axis })).toHaveLength(256);
  });
});
