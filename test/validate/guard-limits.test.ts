import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../src/domain/policy.ts";
import { matchesGlob } from "../../src/text/glob.ts";
import { type GuardInput, guardPatch } from "../../src/validate/guard.ts";
import { patchOf } from "./guard-case.ts";

function inputFor(patch: string, changes: Partial<GuardInput> = {}): GuardInput {
  return {
    patch,
    before: () => "",
    after: () => "x\n",
    policy: DEFAULT_POLICY,
    category: "unknown",
    tool: null,
    engine: "base",
    failingCommand: null,
    lockfileIsTheCheck: false,
    occurrences: () => 0,
    ...changes,
  };
}

const rulesOf = (input: GuardInput) => guardPatch(input).refusals.map(({ rule }) => rule);
const manyFiles = patchOf(
  Object.fromEntries(
    Array.from({ length: 31 }, (_, at) => [`src/f${at}.ts`, { before: null, after: `export const x = ${at};\n` }]),
  ),
);
const manyLines = patchOf({ "src/a.ts": { before: null, after: "x();\n".repeat(601) } });

describe("the guard's limits", () => {
  it.each([
    { name: "31 files", patch: manyFiles, rule: "too-many-files" },
    { name: "601 lines", patch: manyLines, rule: "too-many-lines" },
  ])("refuses $name of a model and takes them from a tool's own fixer", ({ patch, rule }) => {
    expect(rulesOf(inputFor(patch))).toEqual([rule]);
    expect(rulesOf(inputFor(patch, { engine: "autofix" }))).toEqual([]);
  });

  it("refuses a patch that is cut off", () => {
    expect(guardPatch(inputFor("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n"))).toEqual({
      refusals: [
        {
          rule: "unreadable-patch",
          file: "",
          line: null,
          message: "the hunk at line 5 of the diff does not hold the lines that its header counts",
        },
      ],
      needsPerson: [],
    });
  });

  it("finds nothing in no patch", () => {
    expect(guardPatch(inputFor(""))).toEqual({ refusals: [], needsPerson: [] });
  });

  it("refuses an added token and names its line", () => {
    const after = `const a = 1;\nconst b = "ghp_${"aB3".repeat(12)}";\n`;
    const patch = patchOf({ "src/a.ts": { before: "const a = 1;\n", after } });

    expect(guardPatch(inputFor(patch, { before: () => "const a = 1;\n", after: () => after })).refusals).toEqual([
      { rule: "secret", file: "src/a.ts", line: 2, message: "an added line holds a secret (github-token)" },
    ]);
  });

  it("refuses a file that becomes a link", () => {
    const patch =
      "diff --git a/x b/x\nnew file mode 120000\nindex 0000000..1111111\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n";

    expect(rulesOf(inputFor(patch))).toEqual(["file-mode"]);
  });
});

it.each([
  { name: "a minified file", path: "dist/a.min.js", text: "function a(b){return it(b,c.d.e.f)}".repeat(10_000) },
  { name: "a test file of calls that never close", path: "a.test.ts", text: "it(".repeat(20_000) },
  {
    name: "a large test file",
    path: "a.test.ts",
    text: "it('a', () => {\n  expect(f(1)).toBe(2);\n});\n".repeat(3_000),
  },
])(
  "judges $name in seconds",
  ({ path, text }) => {
    const patch = `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-a\n+b\n`;
    const start = performance.now();

    expect(rulesOf(inputFor(patch, { before: () => `${text}\n`, after: () => `${text} x\n` }))).toEqual([]);
    // Without bounds on brackets, tables and line counting these take minutes.
    expect(performance.now() - start).toBeLessThan(15_000);
  },
  120_000,
);

describe("matchesGlob", () => {
  it.each([
    { pattern: ".github/workflows/**", path: ".github/workflows/ci.yml", expected: true },
    { pattern: ".github/workflows/**", path: ".github/workflows/a/b.yml", expected: true },
    { pattern: ".github/workflows/**", path: "x/.github/workflows/ci.yml", expected: false },
    { pattern: "**/CODEOWNERS", path: "CODEOWNERS", expected: true },
    { pattern: "**/CODEOWNERS", path: "docs/CODEOWNERS", expected: true },
    { pattern: "**/CODEOWNERS", path: "docs/CODEOWNERS.md", expected: false },
    { pattern: "*.pem", path: "keys/a.pem", expected: true },
    { pattern: "src/*.ts", path: "src/a/b.ts", expected: false },
    { pattern: "src/?.ts", path: "src/a.ts", expected: true },
    { pattern: "src/a.ts", path: "src/aXts", expected: false },
    { pattern: "/Makefile", path: "Makefile", expected: true },
  ])("$pattern and $path: $expected", ({ pattern, path, expected }) => {
    expect(matchesGlob(pattern, path)).toBe(expected);
  });
});
