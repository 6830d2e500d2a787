import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { composeReaders, composeWorld } from "../../src/compose-evidence.ts";
import { composeTokenGitHub } from "../../src/compose-github.ts";
import type { Incident } from "../../src/domain/incident.ts";
import type { Repository, WorkflowRun } from "../../src/domain/repository.ts";
import { NOTHING_SEEN } from "../../src/evidence/triage.ts";
import { collectRun } from "../../src/pipeline/collect-run.ts";
import { GreenMemory, greenTemplates } from "../../src/pipeline/green-runs.ts";
import { preparedPublication } from "../../src/pipeline/publication.ts";
import { lookAround, type Scene } from "../../src/pipeline/sightings.ts";
import { type GitHub, GitHubFailed } from "../../src/ports/github.ts";
import { endedEarly } from "../../src/repair/conclude.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { workflow } from "../fakes/app-world.ts";
import { anIncident } from "../fakes/incident.ts";

const REPO = "acme/app";
const CHECK =
  'echo "WARN cache of ${GITHUB_RUN_ID} beds is cold"; test ! -f broken || { echo FAILED the hose leaks; exit 1; }';
const quoted = `'${CHECK.replaceAll("'", "''")}'`;

let hub: string;
let simulator: Simulator;
let github: GitHub;
let repository: Repository;
const parts = { readers: composeReaders, world: composeWorld(), green: new GreenMemory() };

/** The newest run of a branch. */
async function pushed(branch: string, files: Readonly<Record<string, string | null>>): Promise<WorkflowRun> {
  await simulator.pushCommit(REPO, branch, files);
  await simulator.idle();
  const [run] = await github.runsOfWorkflow(repository, ".github/workflows/ci.yml", { branch, limit: 1 });
  if (run === undefined) throw new Error("nothing ran");
  return run;
}

async function sceneOf(run: WorkflowRun, known: readonly Incident[] = []): Promise<Scene> {
  const { evidence } = await collectRun(github, repository, run.headSha, run, null, parts);
  const { headSha, headBranch } = run;
  const incident = anIncident({ id: "ours", repository, headSha, headBranch, pullRequest: 50 });
  return { incident, runs: [run], failures: evidence.failures, pull: null, known };
}

beforeAll(async () => {
  hub = await mkdtemp(path.join(tmpdir(), "hub-"));
  simulator = await startSimulator({ folder: hub, webhookSecret: "secret" });
  const workflows = { "ci.yml": workflow("CI", [quoted], "[push]") };
  await simulator.createRepository({ owner: "acme", name: "app", files: { "a.txt": "a\n" }, workflows });
  github = composeTokenGitHub(simulator.userToken("acme"), simulator.apiUrl);
  repository = await github.repository("acme", "app");
});
afterAll(async () => {
  await simulator.close();
  await rm(hub, { recursive: true, force: true, maxRetries: 3 });
});

describe("where a failure was seen before", () => {
  it("is the base when its newest run is red, and what it changed since once that is green", async () => {
    const base = await pushed("main", { broken: "x\n" });
    const red = await pushed("feature", { "b.txt": "b\n" });
    const scene = await sceneOf(red);
    const signatures = scene.failures.map(({ signature }) => signature);
    expect(scene.failures.map(({ message }) => message)).toEqual([expect.stringContaining("the hose leaks")]);

    expect(await lookAround(github, scene, parts)).toEqual({
      ...NOTHING_SEEN,
      base: { branch: "main", sha: base.headSha, signatures },
    });

    const mended = await pushed("main", { broken: null });
    expect(await lookAround(github, scene, parts)).toEqual({
      ...NOTHING_SEEN,
      greenBase: { branch: "main", sha: mended.headSha, files: ["broken"] },
      changed: ["b.txt"],
    });
  });

  it("is other open pull requests, and ours onto the base, as the app remembers them", async () => {
    const red = await pushed("shared", { broken: "x\n" });
    const scene = await sceneOf(red);
    const [failure] = scene.failures;
    if (failure === undefined) throw new Error("it did not fail");
    await simulator.pushCommit(REPO, "other", { "c.txt": "c\n" });
    const number = await simulator.openPullRequest(REPO, { head: "other" });
    const { headSha } = await github.pullRequest(repository, number);
    const signatures = [failure.signature];
    const { id, tool, category, message, location, job, command, excerpt, lines, cascadeOf, signature } = failure;
    const told = { id, tool, category, message, location, job, command, excerpt, lines, cascadeOf, signature };
    const explanation = { failures: [{ ...told, step: null, url: null }], unreached: [] };
    const at = (head: string): Incident =>
      anIncident({ id: "theirs", repository, headSha: head, pullRequest: number, explanation });

    expect((await lookAround(github, await sceneOf(red, [at(headSha)]), parts)).pullRequests).toEqual([
      { number, signatures },
    ]);
    expect((await lookAround(github, await sceneOf(red, [at("gone")]), parts)).pullRequests).toEqual([]);
    const outcome = {
      ...endedEarly("not-repaired", ""),
      ended: "repaired" as const,
      problems: [{ id: "p1", title: "leak", category, failures: [id], state: "repaired" as const, commit: null }],
    };
    const prepared = { branch: "retrace/x", base: "main", commit: "c", tree: "t", copyFolder: "", needsPerson: [] };
    const publication = { ...preparedPublication(prepared), pushed: true, pullRequest: number };
    const fix = { ...at("of main"), id: "fix", pullRequest: null, outcome, publication };
    const fixesOf = async (one: Incident) => (await lookAround(github, await sceneOf(red, [one]), parts)).fixes;
    expect(await fixesOf(fix)).toEqual([{ number, signatures }]);
    expect(await fixesOf({ ...fix, publication: { ...publication, base: "other" } })).toEqual([]);
    expect(await fixesOf({ ...fix, publication: { ...publication, withdrawn: true } })).toEqual([]);
    // The newest word on a pull request counts, not an older one.
    const newer = anIncident({ id: "newer", repository, headSha, pullRequest: number });
    expect((await lookAround(github, await sceneOf(red, [newer, at(headSha)]), parts)).pullRequests).toEqual([]);
  });

  it.each([403, 404, 500])(
    "is not known where the host answers %i to everything, and nothing fails",
    async (status) => {
      const red = { ...(await pushed(`blind-${status}`, { broken: "x\n" })), attempt: 3 };
      const scene = await sceneOf({ ...red, attempt: 1 });
      const refusing = new Proxy(github, {
        get: () => async () => {
          throw new GitHubFailed(status, "no");
        },
      });

      expect(await lookAround(refusing, { ...scene, runs: [red] }, parts)).toEqual({
        ...NOTHING_SEEN,
        attempts: [
          { attempt: 2, passed: [] },
          { attempt: 1, passed: [] },
        ],
      });
    },
  );
});

describe("what green runs print", () => {
  it("is read once from each job's log, and not at all of other jobs", async () => {
    const run = await pushed("main", { "d.txt": "d\n" });
    const memory = new GreenMemory();
    const logs = (): number => simulator.requests().filter(({ path: asked }) => /jobs\/\d+\/logs$/.test(asked)).length;

    expect(await greenTemplates(github, repository, run, ["deploy"], memory)).toEqual(new Set());
    const before = logs();
    const found = await greenTemplates(github, repository, run, ["check"], memory);
    expect(found).toContain("WARN cache of # beds is cold");
    expect(logs() - before).toBeLessThanOrEqual(3);
    const after = logs();
    expect(await greenTemplates(github, repository, run, ["check"], memory)).toEqual(found);
    expect(logs()).toBe(after);
  });
});
