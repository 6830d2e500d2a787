import { describe, expect, it } from "vitest";
import type { Attempt, AttemptExit, EngineName } from "../../src/domain/attempt.ts";
import type { FailureClass } from "../../src/domain/category.ts";
import type { Failure } from "../../src/domain/evidence.ts";
import type { Problem } from "../../src/domain/problem.ts";
import { NO_USAGE } from "../../src/domain/usage.ts";
import type { Engine } from "../../src/repair/engine.ts";
import { route, whyStop } from "../../src/repair/route.ts";
import { aFailure } from "../fakes/evidence.ts";

const anEngine = (name: EngineName): Engine => ({
  name,
  needsModel: name !== "autofix",
  repair: () => Promise.reject(new Error("not asked")),
});
const ALL = (["autofix", "base", "fixagent", "tracerepair"] as const).map(anEngine);

function wayOf(
  category: FailureClass,
  told: Partial<Failure> = {},
  facts: object = {},
  engine: "auto" | EngineName = "auto",
) {
  const failure = aFailure({ id: "f1", category, location: { file: "src/a.ts", line: 3, col: null }, ...told });
  const problem: Problem = {
    id: "p1",
    title: "t",
    category,
    tool: null,
    failures: ["f1"],
    validation: "v1",
    files: failure.location === null ? [] : ["src/a.ts"],
    origin: "observed",
    order: 0,
  };
  const known = { hasModel: true, canRun: true, failures: [failure], before: { ms: 1_000 }, ...facts };
  return route(problem, ALL, known, { engine });
}

const stack = [{ file: "src/a.ts", line: 3, fn: "add" }];
const silent = { expected: "4", actual: "3", stack };

describe("the way of a problem", () => {
  it.each([
    ["a formatter's findings", "code_formatting", {}, {}, "code_formatting: autofix, then base"],
    ["a lint finding", "linting", {}, {}, "linting: autofix, then base, then fixagent (level 1)"],
    ["a syntax error", "syntax_error", {}, {}, "syntax_error: base, then fixagent (level 1), then fixagent (level 2)"],
    [
      "a type error",
      "type_checking",
      {},
      {},
      "type_checking: autofix, then base, then fixagent (level 2), then fixagent (level 3)",
    ],
    ["a dependency", "dependency_issue", {}, {}, "dependency_issue: autofix, then base, then fixagent (level 3)"],
    ["a setting", "configuration_error", {}, {}, "configuration_error: autofix, then base, then fixagent (level 3)"],
    [
      "a crash",
      "runtime_error",
      { stack },
      {},
      "runtime_error: base, then fixagent (level 2), then tracerepair, then fixagent (level 3)",
    ],
    [
      "a silent wrong value",
      "assertion_error",
      silent,
      {},
      "assertion_error without a crash: base, then tracerepair, then fixagent (level 2), then fixagent (level 3)",
    ],
    [
      "a wrong value that cannot be run here",
      "assertion_error",
      silent,
      { canRun: false, before: null },
      "assertion_error, which only CI can judge: base, then fixagent (level 3)",
    ],
    [
      "a test too slow to be traced",
      "runtime_error",
      { stack },
      { before: { ms: 400_000 } },
      "runtime_error: base, then fixagent (level 2), then fixagent (level 3)",
    ],
    ["a failure that nothing locates", "runtime_error", { location: null }, {}, "runtime_error: base"],
    ["weather", "flaky", {}, {}, "flaky: no engine"],
    ["no model", "linting", {}, { hasModel: false }, "linting: autofix; no model configured for base, fixagent"],
  ] as const)("says which engines try %s, and why", (_, category, told, facts, why) => {
    expect(wayOf(category, told, facts).why).toBe(why);
  });

  it("takes an engine that was asked for, whatever the class", () => {
    const { steps, why } = wayOf("code_formatting", {}, {}, "tracerepair");

    expect([steps.map(({ engine }) => engine.name), why]).toEqual([["tracerepair"], "tracerepair was asked for"]);
  });
});

function tried(...exits: readonly (readonly [EngineName, AttemptExit])[]): Attempt[] {
  return exits.map(([engine, exit]) => ({ problem: "p1", engine, exit, why: "", steps: 0, usage: NO_USAGE }));
}

describe("stopping early", () => {
  it.each([
    [[["base", "checks"]], null],
    [
      [
        ["autofix", "no-rule"],
        ["base", "no-change"],
      ],
      null,
    ],
    [[["base", "upstream"]], "the model's endpoint failed, and every other engine needs it too"],
    [
      [
        ["base", "policy"],
        ["fixagent", "policy"],
      ],
      "two patches were refused by the guard",
    ],
    [
      [
        ["base", "no-change"],
        ["fixagent", "no-change"],
      ],
      "two engines found nothing to change",
    ],
    [[["base", "format"]], "the model does not answer in the form it is asked for"],
  ] as const)("after %j: %s", (exits, why) => {
    expect(whyStop(tried(...exits))).toBe(why);
  });
});
