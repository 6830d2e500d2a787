import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type Candidate, type Trial, tryCandidate } from "../../src/agent/trial.ts";
import { type EngineBench, openEngineBench } from "../fakes/engine-bench.ts";

const SOURCE = "export const half = (n) => n / 3;\nexport const twice = (n) => n * 2;\n";
const TESTS = [
  'import assert from "node:assert";',
  'import test from "node:test";',
  'import { half, twice } from "./half.mjs";',
  'test("halves six", () => assert.strictEqual(half(6), 3));',
  'test("halves eight", () => assert.strictEqual(half(8), 4));',
  'test("doubles", () => assert.strictEqual(twice(2), 4));',
  "",
].join("\n");
const NODE = {
  files: { "half.mjs": SOURCE, "half.test.mjs": TESTS },
  check: { command: "node --test --test-reporter=tap half.test.mjs", tool: "node test" },
} as const;

// One bench for all: that each trial gives the tree back is what the tests say.
let opened: EngineBench;
beforeAll(async () => {
  opened = await openEngineBench(NODE);
});
afterAll(() => opened.close());

async function attempt(
  candidate: Candidate,
  on: EngineBench,
  others: readonly string[] = [],
  notRun: string | null = null,
): Promise<Trial> {
  const { bench, check, before } = on;
  return tryCandidate(candidate, { check: { ...check, notRun }, before, otherSignatures: others }, bench);
}

const half = (text: string): Candidate => ({ files: [{ path: "half.mjs", text }] });
const swap = (from: string, to: string): Candidate => half(SOURCE.replace(from, to));

describe("a candidate that is tried", () => {
  it.each<[string, Candidate, Pick<Trial, "score" | "sub"> & { feedback: object }]>([
    [
      "repairs the target",
      swap("n / 3", "n / 2"),
      { score: 2, sub: { targetFixed: 1, newFailures: 0 }, feedback: { stage: "none", failing: [], timedOut: false } },
    ],
    [
      "repairs a part of the target",
      swap("n / 3", "n === 6 ? 3 : 0"),
      {
        score: 1,
        sub: { targetFixed: 0.5, newFailures: 0 },
        feedback: {
          stage: "trigger",
          failing: ["halves eight"],
          message: expect.stringContaining("expected 4, got 0"),
        },
      },
    ],
    [
      "repairs the target and breaks something else",
      half("export const half = (n) => n / 2;\nexport const twice = (n) => n;\n"),
      {
        score: 1,
        sub: { targetFixed: 1, newFailures: 1 },
        feedback: { stage: "regression", failing: ["doubles"], timedOut: false },
      },
    ],
    [
      "does not parse",
      swap("n / 3", "n / "),
      {
        score: 0,
        sub: { targetFixed: 0, newFailures: expect.any(Number) as unknown as number },
        feedback: { stage: "build", message: expect.stringContaining("half.mjs:1 does not parse") },
      },
    ],
    [
      "changes nothing",
      half(SOURCE),
      {
        score: 1,
        sub: { targetFixed: 0, newFailures: 0 },
        feedback: { stage: "trigger", message: "it changes nothing" },
      },
    ],
    [
      "is a patch that does not fit",
      { patch: "--- a/half.mjs\n+++ b/half.mjs\n@@ -1 +1 @@\n-nothing like it\n+x\n" },
      {
        score: 0,
        sub: { targetFixed: 0, newFailures: 0 },
        feedback: { stage: "build", message: expect.stringContaining("cannot be applied") },
      },
    ],
    [
      "writes outside of the repository",
      { files: [{ path: "../outside.mjs", text: "x\n" }] },
      { score: 0, sub: { targetFixed: 0, newFailures: 0 }, feedback: { stage: "build" } },
    ],
  ])("and %s", async (_, candidate, expected) => {
    const start = await opened.bench.copy.snapshot();

    const trial = await attempt(candidate, opened);

    expect(trial).toMatchObject(expected);
    expect(await opened.bench.copy.snapshot()).toBe(start);
  });

  it("gives the smallest patch, which makes the same change when it is tried itself", async () => {
    const first = await attempt(swap("n / 3", "n / 2"), opened);
    const second = await attempt({ patch: first.patch ?? "" }, opened);

    expect(first.patch?.split("\n").filter((line) => /^[-+][^-+]/.test(line))).toEqual([
      "-export const half = (n) => n / 3;",
      "+export const half = (n) => n / 2;",
    ]);
    expect([second.score, second.patch]).toEqual([2, first.patch]);
  });

  it("leaves what belongs to other problems to them", async () => {
    const [eight] = (opened.before.failures ?? []).filter(({ testId }) => testId === "halves eight");

    const trial = await attempt(swap("n / 3", "n === 6 ? 3 : n / 3"), opened, [eight?.signature ?? ""]);

    expect(trial).toMatchObject({ score: 2, sub: { targetFixed: 1, newFailures: 0 }, introduced: [] });
  });

  it.each([
    ["n / 2", 1, "none"],
    ["n / ", 0, "build"],
  ])("is worth at most 1 where nothing can be run (%s)", async (to, score, stage) => {
    const trial = await attempt(swap("n / 3", to), opened, [], "it needs a database");

    expect([trial.score, trial.feedback.stage, trial.run]).toEqual([score, stage, null]);
  });

  it("says that a check ran out of time", async () => {
    const { bench } = opened;
    const hurried = { ...opened, bench: { ...bench, runCheck: bench.runCheck } };
    hurried.bench.runCheck = async (check) => ({
      check,
      exitCode: null,
      timedOut: true,
      signatures: [],
      failures: [],
      output: "still going",
      ms: 300_000,
    });

    const trial = await attempt(swap("n / 3", "n / 2"), hurried);

    expect(trial).toMatchObject({
      score: 1,
      resolved: [],
      feedback: { stage: "trigger", timedOut: true, message: "the check did not end in 300 s\nstill going" },
    });
  });

  it("tells a type error that it brings from the test that failed, and a type check that fails from a build", async () => {
    const go = {
      files: {
        "go.mod": "module example.org/half\n\ngo 1.19\n",
        "half.go": "package half\n\nfunc Half(n int) int {\n\treturn n / 3\n}\n",
        "half_test.go":
          'package half\n\nimport "testing"\n\nfunc TestHalf(t *testing.T) {\n\tif got := Half(6); got != 3 {\n\t\tt.Fatalf("Half(6) = %d, want 3", got)\n\t}\n}\n',
      },
      check: { command: "go test ./...", tool: "go test", env: { GOFLAGS: "-mod=mod" } },
    };
    const onGo = await openEngineBench(go);
    onTestFinished(() => onGo.close());
    const text = (body: string): Candidate => ({
      files: [{ path: "half.go", text: `package half\n\nfunc Half(n int) int {\n\treturn ${body}\n}\n` }],
    });

    const wrong = await attempt(text('"three"'), onGo);
    const failing = await attempt(text("n / 4"), onGo);
    const right = await attempt(text("n / 2"), onGo);

    expect([wrong, failing, right].map(({ score, feedback }) => [score, feedback.stage])).toEqual([
      [0, "build"],
      [1, "trigger"],
      [2, "none"],
    ]);
  });
});
