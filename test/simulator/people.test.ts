import { describe, expect, it } from "vitest";
import { holdToOpenapi } from "./hold-to-openapi.ts";
import { startForTests } from "./start.ts";

const REPO = "octo/people";
const started = startForTests(async (simulator) => {
  await simulator.createRepository({ owner: "octo", name: "people", files: { "a.txt": "a\n" } });
  await simulator.pushCommit(REPO, "change", { "a.txt": "b\n" }, { author: "mona", message: "Change a" });
  await simulator.openPullRequest(REPO, { head: "change", user: "mona" });
});

const told = (event: string): unknown[] =>
  started.simulator
    .deliveries()
    .filter((one) => one.event === event)
    .map((one) => one.payload);

describe("what people do", () => {
  it("is told to the app: labels and buttons", async () => {
    const { simulator } = started;
    const octokit = started.connect(await started.token("octo"));
    const { data: check } = await octokit.rest.checks.create({
      owner: "octo",
      repo: "people",
      name: "RETRACE",
      head_sha: "change",
    });
    await simulator.label(REPO, 1, "retrace-skip", "mona");
    simulator.rerequestCheck(REPO, check.id, "mona");

    expect(told("pull_request").at(-1)).toMatchObject({
      action: "labeled",
      label: { name: "retrace-skip" },
      sender: { login: "mona" },
    });
    expect(told("check_run").at(-1)).toMatchObject({ action: "rerequested", check_run: { id: check.id } });
    expect(simulator.pullRequests(REPO)[0]?.labels).toEqual(["retrace-skip"]);
  });

  it("moves the pull request: conflicts, merges by hand, deleted branches", async () => {
    const { simulator } = started;
    const octokit = started.connect(await started.token("octo"));
    const where = { owner: "octo", repo: "people" };
    await simulator.pushCommit(REPO, "main", { "a.txt": "c\n" });
    const { data: conflicting } = await octokit.rest.pulls.get({ ...where, pull_number: 1 });
    await expect(simulator.mergePullRequest(REPO, 1)).rejects.toThrow("there is no way to merge pull request 1");
    await simulator.pushCommit(REPO, "second", { "b.txt": "b\n" });
    const second = await simulator.openPullRequest(REPO, { head: "second" });
    const { second: sha = "" } = await simulator.branches(REPO);
    await simulator.moveBranch(REPO, "main", sha);
    await simulator.moveBranch(REPO, "change", null);

    expect(conflicting).toMatchObject({ mergeable: false, mergeable_state: "dirty", merge_commit_sha: null });
    expect(simulator.pullRequests(REPO).map(({ number, state, merged }) => [number, state, merged])).toEqual([
      [1, "closed", false],
      [second, "closed", true],
    ]);
  });

  it("may forbid drafts", async () => {
    await started.simulator.createRepository({ owner: "octo", name: "plain", drafts: false });
    await started.simulator.pushCommit("octo/plain", "change", { "a.txt": "a\n" });
    const octokit = started.connect(await started.token("octo"));
    const wish = { owner: "octo", repo: "plain", head: "change", base: "main", title: "t" };

    await expect(octokit.rest.pulls.create({ ...wish, draft: true })).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining("Draft pull requests are not supported in this repository."),
    });
    expect((await octokit.rest.pulls.create(wish)).status).toBe(201);
  });

  it("makes an app by the manifest flow, once for each code", async () => {
    const { simulator } = started;
    const held = holdToOpenapi(simulator.apiUrl);
    const url = `${simulator.apiUrl}/app-manifests/${simulator.manifestCode()}/conversions`;
    const first = await held.fetch(url, { method: "POST" });
    const second = await held.fetch(url, { method: "POST" });

    expect(await first.json()).toMatchObject({
      id: simulator.appId,
      pem: simulator.privateKey,
      webhook_secret: "secret",
    });
    expect([first.status, second.status]).toEqual([201, 404]);
    expect(held.held.map((one) => one.mistake)).toEqual([null, null]);
  });

  it("ends with taking the app off the account: its tokens end too", async () => {
    const octokit = started.connect(await started.token("octo"));
    started.simulator.uninstall("octo");

    await expect(octokit.rest.apps.listReposAccessibleToInstallation()).rejects.toMatchObject({ status: 401 });
    expect(told("installation").map((payload) => payload)).toMatchObject([
      { action: "created" },
      { action: "deleted" },
    ]);
  });
});
