import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { type AppProcess, makeAppProcess } from "./app-process.ts";
import { ensureBuilt } from "./command-line.ts";

const WORKFLOW = `name: CI
on: pull_request
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - name: Formatting
        run: black --check .
`;
const SIBLING = WORKFLOW.replace("name: CI", "name: Lint");
const NIGHTLY = WORKFLOW.replace("name: CI", "name: Nightly");
const UNTIDY = "def double( n ):\n  return 2*n\n";
const REPOSITORY = "acme/app";
const PATIENCE_MS = 90_000;

let folder: string;
let simulator: Simulator;
let app: AppProcess;

beforeAll(() => ensureBuilt());
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "app-process-"));
  simulator = await startSimulator({ folder: mkdtempSync(path.join(folder, "hub-")), webhookSecret: "secret" });
  await simulator.createRepository({
    owner: "acme",
    name: "app",
    files: { "numbers_of.py": "def double(n):\n    return 2 * n\n" },
    workflows: { "ci.yml": WORKFLOW, "lint.yml": SIBLING, "nightly.yml": NIGHTLY },
  });
  app = await makeAppProcess({ simulator, dataDir: path.join(folder, "data") });
});
afterEach(async () => {
  await app.kill();
  await simulator.close();
  rmSync(folder, { recursive: true, force: true });
});

async function redPullRequest(): Promise<number> {
  await simulator.pushCommit(REPOSITORY, "feature", { "numbers_of.py": UNTIDY });
  return simulator.openPullRequest(REPOSITORY, { head: "feature" });
}

const ours = (red: number) => simulator.pullRequests(REPOSITORY).filter((pull) => pull.number !== red);

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 100) {
    if (holds()) return;
    await pause(100);
  }
  throw new Error(`${what} did not come about:\n${app.printed().slice(-4_000)}`);
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const file = path.join(dir, name);
    return statSync(file).isDirectory() ? filesBelow(file) : [file];
  });
}

/** What the story must have come to, however often it was told. */
async function expectOneOfEach(red: number): Promise<void> {
  expect(ours(red)).toMatchObject([{ state: "open", draft: false, base: "feature" }]);
  expect(simulator.comments(REPOSITORY, red)).toHaveLength(1);
  const branches = Object.keys(await simulator.branches(REPOSITORY));
  expect(branches.filter((branch) => branch.startsWith("retrace/"))).toHaveLength(1);
  expect(simulator.checkRuns(REPOSITORY).filter((check) => check.app === "retrace")).toMatchObject([
    { conclusion: "success" },
  ]);
}

describe("the app as a process", () => {
  it("makes exactly one pull request of three sibling runs and a delivery sent three times, and answers every delivery meanwhile", async () => {
    await app.start();
    const red = await redPullRequest();
    await until("a failed run", () =>
      simulator.deliveries().some((one) => one.event === "workflow_run" && one.action === "completed"),
    );
    const failed = simulator.deliveries().find((one) => one.event === "workflow_run" && one.action === "completed");
    for (let again = 0; again < 2; again++) simulator.redeliver(failed?.guid ?? "");
    // While the repair runs.
    for (let n = 0; n < 40 && ours(red).length === 0; n++) {
      simulator.deliver("ping", { zen: "Keep it logically awesome.", n });
      await pause(100);
    }
    await until("a ready pull request", () => ours(red)[0]?.draft === false);
    await until("the check run's end", () =>
      simulator.checkRuns(REPOSITORY).some((check) => check.app === "retrace" && check.conclusion === "success"),
    );

    await expectOneOfEach(red);
    const answers = simulator.deliveries().filter((one) => one.status !== "no webhook address");
    expect(answers.filter((one) => one.statusCode !== 202)).toEqual([]);
  });

  it("answers a wrong signature with 4xx, keeps nothing, and lets no token out anywhere", async () => {
    await app.start();
    const payload = JSON.stringify({ action: "completed", secret: "unsigned-payload" });
    const answer = await fetch(app.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-github-event": "workflow_run",
        "x-github-delivery": "00000000-0000-0000-0000-000000000001",
        "x-hub-signature-256": `sha256=${"0".repeat(64)}`,
      },
      body: payload,
    });
    const red = await redPullRequest();
    await until("a ready pull request", () => ours(red)[0]?.draft === false);
    expect(await app.stop()).toBe(0);

    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    const kept = filesBelow(path.join(folder, "data")).map((file) => readFileSync(file, "latin1"));
    const said = [
      app.printed(),
      ...kept,
      ...simulator.pullRequests(REPOSITORY).map((pull) => pull.body ?? ""),
      ...simulator.comments(REPOSITORY, red).map((comment) => comment.body),
    ].join("\n");
    expect(said).not.toContain("unsigned-payload");
    expect(said).not.toMatch(/ghs_[A-Za-z0-9._-]{20}/);
    expect(said).not.toContain("PRIVATE KEY");
    expect(said).not.toMatch(/sha256=[0-9a-f]{64}/);
    expect(said).not.toMatch(/[Aa]uthorization: (?!\*)/);
  });

  it("is killed at twenty moments of a repair and still makes one pull request, never two", {
    timeout: 240_000,
  }, async () => {
    // Spread over the whole story, from the first delivery to CI's verdict.
    const moments = Array.from({ length: 20 }, (_, n) => 150 + ((n * 617) % 2_400));
    await app.start();
    const red = await redPullRequest();
    for (const moment of moments) {
      await pause(moment);
      await app.kill();
      await app.start();
    }
    const restarted = Date.now();
    await until("a ready pull request", () => ours(red)[0]?.draft === false);
    await until("the check run's end", () =>
      simulator.checkRuns(REPOSITORY).some((check) => check.app === "retrace" && check.conclusion === "success"),
    );

    await expectOneOfEach(red);
    expect(Date.now() - restarted).toBeLessThan(PATIENCE_MS);
    const left = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
      .split("\n")
      .filter((line) => line.includes(folder) && line.includes("bwrap"));
    expect(left).toEqual([]);
  });
});
