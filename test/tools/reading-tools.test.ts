import { describe, expect, it } from "vitest";
import { jest } from "../../src/tools/jest.ts";
import { nodeTest } from "../../src/tools/node-test.ts";
import { npm } from "../../src/tools/npm.ts";
import { pytest } from "../../src/tools/pytest.ts";
import type { Diagnostic, Tool } from "../../src/tools/tool.ts";
import { tsc } from "../../src/tools/tsc.ts";
import { uncommittedChanges } from "../../src/tools/uncommitted-changes.ts";
import { vitest } from "../../src/tools/vitest.ts";

const READERS: readonly Tool[] = [tsc, vitest, jest, nodeTest, pytest, npm, uncommittedChanges];

const at = (file: string, testId: string | null = null): Diagnostic => ({
  message: "it failed",
  lines: [1],
  testId,
  location: { file, line: 3, col: null },
});

describe("who answers to a command", () => {
  it.each([
    ["npx tsc --noEmit", ["tsc"]],
    ["pnpm exec vue-tsc -b", ["tsc"]],
    ["./node_modules/.bin/vitest run", ["vitest"]],
    ["yarn jest --ci", ["jest"]],
    ["node --max-old-space-size=4096 node_modules/jest/bin/jest.js", ["jest"]],
    ["react-scripts test", ["jest"]],
    ["react-scripts build", []],
    ["node --import tsx --test test/a.test.ts", ["node --test"]],
    ["node build.js", []],
    ["python -m pytest -q", ["pytest"]],
    ["uv run --extra dev pytest tests", ["pytest"]],
    ["poetry run pytest", ["pytest"]],
    ["coverage run -m pytest", ["pytest"]],
    ["npx c8 --reporter=lcov vitest run", ["vitest"]],
    ["npm ci", ["npm"]],
    ["npm run missing", ["npm"]],
    ["git diff --exit-code", ["uncommitted changes"]],
    ["git status --porcelain", ["uncommitted changes"]],
    ['test -z "$(git status --porcelain)"', ["uncommitted changes"]],
    ["git status", []],
    ["git push", []],
    ["echo jest", []],
    ["echo 'npx vitest run'", []],
    ["pip install pytest", []],
  ])("%s", (command, expected) => {
    const answering = READERS.filter((tool) => tool.answersTo(command)).map((tool) => tool.name);

    expect(answering).toEqual(expected);
  });
});

describe("the command narrowed to what failed", () => {
  it.each([
    [
      vitest,
      "npx vitest run",
      [at("src/a.test.ts"), at("src/b.test.ts")],
      "npx vitest run src/a.test.ts src/b.test.ts",
    ],
    [vitest, "vitest run --config x.ts src", [at("src/a.test.ts")], "vitest run --config x.ts src/a.test.ts"],
    [vitest, "vitest run", [at("src/price.ts")], null],
    [vitest, "vitest run", [], null],
    [jest, "npx jest --ci", [at("src/a.test.js")], "npx jest --ci --runTestsByPath src/a.test.js"],
    [jest, "jest --config jest.ci.js", [at("src/a.test.js")], null],
    [jest, "react-scripts test", [at("src/a.test.js")], null],
    [nodeTest, "node --test 'test/**/*.js'", [at("test/a.js")], "node --test test/a.js"],
    [pytest, "pytest -q tests", [at("tests/a.py", "tests/a.py::test_x[1 2]")], "pytest -q 'tests/a.py::test_x[1 2]'"],
    [
      pytest,
      "python -m pytest -n 4 tests",
      [at("tests/a.py", "tests/a.py::T::x")],
      "python -m pytest -n 4 tests/a.py::T::x",
    ],
    [pytest, "pytest", [{ message: "coverage", lines: [1] }], null],
  ] as const)("%o: %s", (tool, command, diagnostics, expected) => {
    const narrowed = tool.narrow?.(command, diagnostics) ?? null;

    expect(narrowed).toEqual(expected);
  });

  it("keeps the test's own file when the code it tests crashed", () => {
    const crashed = { ...at("src/price.ts"), stack: [{ file: "src/price.test.ts", line: 6, fn: null }] };

    expect(vitest.narrow?.("vitest run", [crashed])).toEqual("vitest run src/price.test.ts");
  });
});
