import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCheckOutput } from "../../src/evidence/check-output.ts";
import { collectEvidence } from "../../src/evidence/collect.ts";
import { renderExplanation } from "../../src/evidence/render-explanation.ts";
import { renderGraph } from "../../src/evidence/render-graph.ts";
import { renderMarkdown } from "../../src/evidence/render-markdown.ts";
import { LogSplitter } from "../../src/evidence/split-log.ts";
import type { LogSource } from "../../src/ports/log-source.ts";
import { SMALL_READERS } from "./small-tools.ts";

const source = (bytes: Uint8Array, name = "log.txt"): LogSource => ({
  files: async () => [
    {
      name,
      chunks: async function* () {
        yield bytes;
      },
    },
  ],
});

/** Lines that the splitter treats specially, mixed with anything else. */
const logLine = fc.oneof(
  fc.constantFrom(
    "##[group]Run npm test",
    "##[group]Run a/b@v1",
    "##[group]other",
    "##[endgroup]",
    "shell: /usr/bin/bash -e {0}",
    "env:",
    "with:",
    "  A: b",
    "  __proto__: b",
    "##[error]Process completed with exit code 1.",
    "##[error]x",
    "Post job cleanup.",
    "Current runner version: '1'",
    "Complete job name: test (1)",
    "travis_fold:start:a\r\u001b[0K$ npm test",
    'The command "npm test" exited with 1.',
    "job\tUNKNOWN STEP\t2026-01-01T00:00:00.0Z text",
    "job\tstep\t2026-01-01T00:00:00.0Z ##[error]text",
    "src/a.ts:1: E1 wrong",
    "",
  ),
  fc.string({ unit: "binary", maxLength: 60 }),
);
// A step's output long enough to be passed over in bulk, with and without timestamps.
const output = fc.constantFrom(
  "",
  "##[group]Run make\nshell: sh\n##[endgroup]\n",
  "2026-01-01T00:00:00.0Z ##[group]Run a/b@v1\n##[endgroup]\n",
);
const plain = fc
  .constantFrom(0, 70)
  .chain((count) => fc.constantFrom("word\n", "2026-01-01T00:00:01.0Z word\n").map((line) => line.repeat(count)));
const log = fc
  .tuple(output, plain, fc.array(logLine, { maxLength: 60 }))
  .map(([opening, words, lines]) => Buffer.from(opening + words + lines.join("\n"), "utf8"));

describe("any bytes as a log", () => {
  it.each([
    ["random bytes", fc.uint8Array({ maxLength: 4_000 })],
    ["lines the runner could have written", log],
  ])("give evidence that is whole: %s", async (_name, bytes) => {
    await fc.assert(
      fc.asyncProperty(bytes, async (content) => {
        const evidence = await collectEvidence({
          source: source(content),
          workflow: null,
          jobs: null,
          readers: SMALL_READERS,
        });
        const lineCount = Buffer.from(content).toString("utf8").split("\n").length;
        const ids = new Set(evidence.validations.map(({ id }) => id));

        for (const failure of evidence.failures) {
          expect(failure.lines).toEqual([...new Set(failure.lines)].sort((a, b) => a - b));
          expect(failure.lines.every((line) => line >= 1 && line <= lineCount)).toBe(true);
          expect(failure.validation === null || ids.has(failure.validation)).toBe(true);
          expect(failure.signature).toMatch(/^[0-9a-f]{16}$/);
        }
        const nodes = new Set(evidence.graph.nodes.map(({ id }) => id));
        expect(evidence.graph.edges.every(({ from, to }) => nodes.has(from) && nodes.has(to))).toBe(true);
        expect(evidence.quality.parsedShare).toBeGreaterThanOrEqual(0);
        expect(evidence.quality.parsedShare).toBeLessThanOrEqual(1);
        expect(renderExplanation(evidence, { colour: false })).toMatch(/\n$/);
        expect(renderMarkdown(evidence)).toMatch(/\n$/);
        expect(renderGraph(evidence)).toMatch(/^<svg[\s\S]*<\/svg>\n$/);
      }),
      { numRuns: 150 },
    );
  });

  it("are split the same however they are cut into chunks", () => {
    fc.assert(
      fc.property(log, fc.integer({ min: 1, max: 9 }), (bytes, size) => {
        const whole = new LogSplitter("log.txt");
        whole.push(bytes);
        const cut = new LogSplitter("log.txt");
        for (let at = 0; at < bytes.length; at += size) cut.push(bytes.subarray(at, at + size));

        // Lines are unpacked when asked for: as JSON both are written out.
        expect(JSON.parse(JSON.stringify(cut.end()))).toEqual(JSON.parse(JSON.stringify(whole.end())));
      }),
      { numRuns: 100 },
    );
  });

  it("have steps whose lines ascend and lie inside the step", () => {
    fc.assert(
      fc.property(log, (bytes) => {
        const splitter = new LogSplitter("log.txt");
        splitter.push(bytes);
        const { steps } = splitter.end();

        let last = 0;
        for (const step of steps) {
          expect(step.firstLine).toBeGreaterThan(last);
          expect(step.lastLine).toBeGreaterThanOrEqual(step.firstLine);
          const numbers = step.lines.map(({ number }) => number);
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
          for (const number of numbers) expect(number >= step.firstLine && number <= step.lastLine).toBe(true);
          last = step.lastLine;
        }
      }),
      { numRuns: 200 },
    );
  });

  it("are read as a check's output without throwing", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (output, command) => {
        expect(Array.isArray(readCheckOutput(output, command, "", SMALL_READERS))).toBe(true);
      }),
    );
  });
});
