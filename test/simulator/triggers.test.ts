import { describe, expect, it } from "vitest";
import { expandMatrix } from "../../src/simulator/runner/matrix.ts";
import { readPairs } from "../../src/simulator/runner/step-files.ts";
import { isTriggered } from "../../src/simulator/runner/triggers.ts";
import { readWorkflow } from "../../src/simulator/runner/workflow-file.ts";

const PUSH = { event: "push", action: null, branch: "main", files: ["src/a.ts"] };
const PULL = { event: "pull_request", action: "synchronize", branch: "main", files: ["src/a.ts"] };

describe("a workflow's on:", () => {
  it.each([
    ["a name", "push", PUSH, true],
    ["another name", "schedule", PUSH, false],
    ["a list", ["push", "pull_request"], PULL, true],
    ["a bare key", { push: null }, PUSH, true],
    ["a branch", { push: { branches: ["main"] } }, PUSH, true],
    ["another branch", { push: { branches: ["dev"] } }, PUSH, false],
    ["a glob within a segment", { push: { branches: ["release/*"] } }, { ...PUSH, branch: "release/1/x" }, false],
    ["a glob over segments", { push: { branches: ["release/**"] } }, { ...PUSH, branch: "release/1/x" }, true],
    ["a taken-back branch", { push: { branches: ["**", "!main"] } }, PUSH, false],
    ["an ignored branch", { push: { "branches-ignore": ["main"] } }, PUSH, false],
    ["tags only", { push: { tags: ["v*"] } }, PUSH, false],
    ["paths", { push: { paths: ["src/**"] } }, PUSH, true],
    ["other paths", { push: { paths: ["docs/**"] } }, PUSH, false],
    ["ignored paths", { push: { "paths-ignore": ["src/**"] } }, PUSH, false],
    ["some ignored paths", { push: { "paths-ignore": ["docs/**"] } }, PUSH, true],
    ["a pull request's base", { pull_request: { branches: ["main"] } }, PULL, true],
    ["a type that is not there by itself", { pull_request: null }, { ...PULL, action: "labeled" }, false],
    ["a type asked for", { pull_request: { types: ["labeled"] } }, { ...PULL, action: "labeled" }, true],
  ])("with %s", (_what, on, trigger, expected) => {
    expect(isTriggered(on, trigger)).toBe(expected);
  });
});

describe("a matrix", () => {
  it.each([
    [
      "crosses its axes",
      { os: ["a", "b"], v: [1, 2] },
      [
        { os: "a", v: 1 },
        { os: "a", v: 2 },
        { os: "b", v: 1 },
        { os: "b", v: 2 },
      ],
    ],
    [
      "leaves out",
      { os: ["a", "b"], v: [1, 2], exclude: [{ os: "a" }] },
      [
        { os: "b", v: 1 },
        { os: "b", v: 2 },
      ],
    ],
    ["adds to the legs that fit", { v: [1, 2], include: [{ v: 2, extra: true }] }, [{ v: 1 }, { v: 2, extra: true }]],
    ["adds a leg of its own", { v: [1], include: [{ v: 3 }] }, [{ v: 1 }, { v: 3 }]],
    ["may be includes only", { include: [{ name: "x" }, { name: "y" }] }, [{ name: "x" }, { name: "y" }]],
  ])("%s", (_what, matrix, legs) => {
    expect(expandMatrix(matrix)).toEqual(legs);
  });
});

describe("a workflow file", () => {
  it.each([
    ["is no YAML", "on: [push\njobs: {"],
    ["has no jobs", "on: push\n"],
    ["needs a job that is not there", "on: push\njobs:\n  a: { runs-on: x, needs: b, steps: [{ run: 'true' }] }\n"],
    [
      "goes in a circle",
      "on: push\njobs:\n  s: { runs-on: x, steps: [{ run: a }] }\n  a: { needs: b, runs-on: x, steps: [{ run: a }] }\n  b: { needs: a, runs-on: x, steps: [{ run: a }] }\n",
    ],
    ["has a step that does two things", "on: push\njobs:\n  a: { runs-on: x, steps: [{ run: x, uses: y }] }\n"],
  ])("that %s cannot run", (_what, text) => {
    expect(readWorkflow(text)).toBeNull();
  });
});

describe("what a step writes for its runner", () => {
  it("may have one line or many", () => {
    expect(readPairs("A=1\nB<<END\nx\ny=z\nEND\nC=a=b\n")).toEqual({ A: "1", B: "x\ny=z", C: "a=b" });
  });
});
