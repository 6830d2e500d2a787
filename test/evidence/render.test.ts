import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openLogs } from "../../src/adapters/logs/open-logs.ts";
import { collectEvidence } from "../../src/evidence/collect.ts";
import { renderExplanation } from "../../src/evidence/render-explanation.ts";
import { renderGraph } from "../../src/evidence/render-graph.ts";
import { renderMarkdown } from "../../src/evidence/render-markdown.ts";
import { SMALL_READERS } from "./small-tools.ts";

const CASES = path.join(import.meta.dirname, "../cases/evidence");

async function evidenceOf(name: string, withWorkflow = false) {
  const workflow = withWorkflow
    ? { path: "ci.yml", text: readFileSync(path.join(CASES, name, "workflow.yml"), "utf8") }
    : null;
  const source = openLogs(path.join(CASES, name, name === "matrix-legs" ? "logs" : "log.txt"));
  return collectEvidence({ source, workflow, jobs: null, readers: SMALL_READERS });
}

describe("the explanation", () => {
  it("quotes the log with its numbers, and says what passed, what never ran and what to do", async () => {
    const text = renderExplanation(await evidenceOf("continue-on-error-by-workflow", true), { colour: false });

    expect(text).toBe(`lintcheck: weeds

✗ lint › Run lintcheck src  $ lintcheck src
  f1  weeds  lint · lintcheck · E12
      at src/bed.ts:4
      log.txt says:
      23 │ src/bed.ts:4: E12 weeds

✓ passed: npm ci

Never ran, so nobody knows yet whether it would pass:
  - lint › Ship  $ npm publish  (an earlier step of the job failed)

Next: retrace repair --repo DIR --log SOURCE repairs it in a sandbox and proves it, where it can.
`);
  });

  it.each([
    ["empty", "The log is empty: there is nothing to explain."],
    ["green", "No failing step was found in this log."],
    ["cancelled", "Run it again if the cancellation was not meant."],
    ["runner-cannot-download-action", "Re-run the failed jobs; no change to the code repairs this."],
    ["missing-module-cascade", "follows from it: f2"],
  ])("of %s says: %s", async (name, words) => {
    expect(renderExplanation(await evidenceOf(name), { colour: false })).toContain(words);
  });

  it("names all legs of a matrix that show the same", async () => {
    const text = renderExplanation(await evidenceOf("matrix-legs", true), { colour: false });

    expect(text).toContain("in 2 jobs: test (20), test (22)");
  });

  it("is the same text with colours around it", async () => {
    const evidence = await evidenceOf("raw-job-log");
    const coloured = renderExplanation(evidence, { colour: true });

    expect(coloured).toContain("\u001b[31m✗\u001b[0m");
    expect(coloured.replaceAll(/\u001b\[\d+m/g, "")).toBe(renderExplanation(evidence, { colour: false }));
  });
});

describe("the explanation as Markdown", () => {
  it("keeps text of the log in code", async () => {
    const evidence = await evidenceOf("raw-job-log");
    const [failure] = evidence.failures;
    if (failure === undefined) throw new Error("the case has a failure");
    const hostile = { ...failure, message: "@team `x` | <img src=x>\n# title", excerpt: "```\n@team" };
    const text = renderMarkdown({ ...evidence, failures: [hostile] });

    const outside = text.replaceAll(/(`{3,})[^\n]*\n[\s\S]*?\n\1/g, "").replaceAll(/`[^`\n]*`/g, "");
    expect(outside).not.toMatch(/@team|<img|^# title/m);
    expect(text).toContain("30\t");
  });
});

describe("the graph as a picture", () => {
  it("has a box for each job in its state and a line for each need", async () => {
    const picture = renderGraph(await evidenceOf("matrix-legs", true));

    expect(picture).toContain("<title>test (20): failed</title>");
    expect(picture).toContain("<title>ship: unreached</title>");
    expect(picture).toContain("<title>plan: successful</title>");
    expect(picture.match(/<path /g)).toHaveLength(5);
  });
});
