import { expect, it } from "vitest";
import { matchesAny, matchesGlob } from "../../src/text/glob.ts";

it.each([
  [["*"], "feature/x", true],
  [["main"], "main", true],
  [["main"], "feature/main", false],
  [["release/*"], "release/1", true],
  [["release/*"], "release/1/2", false],
  [["release/**"], "release/1/2", true],
  [["dependabot[bot]"], "dependabot[bot]", true],
  [[], "main", false],
] as const)("%j names %s: %s", (patterns, name, expected) => {
  expect(matchesAny(patterns, name)).toBe(expected);
});

it.each([
  [".github/workflows/**", ".github/workflows/ci.yml", true],
  ["**/CODEOWNERS", ".github/CODEOWNERS", true],
  ["**/CODEOWNERS", "CODEOWNERS", true],
  ["*.lock", "a/b/yarn.lock", true],
  ["src/*.ts", "src/a/b.ts", false],
])("the path pattern %s on %s: %s", (pattern, path, expected) => {
  expect(matchesGlob(pattern, path)).toBe(expected);
});
