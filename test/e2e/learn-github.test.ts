import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { ensureBuilt, retrace } from "./command-line.ts";

const WORKFLOW = `name: CI
on: pull_request
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: python3 -m unittest -v
`;
const TEST = `import unittest
from sizes import size


class Sizes(unittest.TestCase):
    def test_small(self):
        self.assertEqual(size(3), "small")
`;

let folder: string;
let simulator: Simulator;
let env: Record<string, string>;

beforeAll(async () => {
  await ensureBuilt();
  folder = mkdtempSync(path.join(tmpdir(), "learn-github-"));
  simulator = await startSimulator({ folder: mkdtempSync(path.join(folder, "hub-")), webhookSecret: "secret" });
  await simulator.createRepository({
    owner: "acme",
    name: "app",
    files: { "sizes.py": 'def size(n):\n    return "small"\n', "test_sizes.py": TEST },
    workflows: { "ci.yml": WORKFLOW },
  });
  await simulator.pushCommit("acme/app", "feature", { "sizes.py": 'def size(n):\n    return "tiny"\n' });
  await simulator.openPullRequest("acme/app", { head: "feature" });
  await simulator.idle();
  await simulator.pushCommit("acme/app", "feature", { "sizes.py": 'def size(n):\n    return "smal"\n' });
  await simulator.idle();
  await simulator.pushCommit("acme/app", "feature", { "sizes.py": 'def size(n):\n    return "small"  # always\n' });
  await simulator.idle();
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

const learn = (...args: string[]) => retrace(["learn", "--github", "acme/app", ...args, "--json"], { env });

describe("learning from pull requests at GitHub", () => {
  it("reconstructs a pull request's repair, with what CI said in between, and remembers it", async () => {
    const { code, stdout, stderr } = await learn("--pr", "1");

    expect(stderr).toContain("#1 (1 of 1): 1 episode");
    expect(code).toBe(0);
    const { schema, episodes } = JSON.parse(stdout);
    expect(schema).toBe("retrace.episodes/1");
    expect(episodes).toHaveLength(1);
    const [{ episode, records }] = episodes;
    expect(episode).toMatchObject({ repo: "acme/app", workflow: ".github/workflows/ci.yml", pr: 1 });
    expect(episode.pushes.map(({ signatures }: { signatures: string[] }) => signatures.length)).toEqual([1, 0]);
    expect(records).toMatchObject([{ files: ["sizes.py"], validation: { command: "python3 -m unittest -v" } }]);

    const listed = await retrace(["experience", "list", "--json"], { env });
    expect(listed.stdout).toContain(records[0].id);
  });

  it("finds nothing in pull requests that are not merged, and says so", async () => {
    const { code, stdout, stderr } = await learn("--since", "90d");

    expect([code, JSON.parse(stdout).episodes]).toEqual([0, []]);
    expect(stderr).toContain("nothing to learn");
  });

  it.each([
    [["--pr", "77"], 2, "no such repository or run or pull request"],
    [["--pr", "1", "--limit", "3"], 2, "--pr names one"],
    [["--since", "soon"], 2, "write a number of days"],
    [["--fail", "abc"], 2, "--github does not go with the options of a local clone"],
  ])("refuses %j with one line", async (args, code, line) => {
    const ended = await learn(...args);

    expect([ended.code, ended.stdout]).toEqual([code, ""]);
    expect(ended.stderr).toContain(line);
  });
});
