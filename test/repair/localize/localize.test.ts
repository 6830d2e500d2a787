import { describe, expect, it } from "vitest";
import type { Failure } from "../../../src/domain/evidence.ts";
import type { LineRange } from "../../../src/domain/experience.ts";
import type { FaultLocation } from "../../../src/domain/fault.ts";
import { labelled, localize } from "../../../src/repair/localize/localize.ts";
import { changedLines } from "../../../src/repair/localize/pull-request.ts";
import { parseDiff } from "../../../src/text/diff.ts";
import { aFailure } from "../../fakes/evidence.ts";

type Files = Readonly<Record<string, string>>;

const inputOf = (
  failures: readonly Partial<Failure>[],
  files: Files,
  changed?: Readonly<Record<string, LineRange[]>>,
) => ({
  failures: failures.map((one, at) => aFailure({ id: `f${at}`, ...one })),
  paths: new Set(Object.keys(files)),
  read: async (path: string) => files[path] ?? null,
  changed: changed === undefined ? null : new Map(Object.entries(changed)),
});

const said = (locations: readonly FaultLocation[]): readonly string[] =>
  locations.map(({ file, range, fn, source, score }) => {
    const lines = range.start === range.end ? range.start : `${range.start}-${range.end}`;
    return `${file}:${lines} ${fn} ${source} ${score}`;
  });

const SUM = "export function add(a, b) {\n  return a - b;\n}\n\nexport function twice(a) {\n  return add(a, a);\n}\n";
const FILES: Files = {
  "src/sum.ts": SUM,
  "test/sum.test.ts":
    'import { add, twice } from "../src/sum.ts";\n\nit("doubles", () => {\n  const two = twice(1);\n  expect(add(two, 1)).toBe(3);\n});\n',
  "package.json": '{\n  "name": "sums",\n  "devDependencies": {\n    "left-pad": "^1.0.0"\n  }\n}\n',
};
const at = (file: string, line: number | null) => ({ location: { file, line, col: null } });
const LINT = { category: "linting", tool: "eslint" } as const;

describe("where the fault may lie", () => {
  it.each<readonly [string, readonly Partial<Failure>[], readonly string[]]>([
    ["a diagnostic", [{ ...LINT, ...at("src/sum.ts", 2) }], ["src/sum.ts:2 add diagnostic 1"]],
    [
      "a diagnostic in a test",
      [{ ...LINT, ...at("test/sum.test.ts", 4) }],
      ["test/sum.test.ts:4 doubles diagnostic 1"],
    ],
    ["a file without a line", [{ ...LINT, ...at("src/sum.ts", null) }], ["src/sum.ts:1-7 add diagnostic 0.8"]],
    ["a line behind the end", [{ ...LINT, ...at("src/sum.ts", 30) }], ["src/sum.ts:30 null diagnostic 1"]],
    ["a path that only ends so", [{ ...LINT, ...at("./sum.ts", 2) }], ["src/sum.ts:2 add diagnostic 1"]],
    ["a file that is not there", [{ ...LINT, ...at("lib/gone.ts", 2) }], []],
    [
      "frames, the deepest first",
      [
        {
          category: "runtime_error",
          stack: [
            { file: "src/sum.ts", line: 2, fn: "add" },
            { file: "node_modules/x/y.js", line: 2, fn: null },
            { file: "src/sum.ts", line: 6, fn: "twice" },
          ],
        },
      ],
      ["src/sum.ts:2 add stack 0.9", "src/sum.ts:6 twice stack 0.81"],
    ],
    [
      "a failing test: what its failing line calls, what it calls elsewhere, then itself",
      [{ testId: "doubles", ...at("test/sum.test.ts", 5) }],
      [
        "src/sum.ts:1-3 add test_body 0.6",
        "src/sum.ts:5-7 twice test_body 0.582",
        "test/sum.test.ts:5 doubles test_body 0.54",
      ],
    ],
  ])("is told by %s", async (_, failures, wanted) => {
    expect([...said(await localize(inputOf(failures, FILES)))].sort()).toEqual([...wanted].sort());
  });

  it("takes the frame that Python prints last for the deepest", async () => {
    const files = { "app/a.py": "def f():\n    g()\n", "app/b.py": "def g():\n    raise ValueError\n" };
    const stack = [
      { file: "app/a.py", line: 2, fn: "f" },
      { file: "app/b.py", line: 2, fn: "g" },
    ];

    expect(said(await localize(inputOf([{ category: "runtime_error", stack }], files)))).toEqual([
      "app/b.py:2 g stack 0.9",
      "app/a.py:2 f stack 0.81",
    ]);
  });

  it("keeps the twelve best, each place once", async () => {
    const failures = Array.from({ length: 30 }, (_, i) => ({ ...LINT, ...at("src/sum.ts", (i % 20) + 1) }));

    expect(await localize(inputOf(failures, { "src/sum.ts": "x\n".repeat(40) }))).toHaveLength(12);
  });
});

const TESTS: readonly (readonly [string, string, Files, string])[] = [
  [
    "python, a package below src",
    "tests/test_fee.py::test_fee",
    {
      "tests/test_fee.py": "from shop.fee import fee\n\ndef test_fee():\n    assert fee(2) == 4\n",
      "src/shop/fee.py": "def fee(a):\n    return a\n",
    },
    "src/shop/fee.py:1-2 fee",
  ],
  [
    "python, a module of a package",
    "tests/test_fee.py::test_fee",
    {
      "tests/test_fee.py": "from shop import fee\n\ndef test_fee():\n    assert fee.of(2) == 4\n",
      "shop/fee.py": "def of(a):\n    return a\n",
    },
    "shop/fee.py:1-2 of",
  ],
  [
    "go, the folder's own files",
    "TestFee",
    {
      "fee/fee_test.go": "package fee\n\nfunc TestFee(t *testing.T) {\n\tif Fee(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n",
      "fee/rate.go": "package fee\n\nfunc Fee(a int) int {\n\treturn a\n}\n",
    },
    "fee/rate.go:3-5 Fee",
  ],
  [
    "java, the class of the same name",
    "FeeTest.fee",
    {
      "src/test/java/shop/FeeTest.java":
        "package shop;\nclass FeeTest {\n  @Test void fee() {\n    assertEquals(4, new Fee().of(2));\n  }\n}\n",
      "src/main/java/shop/Fee.java": "package shop;\nclass Fee {\n  int of(int a) {\n    return a;\n  }\n}\n",
    },
    "src/main/java/shop/Fee.java:3-5 of",
  ],
  [
    "ruby, required by name",
    "fee",
    {
      "test/fee_test.rb": "require 'fee'\nclass FeeTest\n  def test_fee\n    assert_equal 4, Fee.of(2)\n  end\nend\n",
      "lib/fee.rb": "class Fee\n  def self.of(a)\n    a\n  end\n  def of(a)\n    a\n  end\nend\n",
    },
    "lib/fee.rb:5-7 of",
  ],
  [
    "rust, a module of the crate",
    "adds",
    {
      "tests/fee.rs": "use shop::rate::fee;\n\n#[test]\nfn adds() {\n    assert_eq!(fee(2), 4);\n}\n",
      "src/rate.rs": "pub fn fee(a: i32) -> i32 {\n    a\n}\n",
    },
    "src/rate.rs:1-3 fee",
  ],
  [
    "a namesake of which nothing is seen called",
    "works",
    {
      "src/fee.test.ts": 'import { run } from "./harness.ts";\nit("works", () => {\n  run("fee");\n});\n',
      "src/fee.ts": "export const fee = 2;\n",
    },
    "src/fee.ts:1 null",
  ],
];

describe("what a failing test calls", () => {
  it.each(TESTS)("is found in %s", async (_, testId, files, wanted) => {
    const [test = ""] = Object.keys(files);
    const line = (files[test] ?? "").split("\n").findIndex((text) => /assert|!= 4|run\("/.test(text)) + 1;

    const [first] = await localize(inputOf([{ testId, ...at(test, line) }], files));

    expect(
      first &&
        `${first.file}:${first.range.start === first.range.end ? 1 : `${first.range.start}-${first.range.end}`} ${first.fn}`,
    ).toBe(wanted);
  });

  it("is found by the test's name where the log has no line", async () => {
    const files = TESTS[0]?.[2] ?? {};

    const [first] = await localize(inputOf([{ testId: "tests/test_fee.py::test_fee[2-4]" }], files));

    expect(first?.file).toBe("src/shop/fee.py");
  });
});

describe("the failing pull request", () => {
  const changed = { "src/sum.ts": [{ start: 2, end: 2 }], "src/far.ts": [{ start: 9, end: 9 }] };
  const files = { ...FILES, "src/far.ts": "x\n".repeat(20) };
  const far = { ...LINT, ...at("src/far.ts", 2) };

  it("raises what lies within ten lines of what it wrote", async () => {
    const stack = [
      { file: "src/far.ts", line: 20, fn: null },
      { file: "src/sum.ts", line: 6, fn: null },
    ];

    const found = await localize(inputOf([{ category: "runtime_error", stack }], files, changed));

    expect(said(found).slice(0, 2)).toEqual(["src/sum.ts:6 twice stack 1", "src/far.ts:20 null stack 0.9"]);
  });

  it("adds what it wrote in the located files, and elsewhere only when nothing is located", async () => {
    expect(said(await localize(inputOf([far], files, changed)))).toEqual([
      "src/far.ts:2 null diagnostic 1",
      "src/far.ts:9 null pr_diff 0.5",
    ]);
    expect(said(await localize(inputOf([{}], files, changed)))).toEqual([
      "src/sum.ts:2 add pr_diff 0.3",
      "src/far.ts:9 null pr_diff 0.3",
    ]);
  });

  it("is read from a difference", () => {
    const diff =
      "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1,2 @@\n-x\n+y\n+z\n@@ -9,2 +9,0 @@\n-p\n-q\ndiff --git a/b b/b\ndeleted file mode 100644\n--- a/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";

    expect([...changedLines(parseDiff(diff))]).toEqual([
      [
        "a",
        [
          { start: 1, end: 2 },
          { start: 9, end: 9 },
        ],
      ],
    ]);
  });
});

describe("keys of the configuration", () => {
  it.each([
    [
      "a package in quotes",
      "dependency_issue",
      "Cannot find module 'left-pad'",
      ["package.json:4 null config_key 0.7"],
    ],
    [
      "a package with its version",
      "package_install_error",
      "No matching version found for left-pad@^9.0.0",
      ["package.json:4 null config_key 0.7"],
    ],
    ["no key that is there", "dependency_issue", "Cannot find module 'right-pad'", []],
    ["part of a key", "dependency_issue", "Cannot find module 'left'", []],
    ["a failing test", "assertion_error", "expected 'left-pad'", []],
  ] as const)("are looked up for %s", async (_, category, message, wanted) => {
    expect(said(await localize(inputOf([{ category, message }], FILES)))).toEqual(wanted);
  });
});

describe("labelled places", () => {
  const read = async (path: string) => FILES[path] ?? null;
  const places = [
    { file: "src/sum.ts", range: { start: 2, end: 2 } },
    { file: "src/sum.ts", range: { start: 6, end: 6 }, insertion: true },
    { file: "package.json", range: { start: 4, end: 4 } },
  ];

  it("stay lines, or become the functions around them", async () => {
    expect(said(await labelled(places, "line", read))).toEqual([
      "src/sum.ts:2 add labelled 1",
      "src/sum.ts:6 twice labelled 1",
      "package.json:4 null labelled 1",
    ]);
    expect(said(await labelled(places, "method", read))).toEqual([
      "src/sum.ts:1-3 add labelled 1",
      "src/sum.ts:5-7 twice labelled 1",
      "package.json:4 null labelled 1",
    ]);
  });
});
