import { describe, expect, it } from "vitest";
import type { CheckRun } from "../../src/domain/check.ts";
import { type CiFinding, compareRuns, judgeReproduction, runtimeDifferences } from "../../src/validate/compare.ts";
import { check, ran } from "./validations.ts";

const failing = (...signatures: string[]): CheckRun => ran({ signatures });
const PASSING = ran({ exitCode: 0 });

describe("a check before and after a change", () => {
  const none = { resolved: [], persisting: [], introduced: [] };

  it.each([
    {
      title: "passes",
      before: failing("a", "b"),
      after: PASSING,
      others: [],
      expected: { ...none, verdict: "pass", resolved: ["a", "b"], cleared: true, why: "the check passes" },
    },
    {
      title: "fails as before",
      before: failing("a"),
      after: failing("a"),
      others: [],
      expected: {
        ...none,
        verdict: "fail",
        persisting: ["a"],
        cleared: false,
        why: "the check fails with exit code 1: one failure as before",
      },
    },
    {
      title: "fails in a new way",
      before: failing("a", "b"),
      after: failing("b", "c", "d"),
      others: ["b"],
      expected: {
        verdict: "fail",
        resolved: ["a"],
        persisting: ["b"],
        introduced: ["c", "d"],
        cleared: false,
        why: "the check fails with exit code 1: one failure as before, 2 failures of a new kind",
      },
    },
    {
      title: "fails only for another problem's failure",
      before: failing("a", "b"),
      after: failing("b"),
      others: ["b"],
      expected: {
        ...none,
        verdict: "fail",
        resolved: ["a"],
        persisting: ["b"],
        cleared: true,
        why: "the check still fails, but only where other problems did before",
      },
    },
    {
      title: "fails without a word",
      before: failing("a"),
      after: failing(),
      others: [],
      expected: {
        ...none,
        verdict: "fail",
        resolved: ["a"],
        cleared: false,
        why: "the check fails with exit code 1 and does not say where",
      },
    },
    {
      title: "does not end",
      before: failing("a"),
      after: ran({ exitCode: null, timedOut: true }),
      others: [],
      expected: { ...none, verdict: "fail", resolved: ["a"], cleared: false, why: "the check did not end in time" },
    },
    {
      title: "could not be run before",
      before: null,
      after: failing("a"),
      others: [],
      expected: {
        ...none,
        verdict: "fail",
        introduced: ["a"],
        cleared: false,
        why: "the check fails with exit code 1: one failure of a new kind",
      },
    },
    {
      title: "cannot be run",
      before: failing("a"),
      after: ran({ check: check({ notRun: "eslint is not installed here" }), exitCode: 127 }),
      others: [],
      expected: { ...none, verdict: "not-run", persisting: ["a"], cleared: false, why: "eslint is not installed here" },
    },
    {
      title: "looks as if it could not be run, as it did before",
      before: failing("a"),
      after: ran({ check: check({ notRun: "eslint is not installed here" }), exitCode: 127, signatures: ["a"] }),
      others: [],
      expected: {
        ...none,
        verdict: "fail",
        persisting: ["a"],
        cleared: false,
        why: "the check fails with exit code 127: one failure as before",
      },
    },
    {
      title: "was killed",
      before: failing("a"),
      after: ran({ exitCode: null }),
      others: [],
      expected: { ...none, verdict: "not-run", persisting: ["a"], cleared: false, why: "it was ended by a signal" },
    },
  ])("$title", ({ before, after, others, expected }) => {
    expect(compareRuns(before, after, others)).toEqual(expected);
  });
});

describe("whether the first run shows what CI showed", () => {
  const CI: CiFinding = { signatures: ["a", "b"], tool: "eslint", exitCode: 1 };
  const SILENT: CiFinding = { signatures: [], tool: "eslint", exitCode: 2 };
  const eslint = check({ tool: "eslint" });
  const YES = { reproduced: "yes", reason: null, alreadyFixed: false };
  const no = (reason: string, alreadyFixed = false) => ({ reproduced: "no", reason, alreadyFixed });
  const notRun = (reason: string) => ({ reproduced: "not-run", reason, alreadyFixed: false });

  it.each([
    ["one of the failures is there", CI, failing("b", "z"), [], YES],
    ["it passes as in CI", CI, PASSING, [], no("the check passes here", true)],
    [
      "it passes on another runtime",
      CI,
      PASSING,
      ["CI has node 18, here is 20.1.0"],
      no("the check passes here, though CI has node 18, here is 20.1.0"),
    ],
    [
      "other failures are there",
      CI,
      failing("z"),
      ["CI has go 1.21, here is 1.19"],
      no("the check fails here with other failures than in CI; CI has go 1.21, here is 1.19"),
    ],
    [
      "no failure can be read here",
      CI,
      ran({ exitCode: 2 }),
      [],
      no("the check fails here (exit code 2) without the failures that CI showed"),
    ],
    ["neither can be read, same tool and exit code", SILENT, ran({ check: eslint, exitCode: 2 }), [], YES],
    [
      "neither can be read, same tool, CI's exit code unknown",
      { ...SILENT, exitCode: null },
      ran({ check: eslint, exitCode: 2 }),
      [],
      YES,
    ],
    [
      "neither can be read, another exit code",
      SILENT,
      ran({ check: eslint }),
      [],
      no("the check fails here with exit code 1, in CI with 2"),
    ],
    [
      "neither can be read, another tool",
      SILENT,
      ran({ exitCode: 2 }),
      [],
      no("the check fails here in another tool than in CI"),
    ],
    ["neither can be read, no tool, same exit code", { ...SILENT, tool: null }, ran({ exitCode: 2 }), [], YES],
    [
      "nothing is known of CI's failure",
      { signatures: [], tool: null, exitCode: null },
      ran({}),
      [],
      no("the log does not tell what failed in CI"),
    ],
    ["it does not end", CI, ran({ exitCode: null, timedOut: true }), [], no("the check did not end in time here")],
    ["a signal ended it", CI, ran({ exitCode: null }), [], notRun("it was ended by a signal")],
    [
      "its tool is missing",
      CI,
      ran({ check: check({ notRun: "eslint is not installed here" }), exitCode: 127 }),
      [],
      notRun("eslint is not installed here"),
    ],
    [
      "its tool is missing, in CI too",
      CI,
      ran({ check: check({ notRun: "eslint is not installed here" }), exitCode: 127, signatures: ["a"] }),
      [],
      YES,
    ],
    ["it was not run", CI, null, [], notRun("the check was not run")],
  ] as const)("%s", (_, ci, run, differences, expected) => {
    expect(judgeReproduction(ci, run, differences)).toEqual(expected);
  });

  it("hands on why it was not run", () => {
    expect(judgeReproduction(CI, null, [], "setup: npm ci: exit code 1")).toEqual(notRun("setup: npm ci: exit code 1"));
  });
});

describe("runtime versions", () => {
  it.each([
    [{ node: "20" }, { node: "v20.20.2" }, []],
    [{ node: "20.x" }, { node: "v20.20.2" }, []],
    [{ node: "2" }, { node: "v20.20.2" }, ["CI has node 2, here is 20.20.2"]],
    [{ node: "18.x" }, { node: "v20.20.2" }, ["CI has node 18.x, here is 20.20.2"]],
    [{ python: "3.12" }, { python: "Python 3.11.2" }, ["CI has python 3.12, here is 3.11.2"]],
    [{ python: "3.1" }, { python: "Python 3.11.2" }, ["CI has python 3.1, here is 3.11.2"]],
    [{ go: "1.21" }, { go: "go version go1.21.3 linux/amd64" }, []],
    [{ go: "1.21" }, { go: null }, ["CI has go 1.21, here is none"]],
    [{ node: "lts/*", rust: "stable", ruby: ">=3" }, { node: "v20.1.0", rust: "rustc 1.70.0", ruby: "ruby 3.1.2" }, []],
    [{ zig: "0.11" }, {}, []],
  ])("%j against %j", (asked, here, expected) => {
    expect(
      runtimeDifferences(asked as unknown as Record<string, string>, here as Record<string, string | null>),
    ).toEqual(expected);
  });
});
