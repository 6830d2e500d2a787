import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { ensureBuilt, retrace } from "./command-line.ts";
import { OutcomeDocument } from "./documents.ts";

const WORKFLOW = `name: CI
on: pull_request
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: black --check .
`;

let folder: string;
let simulator: Simulator;
let env: Record<string, string>;
let run: number;

beforeAll(async () => {
  await ensureBuilt();
  folder = mkdtempSync(path.join(tmpdir(), "repair-github-"));
  simulator = await startSimulator({ folder: mkdtempSync(path.join(folder, "hub-")), webhookSecret: "secret" });
  await simulator.createRepository({
    owner: "acme",
    name: "app",
    files: { "one.py": "def one():\n    return 1\n" },
    workflows: { "ci.yml": WORKFLOW },
  });
  await simulator.pushCommit("acme/app", "feature", { "one.py": "def one( ):\n  return 1\n" });
  await simulator.openPullRequest("acme/app", { head: "feature" });
  await simulator.idle();
  run = simulator.runs("acme/app")[0]?.id ?? 0;
  env = {
    GITHUB_TOKEN: simulator.userToken("acme"),
    GHE_HOST: simulator.host,
    GHE_PROTOCOL: "http",
    RETRACE_DATA_DIR: path.join(folder, "data"),
  };
});
afterAll(async () => {
  await simulator.close();
  rmSync(folder, { recursive: true, force: true });
});

const repair = (...args: string[]) => retrace(["repair", "--github", "acme/app", ...args, "--json"], { env });

describe("a run at GitHub repaired from the command line", () => {
  it("is verified, and nothing is pushed unless asked", async () => {
    const { code, stdout } = await repair("--run", String(run));

    expect(code).toBe(0);
    expect(OutcomeDocument.parse(JSON.parse(stdout))).toMatchObject({
      ended: "repaired",
      verdict: "verified",
      files: ["one.py"],
    });
    expect(Object.keys(await simulator.branches("acme/app")).sort()).toEqual(["feature", "main"]);
  });

  it("is pushed and proposed as a draft with --publish", async () => {
    const { code, stderr } = await repair("--run", String(run), "--publish");

    expect(code).toBe(0);
    expect(stderr).toMatch(/pull request: http/);
    expect(simulator.pullRequests("acme/app").at(-1)).toMatchObject({ base: "feature", draft: true });
    expect(stderr).not.toContain(env.GITHUB_TOKEN);

    const again = await repair("--run", String(run), "--publish");

    expect(again.code).toBe(0);
    expect(again.stderr).toContain("published before");
    expect(simulator.pullRequests("acme/app")).toHaveLength(2);
  });

  it.each([
    [["--run", "999999"], 2, "no such repository or run"],
    [["--run", "last"], 2, "is not a run's id"],
    [[], 2, "go together"],
    [["--run", "1", "--repo", "x"], 2, "does not go with"],
  ])("%j ends with %i and one line", async (args, exit, says) => {
    const { code, stdout, stderr } = await repair(...args);

    expect([code, stdout]).toEqual([exit, ""]);
    expect(stderr).toMatch(/^retrace: [^\n]+\n$/);
    expect(stderr).toContain(says);
  });

  it("needs a token", async () => {
    const { code, stderr } = await retrace(["repair", "--github", "acme/app", "--run", "1"], {
      env: { ...env, GITHUB_TOKEN: "" },
    });

    expect(code).toBe(3);
    expect(stderr).toMatch(/^retrace: GITHUB_TOKEN is not set[^\n]*\n$/);
  });
});
