import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openLogs } from "../../src/adapters/logs/open-logs.ts";
import { collectGuessing } from "../../src/evidence/collect.ts";
import { readJobsAnswer } from "../../src/evidence/jobs-answer.ts";
import { toEvidenceDocument } from "../../src/evidence/to-json.ts";
import { SMALL_READERS } from "./small-tools.ts";

const CASES = path.join(import.meta.dirname, "../cases/evidence");

async function organizeCase(folder: string) {
  const at = (name: string): string => path.join(folder, name);
  const text = (name: string): string | null => (existsSync(at(name)) ? readFileSync(at(name), "utf8") : null);
  const workflow = text("workflow.yml");
  const jobs = text("jobs.json");
  const called = existsSync(at("called")) ? readdirSync(at("called")) : [];
  const { evidence } = await collectGuessing({
    candidates: called.map((name) => ({
      path: `.github/workflows/${name}`,
      text: readFileSync(path.join(at("called"), name), "utf8"),
    })),
    source: openLogs(existsSync(at("logs")) ? at("logs") : at("log.txt")),
    workflow: workflow === null ? null : { path: ".github/workflows/ci.yml", text: workflow },
    jobs: jobs === null ? null : readJobsAnswer(jobs),
    readers: SMALL_READERS,
  });
  return evidence;
}

describe("organizing a run", () => {
  it.each(readdirSync(CASES))("%s", async (name) => {
    const evidence = await organizeCase(path.join(CASES, name));
    const contexts = Object.fromEntries(evidence.validations.map(({ id, context }) => [id, context]));
    const said = JSON.parse(JSON.stringify({ ...toEvidenceDocument(evidence), contexts }));
    const expected = path.join(CASES, name, "expected.json");
    // Written once for a new case, to be read and corrected by hand.
    if (!existsSync(expected)) writeFileSync(expected, `${JSON.stringify(said, null, 1)}\n`);

    expect(said).toEqual(JSON.parse(readFileSync(expected, "utf8")));
  });
});
