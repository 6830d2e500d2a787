import { mkdtemp, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { git, gitRefusal } from "./run-git.ts";
import { startForTests } from "./start.ts";

const CI = "on: [push, pull_request]\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps: [{ run: 'true' }]\n";
const started = startForTests(async (simulator) => {
  await simulator.createRepository({
    owner: "octo",
    name: "open",
    files: { "a.txt": "a\n" },
    workflows: { "ci.yml": CI },
    protectedBranches: ["main"],
  });
  await simulator.createRepository({ owner: "octo", name: "closed", files: { "a.txt": "a\n" }, private: true });
  await simulator.createFork("octo/open", "mona");
  await simulator.createRepository({ owner: "acme", name: "unrelated", files: { "a.txt": "a\n" }, organization: true });
});

const address = (token: string, repository: string): string =>
  `http://x-access-token:${token}@${started.simulator.host}/${repository}.git`;

async function clone(token: string, repository = "octo/open"): Promise<string> {
  const folder = await mkdtemp(path.join(started.folder, "clone-"));
  await git(folder, "clone", "--quiet", address(token, repository), ".");
  return folder;
}

async function commit(folder: string, file: string, text: string): Promise<void> {
  await writeFile(path.join(folder, file), text);
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "-m", `Change ${file}`);
}

describe("git over HTTP", () => {
  it("lets anyone clone what is public and only members what is private", async () => {
    const folder = await mkdtemp(path.join(started.folder, "anonymous-"));
    await git(folder, "clone", "--quiet", `http://${started.simulator.host}/octo/open.git`, "open");
    const nobody = await gitRefusal(
      folder,
      "clone",
      "--quiet",
      `http://${started.simulator.host}/octo/closed.git`,
      "closed",
    );
    await git(folder, "clone", "--quiet", address(await started.token("octo"), "octo/closed"), "closed");

    expect(nobody).toContain("terminal prompts disabled");
    expect(await git(path.join(folder, "closed"), "log", "--format=%s")).toBe("Initial commit");
  });

  it("fetches a commit by its full id without history", async () => {
    const { main = "" } = await started.simulator.branches("octo/open");
    const folder = await mkdtemp(path.join(started.folder, "shallow-"));
    await git(folder, "init", "--quiet");
    await git(folder, "fetch", "--quiet", "--depth=1", `http://${started.simulator.host}/octo/open.git`, main);

    expect(await git(folder, "rev-parse", "FETCH_HEAD")).toBe(main);
  });

  it("refuses a push without contents: write", async () => {
    const folder = await clone(await started.token("octo", { permissions: { contents: "read" } }));
    await commit(folder, "b.txt", "b\n");

    expect(await gitRefusal(folder, "push", "origin", "HEAD:refs/heads/b")).toContain("403");
    expect(Object.keys(await started.simulator.branches("octo/open"))).not.toContain("b");
  });

  it("refuses a push to a workflow in GitHub's words, whichever branch", async () => {
    const folder = await clone(await started.token("octo"));
    await commit(folder, ".github/workflows/ci.yml", `${CI}# changed\n`);
    const words = await gitRefusal(folder, "push", "origin", "HEAD:refs/heads/w");

    expect(words).toContain(
      "[remote rejected] HEAD -> w (refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission)",
    );
    expect(Object.keys(await started.simulator.branches("octo/open"))).not.toContain("w");
  });

  it.each([
    ["a protected branch", "refs/heads/main", "protected branch hook declined"],
    ["a pull request's ref", "refs/pull/9/head", "deny updating a hidden ref"],
  ])("refuses a push to %s", async (_what, ref, words) => {
    const folder = await clone(await started.token("octo"));
    await commit(folder, "c.txt", "c\n");

    expect(await gitRefusal(folder, "push", "origin", `HEAD:${ref}`)).toContain(words);
  });

  it("takes a push, tells of it, and notes a forced one", async () => {
    const folder = await clone(await started.token("octo"));
    await commit(folder, "d.txt", "d\n");
    await git(folder, "push", "--quiet", "origin", "HEAD:refs/heads/d");
    await git(folder, "commit", "--quiet", "--amend", "-m", "Another");
    await git(folder, "push", "--quiet", "--force", "origin", "HEAD:refs/heads/d");
    await started.simulator.idle();
    const pushes = started.simulator.deliveries().filter((one) => one.event === "push");

    expect(started.simulator.forcePushes()).toMatchObject([{ repository: "octo/open", ref: "refs/heads/d" }]);
    expect(pushes.map((one) => one.payload)).toMatchObject([
      {
        ref: "refs/heads/d",
        created: true,
        forced: false,
        sender: { login: "retrace[bot]" },
        commits: [{ message: "Change d.txt" }],
      },
      { ref: "refs/heads/d", created: false, forced: true },
    ]);
    expect(started.simulator.runs("octo/open").map((run) => [run.headBranch, run.conclusion])).toEqual([
      ["d", "success"],
      ["d", "success"],
    ]);
  });

  it("takes a push out of a shallow clone", async () => {
    const folder = await mkdtemp(path.join(started.folder, "shallow-"));
    const token = await started.token("octo");
    await started.simulator.pushCommit("octo/open", "deep", { "g.txt": "g\n" });
    await git(folder, "clone", "--quiet", "--depth=1", "--branch=deep", address(token, "octo/open"), ".");
    await commit(folder, "g.txt", "better\n");
    await git(folder, "push", "--quiet", "origin", "HEAD:refs/heads/deeper");

    expect(await started.simulator.readFile("octo/open", "deeper", "g.txt")).toBe("better\n");
  });

  it("lets an app push to a fork's branch only while its pull request allows it", async () => {
    const { simulator } = started;
    await simulator.pushCommit("mona/open", "theirs", { "e.txt": "e\n" }, { author: "mona" });
    await simulator.pushCommit("mona/open", "mine", { "f.txt": "f\n" }, { author: "mona" });
    await simulator.openPullRequest("octo/open", { head: "mona:theirs", user: "mona", maintainerCanModify: true });
    await simulator.openPullRequest("octo/open", { head: "mona:mine", user: "mona", maintainerCanModify: false });
    const token = await started.token("octo");
    const folder = await clone(token, "mona/open");
    await git(folder, "checkout", "--quiet", "theirs");
    await commit(folder, "e.txt", "better\n");
    await git(folder, "push", "--quiet", "origin", "HEAD:refs/heads/theirs");
    await simulator.idle();

    expect(await gitRefusal(folder, "push", "--force", "origin", "HEAD:refs/heads/mine")).toContain(
      "permission denied",
    );
    expect(await gitRefusal(folder, "push", address(token, "acme/unrelated"), "HEAD:refs/heads/x")).toContain("403");
    expect(simulator.pullRequests("octo/open")[0]?.headSha).toBe(await git(folder, "rev-parse", "HEAD"));
  });
});

describe("a fork's pull request", () => {
  it("can be fetched from the base, and its runs name no pull request", async () => {
    const [pull] = started.simulator.pullRequests("octo/open");
    const folder = await clone(await started.token("octo"));
    await git(folder, "fetch", "--quiet", "origin", "refs/pull/1/head", "refs/pull/1/merge");
    const heads = await git(folder, "ls-remote", "origin", "refs/pull/1/head");

    const octokit = started.connect(await started.token("octo"));
    const { data } = await octokit.rest.actions.listWorkflowRunsForRepo({
      owner: "octo",
      repo: "open",
      event: "pull_request",
    });

    expect(heads.split("\t")[0]).toBe(pull?.headSha);
    expect(data.workflow_runs[0]).toMatchObject({
      head_sha: pull?.headSha,
      head_repository: { full_name: "mona/open", fork: true },
      pull_requests: [],
    });
  });
});
