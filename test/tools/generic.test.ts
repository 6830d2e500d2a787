import { describe, expect, it } from "vitest";
import type { StepLog } from "../../src/domain/ci-run.ts";
import { readGeneric } from "../../src/tools/generic.ts";
import { TOOLS } from "../../src/tools/tools.ts";

function stepOf(texts: readonly string[]): StepLog {
  return {
    source: "log.txt",
    job: null,
    number: null,
    name: "a step",
    command: "git diff --exit-code",
    uses: null,
    shell: null,
    env: {},
    failed: true,
    exitCode: 1,
    firstLine: 1,
    lastLine: texts.length,
    lines: texts.map((text, index) => ({ number: index + 1, text })),
    omittedLines: 0,
  };
}

const MEGABYTE = 1_000_000;
const HOSTILE: readonly { readonly name: string; readonly lines: readonly string[] }[] = [
  { name: "a word of one megabyte", lines: ["E".repeat(MEGABYTE)] },
  { name: "an error of one megabyte", lines: [`Error: ${"a.".repeat(MEGABYTE / 2)}`] },
  { name: "a megabyte of colons", lines: ["a:".repeat(MEGABYTE / 2)] },
  { name: "a megabyte of folders", lines: ["/a".repeat(MEGABYTE / 2)] },
  { name: "a megabyte of separators", lines: [`FAIL ${" > a".repeat(MEGABYTE / 4)}`] },
  { name: "a megabyte of spaces", lines: [`${" ".repeat(MEGABYTE)}at x`] },
];

describe("the generic reader", () => {
  it.each([
    { name: "an empty step", lines: [], expected: [] },
    { name: "a step of empty lines quotes one of them", lines: [""], expected: [[1]] },
    { name: "an exit line is all there is", lines: ["##[error]Process completed with exit code 1."], expected: [[1]] },
    {
      name: "an annotation is quoted, the exit line is not",
      lines: ["##[error]the price list is stale", "##[error]Process completed with exit code 1."],
      expected: [[1]],
    },
    {
      name: "passed tests and counts of nothing are noise",
      lines: ["ok 1 - errors", "0 failed", "fatal: x"],
      expected: [[3]],
    },
    { name: "the same error again joins the first", lines: ["fatal: x", "", "fatal: x"], expected: [[1, 3]] },
  ])("$name", ({ lines, expected }) => {
    const quoted = readGeneric(stepOf(lines)).map((diagnostic) => diagnostic.lines);

    expect(quoted).toEqual(expected);
  });

  it("keeps the last forty lines when nothing looks like an error", () => {
    const lines = Array.from({ length: 100 }, (_, i) => `apples cost ${i}`);

    const [tail] = readGeneric(stepOf(lines));

    expect(tail?.lines).toEqual(Array.from({ length: 40 }, (_, i) => 61 + i));
  });

  it("quotes no more than an excerpt holds", () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => `src/a${i}.c:1:2: error: number ${i} is wrong`);

    const chars = readGeneric(stepOf(lines))
      .flatMap((diagnostic) => diagnostic.lines)
      .reduce((sum, number) => sum + (lines[number - 1]?.length ?? 0), 0);

    expect(chars).toBeGreaterThan(4_000);
    expect(chars).toBeLessThanOrEqual(8_000);
  });
});

describe("no reader is stopped by", () => {
  it.each(HOSTILE)("$name", ({ lines }) => {
    const step = stepOf(lines);

    for (const read of [readGeneric, ...TOOLS.map((tool) => (log: StepLog) => tool.read(log))]) {
      const started = performance.now();
      read(step);
      expect(performance.now() - started).toBeLessThan(5_000);
    }
  });
});
