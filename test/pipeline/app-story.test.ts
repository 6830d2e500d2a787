import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { type RunningApp, startApp } from "../fakes/running-app.ts";

const WORKFLOW = `name: CI
on: [push, pull_request]
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Formatting
        run: black --check .
      - name: Tests
        run: python3 -m unittest
`;
const TIDY = "def double(n):\n    return 2 * n\n";
const UNTIDY = "def double( n ):\n  return 2*n\n";
const TESTS = `import unittest

from numbers_of import double


class Doubling(unittest.TestCase):
    def test_doubles(self):
        self.assertEqual(double(2), 4)
`;

let folder: string;
let simulator: Simulator;
let app: RunningApp;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "app-story-"));
  simulator = await startSimulator({ folder: await mkdtemp(path.join(tmpdir(), "hub-")), webhookSecret: "secret" });
  await simulator.createRepository({
    owner: "acme",
    name: "app",
    files: { "numbers_of.py": TIDY, "test_numbers.py": TESTS },
    workflows: { "ci.yml": WORKFLOW },
  });
  await simulator.idle();
  app = await startApp({ simulator, folder });
});
afterEach(async () => {
  await app.close();
  await simulator.close();
  await rm(folder, { recursive: true, force: true });
});

async function redPullRequest(): Promise<number> {
  await simulator.pushCommit("acme/app", "feature", { "numbers_of.py": UNTIDY });
  return simulator.openPullRequest("acme/app", { head: "feature" });
}

describe("the app", () => {
  it("turns a red pull request into a ready one of its own that CI proves", async () => {
    const red = await redPullRequest();

    await app.settle();

    const ours = simulator.pullRequests("acme/app").filter((pull) => pull.number !== red);
    expect(ours).toMatchObject([
      {
        state: "open",
        draft: false,
        head: expect.stringMatching(/^acme:retrace\/feature-[0-9a-f]{8}$/),
        base: "feature",
      },
    ]);
    expect(simulator.comments("acme/app", red)).toHaveLength(1);
    expect(simulator.comments("acme/app", red)[0]?.body).toContain("Repaired, and proved by CI");
    expect(await simulator.readFile("acme/app", ours[0]?.headSha ?? "", "numbers_of.py")).toBe(TIDY);
    expect((await app.incidents()).map(({ state }) => state)).toEqual(["done"]);
  });
});
