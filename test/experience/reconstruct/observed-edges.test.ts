import { describe, expect, it } from "vitest";
import type { DependencyEdge } from "../../../src/domain/experience.ts";
import { observedEdges, withObserved } from "../../../src/experience/reconstruct/observed-edges.ts";
import { aProblemRepair } from "../../fakes/experience.ts";

const record = (id: string, ...signatures: readonly string[]) =>
  aProblemRepair({ id, p: { ...aProblemRepair().p, signatures } });
const push = (...signatures: readonly string[]) => ({ sha: "a", run: 1, signatures });
const pairs = (edges: readonly DependencyEdge[]) => edges.map(({ from, to, support }) => `${from} ${to} ${support}`);

describe("what CI showed to depend", () => {
  it.each([
    ["a problem that came up when another was gone", ["x"], [push("y"), push()], ["X Y observed"]],
    ["none when both were there from the start", ["x", "y"], [push("y"), push()], []],
    ["none when it came up beside the other", ["x"], [push("x", "y"), push("y"), push()], []],
    ["a chain", ["x"], [push("y"), push("z"), push()], ["X Y observed", "Y Z observed"]],
    ["none for what had been seen before", ["x"], [push("y"), push("x"), push("y"), push()], ["X Y observed"]],
    ["none without pushes", ["x"], [], []],
  ])("tells %s", (_, red, pushes, expected) => {
    const records = [record("X", "x"), record("Y", "y"), record("Z", "z")];

    expect(pairs(observedEdges(records, red, pushes))).toEqual(expected);
  });

  it("counts before a guess, also when that says the opposite", () => {
    const observed = observedEdges([record("X", "x"), record("Y", "y")], ["x"], [push("y")]);
    const guess = (from: string, to: string) => ({ ...observed[0], from, to, support: "heuristic" }) as DependencyEdge;

    expect(pairs(withObserved(observed, [guess("X", "Y"), guess("Y", "X"), guess("X", "Z")]))).toEqual([
      "X Y observed",
      "X Z heuristic",
    ]);
  });
});
