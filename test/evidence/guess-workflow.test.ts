import path from "node:path";
import { describe, expect, it } from "vitest";
import { openLogs } from "../../src/adapters/logs/open-logs.ts";
import { collectGuessing, readLogs } from "../../src/evidence/collect.ts";
import { guessWorkflow } from "../../src/evidence/guess-workflow.ts";
import { SMALL_READERS } from "./small-tools.ts";

const LOG = path.join(import.meta.dirname, "../cases/evidence/raw-job-log/log.txt");
const file = (name: string, ...runs: string[]) => ({
  path: `.github/workflows/${name}.yml`,
  text: `on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: actions/checkout@v4\n${runs.map((run) => `      - run: ${run}\n`).join("")}`,
});

describe("guessing the workflow of a log", () => {
  it.each([
    [
      "the one with the log's commands",
      [file("docs", "npm ci"), file("ci", "npm ci", "lintcheck src")],
      ".github/workflows/ci.yml",
    ],
    [
      "commands with expressions in them",
      [file("ci", "lintcheck ${{ matrix.folder }}"), file("docs", "make docs")],
      ".github/workflows/ci.yml",
    ],
    ["none when two fit alike", [file("a", "npm ci"), file("b", "npm ci")], null],
    ["none when only the checkout is shared", [file("docs", "make docs")], null],
    ["none when there is none", [], null],
    ["none of what is no workflow", [{ path: "x.yml", text: "]]" }], null],
  ])("takes %s", async (_name, files, expected) => {
    const logs = await readLogs(openLogs(LOG), null);

    expect((await guessWorkflow(logs, files))?.path ?? null).toBe(expected);
  });

  it("is said, and gives the log what only the file knows", async () => {
    const candidates = [file("docs", "make docs"), file("ci", "npm ci", "lintcheck src", "npm run ship")];
    const { evidence, guessed } = await collectGuessing({
      source: openLogs(LOG),
      workflow: null,
      jobs: null,
      readers: SMALL_READERS,
      candidates,
    });

    expect(guessed).toBe(".github/workflows/ci.yml");
    expect(evidence.validations.map(({ command, status }) => [command, status])).toEqual([
      ["npm ci", "successful"],
      ["lintcheck src", "failed"],
      ["npm run ship", "unreached"],
    ]);
  });
});
