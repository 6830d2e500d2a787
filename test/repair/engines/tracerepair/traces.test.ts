import { describe, expect, it, onTestFinished } from "vitest";
import { collectTrace } from "../../../../src/repair/engines/tracerepair/collect-trace.ts";
import { type ProbePlan, placeProbes } from "../../../../src/repair/engines/tracerepair/probe-plan.ts";
import { namedTarget } from "../../../../src/repair/engines/tracerepair/targets.ts";
import {
  sayTrace,
  TAIL_BYTES,
  type TestTrace,
  TRACE_LIMIT_BYTES,
} from "../../../../src/repair/engines/tracerepair/trace.ts";
import { type EngineBenchOptions, openEngineBench } from "../../../fakes/engine-bench.ts";

const SUM_JS = [
  "export function sum(list) {",
  "  let total = 0;",
  "  for (let i = 1; i < list.length; i++) {",
  "    total += list[i];",
  "  }",
  "  return total;",
  "}",
  "",
].join("\n");
const JS_PROBES: ProbePlan["probes"] = [
  { method: "M1", kind: "value", line: 1, expression: "list", when: "inside", why: "input" },
  { method: "M1", kind: "condition", line: 3, expression: null, when: "before", why: "which are visited" },
  { method: "M1", kind: "value", line: 6, expression: "total", when: "before", why: "result" },
];
const JS_TRACE = "L1 list = [ 1, 2 ]\nL3 i = 1\nL3 list.length = 2\nL3 loop\nL6 total = 2\n";

const LIMIT = 20_000;

interface TracedCase extends EngineBenchOptions {
  readonly file: string;
  readonly fn: string;
  readonly probes: ProbePlan["probes"];
  readonly expected: readonly { readonly testId: string; readonly tail: string }[];
}

const VITEST_TESTS =
  'import { expect, it } from "vitest";\nimport { sum } from "./sum";\nit("adds one", () => expect(sum([0])).toBe(0));\nit("adds two", () => expect(sum([1, 2])).toBe(3));\n';

const CASES: Readonly<Record<string, TracedCase>> = {
  "node:test": {
    files: {
      "sum.mjs": SUM_JS,
      "sum.test.mjs":
        'import assert from "node:assert";\nimport test from "node:test";\nimport { sum } from "./sum.mjs";\ntest("adds one", () => {\n  assert.strictEqual(sum([0]), 0);\n});\ntest("adds two", async () => {\n  await 0;\n  assert.strictEqual(sum([1, 2]), 3);\n});\n',
    },
    check: { command: "node --test --test-reporter=tap sum.test.mjs", tool: "node test" },
    file: "sum.mjs",
    fn: "sum",
    probes: JS_PROBES,
    expected: [{ testId: "adds two", tail: JS_TRACE }],
  },
  "vitest in forks, TypeScript": {
    files: { "sum.ts": SUM_JS.replace("list)", "list: number[])"), "sum.test.ts": VITEST_TESTS },
    check: { command: "vitest run --pool=forks", tool: "vitest" },
    place: "modules",
    file: "sum.ts",
    fn: "sum",
    probes: JS_PROBES,
    expected: [{ testId: "adds two", tail: JS_TRACE }],
  },
  "vitest in threads with contexts of their own": {
    files: { "sum.js": SUM_JS, "sum.test.js": VITEST_TESTS },
    check: { command: "vitest run --pool=vmThreads", tool: "vitest" },
    place: "modules",
    file: "sum.js",
    fn: "sum",
    probes: JS_PROBES,
    expected: [{ testId: "adds two", tail: JS_TRACE }],
  },
  "a runner with a context for each file, as Jest's": {
    files: {
      "sum.js": SUM_JS.replace("export ", ""),
      "run.js": [
        'const fs = require("fs"); const vm = require("vm");',
        "const expect = { getState: () => ({ currentTestName: 'sum adds two' }) };",
        "const context = vm.createContext({ expect });",
        'const got = vm.runInContext(fs.readFileSync("sum.js", "utf8") + "\\nsum([1, 2])", context);',
        'if (got !== 3) { console.log("FAILED sum adds two"); process.exit(1); }',
      ].join("\n"),
    },
    check: { command: "node run.js" },
    file: "sum.js",
    fn: "sum",
    probes: JS_PROBES,
    expected: [{ testId: "sum adds two", tail: JS_TRACE }],
  },
  "unittest, with a sitecustomize of the repository's own": {
    files: {
      "shop.py":
        "class Cart:\n    def __init__(self):\n        self.items = [1, 2]\n\n    def total(self):\n        result = 0\n        for item in self.items[1:]:\n            result += item\n        return result\n",
      "sitecustomize.py": "import builtins\nbuiltins.their_own = 3\n",
      "test_shop.py":
        "import unittest\nfrom shop import Cart\n\nclass TestCart(unittest.TestCase):\n    def test_total(self):\n        self.assertEqual(Cart().total(), their_own)\n",
    },
    check: {
      command: "python3 -m unittest",
      tool: "unittest",
      env: { PYTHONDONTWRITEBYTECODE: "1", PYTHONPATH: "." },
    },
    file: "shop.py",
    fn: "total",
    probes: [
      { method: "M1", kind: "value", line: 5, expression: "self", when: "inside", why: "" },
      { method: "M1", kind: "condition", line: 7, expression: null, when: "before", why: "" },
      { method: "M1", kind: "value", line: 8, expression: "result", when: "after", why: "" },
      { method: "M1", kind: "value", line: 9, expression: "nowhere", when: "before", why: "" },
    ],
    expected: [
      { testId: "test_shop.TestCart.test_total", tail: "L5 self = <Cart items=[1, 2]>\nL7 loop\nL8 result = 2\n" },
    ],
  },
  "go test": {
    files: {
      "go.mod": "module example.org/half\n\ngo 1.17\n",
      "half/half.go":
        "package half\n\ntype Box struct{ n int }\n\nfunc (b *Box) Half() int {\n\tx := b.n / 3\n\tif x > 1 {\n\t\treturn x\n\t}\n\treturn 0\n}\n",
      "half/half_test.go":
        'package half\n\nimport "testing"\n\nfunc TestHalf(t *testing.T) {\n\tif got := (&Box{6}).Half(); got != 3 {\n\t\tt.Fatalf("got %d, want 3", got)\n\t}\n}\n',
    },
    check: { command: "go test ./...", tool: "go test", env: { GOFLAGS: "-mod=mod" } },
    file: "half/half.go",
    fn: "Half",
    probes: [
      { method: "M1", kind: "value", line: 5, expression: "b", when: "inside", why: "" },
      { method: "M1", kind: "value", line: 6, expression: "x", when: "after", why: "" },
      { method: "M1", kind: "condition", line: 7, expression: null, when: "before", why: "" },
    ],
    expected: [{ testId: "TestHalf", tail: "L5 b = &Box{n:6}\nL6 x = 2\nL7 x = 2\nL7 then\n" }],
  },
  Java: {
    files: {
      "Half.java": "class Half {\n  static int half(int n) {\n    int x = n / 3;\n    return x;\n  }\n}\n",
      "HalfTest.java":
        'class HalfTest {\n  static void halves() {\n    if (Half.half(6) != 3) { System.out.println("FAILED halves"); System.exit(1); }\n  }\n  public static void main(String[] a) { halves(); }\n}\n',
    },
    check: { command: 'javac -d "$TMPDIR" *.java && java -cp "$TMPDIR" HalfTest' },
    file: "Half.java",
    fn: "half",
    probes: [
      { method: "M1", kind: "value", line: 2, expression: "n", when: "inside", why: "" },
      { method: "M1", kind: "marker", line: 4, expression: null, when: "before", why: "" },
    ],
    expected: [{ testId: "HalfTest.halves", tail: "L2 n = 6\nL4 reached\n" }],
  },
};

describe("a trace of real programs", () => {
  it.each(Object.entries(CASES))("is collected under %s, and leaves nothing behind", async (_, one) => {
    const opened = await openEngineBench(one);
    onTestFinished(() => opened.close());
    const { bench, check, before } = opened;
    const start = await bench.copy.snapshot();
    const target = namedTarget(one.file, one.files[one.file] ?? "", one.fn, 1);
    const placed = placeProbes({ probes: one.probes }, target === null ? [] : [target]);
    if (!placed.placed) throw new Error(placed.why);

    const failing = (before.failures ?? []).flatMap(({ testId }) => testId ?? []);
    const got = await collectTrace(placed.files, placed.probes, { check, before, otherSignatures: [], failing }, bench);

    expect(got).toMatchObject({ ended: "collected", trace: { tests: one.expected } });
    expect(await bench.copy.snapshot()).toBe(start);
    const left = await bench.room.run({
      script: 'ls "$TMPDIR"',
      shell: "sh",
      cwd: "",
      env: {},
      network: "off",
      timeoutMs: 5_000,
    });
    expect(left.output).not.toContain("retrace-trace");
  });

  it("is refused where the probes keep the program from being built", async () => {
    const one = CASES["go test"];
    if (one === undefined) throw new Error("no case");
    const opened = await openEngineBench(one);
    onTestFinished(() => opened.close());
    const target = namedTarget(one.file, one.files[one.file] ?? "", one.fn, 1);
    const unknown = { method: "M1", kind: "value", line: 6, expression: "nowhere", when: "after", why: "" } as const;
    const placed = placeProbes({ probes: [unknown] }, target === null ? [] : [target]);
    if (!placed.placed) throw new Error(placed.why);

    const { check, before, bench } = opened;
    const got = await collectTrace(
      placed.files,
      placed.probes,
      { check, before, otherSignatures: [], failing: [] },
      bench,
    );

    expect(got).toMatchObject({ ended: "failed", why: expect.stringContaining("nowhere") });
  });

  it("keeps its last 2,000 bytes and the first line of each probe, and stops writing at its limit", async () => {
    const opened = await openEngineBench({
      files: {
        "loop.js":
          "function loop() {\n  let n = 0;\n  for (const c of 'x'.repeat(5000)) {\n    n += 1;\n  }\n  return n;\n}\nprocess.exit(loop() === 1 ? 0 : 1);\n",
      },
      check: { command: "node loop.js" },
    });
    onTestFinished(() => opened.close());
    const { bench, check, before } = opened;
    const target = namedTarget("loop.js", (await bench.copy.read(bench.copy.base, "loop.js")) ?? "", "loop", 1);
    const probes: ProbePlan["probes"] = [
      { method: "M1", kind: "marker", line: 1, expression: null, when: "inside", why: "" },
      { method: "M1", kind: "value", line: 4, expression: "n", when: "after", why: "" },
      { method: "M1", kind: "value", line: 4, expression: "c", when: "after", why: "" },
    ];
    const placed = placeProbes({ probes }, target === null ? [] : [target]);
    if (!placed.placed) throw new Error(placed.why);

    const got = await collectTrace(
      placed.files,
      placed.probes,
      { check, before, otherSignatures: [], failing: [] },
      bench,
      LIMIT,
    );

    const test: TestTrace | undefined = got.ended === "failed" ? undefined : got.trace.tests[0];
    expect([Buffer.byteLength(test?.tail ?? ""), test?.firstHits, test?.guardHit]).toEqual([
      TAIL_BYTES,
      "L1 reached\nL4 n = 1\nL4 c = 'x'\n",
      true,
    ]);
    expect((test?.bytesSeen ?? 0) - LIMIT).toBeLessThan(100);
    expect(TRACE_LIMIT_BYTES).toBe(10 * 1024 * 1024);
    const shown = got.ended === "failed" ? ["", ""] : [sayTrace(got.trace, "tail"), sayTrace(got.trace, "tail+first")];
    expect([shown[0]?.includes("L1 reached"), shown[1]?.includes("L1 reached")]).toEqual([false, true]);
  });
});
