import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type AppWorld,
  FORMATTING,
  REPO,
  startWorld,
  TIDY,
  UNTIDY,
  type WorldSettings,
  workflow,
} from "../fakes/app-world.ts";

// A story runs workflows, a sandbox and git; on a busy machine that is slow.
vi.setConfig({ testTimeout: 150_000 });

let world: AppWorld;
const start = async (wish?: WorldSettings): Promise<AppWorld> => {
  world = await startWorld(wish);
  return world;
};
afterEach(() => world.close());

/** Works until our pull request waits for CI. */
const untilAwaiting = (): Promise<void> =>
  world.app.settle(async () => (await world.app.incidents()).some(({ state }) => state === "awaiting_ci"));

describe("CI on our commit", () => {
  it("red: says on the draft and in the comment what CI said, and never marks it ready", async () => {
    // A sibling that only fails on our branch, as a check does that cannot be run here.
    const only =
      'case "$GITHUB_HEAD_REF$GITHUB_REF_NAME" in *retrace/*) echo "app.go:3:1: undefined: Half"; exit 1;; esac';
    const { app } = await start({
      workflows: {
        "ci.yml": workflow("CI", [FORMATTING]),
        "other.yml": workflow("Other", [`'${only.replaceAll("'", "''")}'`]),
      },
    });
    const red = await world.openRed();

    await app.settle();

    expect(world.ours()).toMatchObject([{ state: "open", draft: true }]);
    expect(world.ours()[0]?.body).toContain("CI is red on it");
    expect(world.ours()[0]?.body).toContain("undefined: Half");
    expect(world.said(red)).toEqual([expect.stringContaining("undefined: Half")]);
    expect(await world.incident()).toMatchObject({ state: "gave_up", outcome: { provedBy: "local" } });
    expect(world.checks()).toMatchObject([{ status: "completed", conclusion: "neutral" }]);
  });

  it("silent: says that no run was seen, and takes a later one for the verdict", async () => {
    const on = "{ push: { branches: [feature] }, workflow_dispatch: {} }";
    const { simulator, app } = await start({
      ciSeenMs: 300,
      workflows: { "ci.yml": workflow("CI", [FORMATTING], on) },
    });
    await simulator.pushCommit(REPO, "feature", { "app.go": UNTIDY });

    await app.settle();

    expect(world.ours()).toMatchObject([{ state: "open", draft: true }]);
    expect(world.ours()[0]?.body).toContain("no workflow run was seen on the pushed commit");
    expect(world.checks()).toMatchObject([{ conclusion: "neutral" }]);

    const [ourBranch = ""] = await world.branches();
    await simulator.runWorkflows(REPO, ourBranch, "workflow_dispatch");
    await app.settle();

    expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
    expect(await world.incident()).toMatchObject({ state: "done" });
  });

  it("held back: says that a person must approve it", async () => {
    const { simulator, app } = await start({ workflows: { "ci.yml": workflow("CI", [FORMATTING], "push") } });
    const sha = await simulator.pushCommit(REPO, "feature", { "app.go": UNTIDY });
    simulator.weather.approvalNeededOn(`retrace/feature-${sha.slice(0, 8)}`);

    await app.settle();

    expect(world.ours()).toMatchObject([{ state: "open", draft: true }]);
    expect(world.ours()[0]?.body).toContain("CI waits for a person");
    expect(world.checks()).toMatchObject([{ conclusion: "neutral" }]);
  });

  it("starts nothing for a run on a branch of ours that no incident knows", async () => {
    const { simulator, app } = await start();
    await simulator.pushCommit(REPO, "retrace/old-12345678", { "app.go": UNTIDY });

    await app.settle();

    expect(await app.incidents()).toEqual([]);
    expect(world.ours()).toEqual([]);
    expect(world.checks()).toEqual([]);
  });
});

describe("a repair that is not needed any more", () => {
  it("proposes nothing when the head moved while it was made", async () => {
    const { simulator, app } = await start();
    const red = await world.openRed();
    await app.settle(
      async () =>
        (await app.incidents())[0]?.state === "repairing" || (await app.incidents())[0]?.state === "collecting",
    );
    simulator.weather.noRunsOn("feature");
    // No delivery tells of it in time: the head is read again before anything is pushed.
    simulator.sendWebhooksTo("http://127.0.0.1:9/");
    await simulator.pushCommit(REPO, "feature", { "app.go": TIDY });

    await app.settle();

    expect(world.ours()).toEqual([]);
    expect(await world.branches()).toEqual([]);
    expect(await app.incidents()).toMatchObject([{ state: "superseded" }]);
    expect(world.said(red)).toHaveLength(1);
  });

  it("gives way to the one for a newer red head", async () => {
    const { simulator, app } = await start();
    const red = await world.openRed();
    await app.settle();
    await simulator.pushCommit(REPO, "feature", { "more.go": UNTIDY.replace("Double", "More") });

    await app.settle();

    expect(world.ours().map(({ state }) => state)).toEqual(["closed", "open"]);
    expect(await world.branches()).toEqual([expect.stringContaining((await world.incident()).headSha.slice(0, 8))]);
    expect(world.said(red)).toEqual([expect.stringContaining("Repaired, and proved by CI")]);
    expect((await app.incidents()).map(({ state }) => state)).toEqual(["done", "superseded"]);
  });

  it("is not pushed aside by a late word of an older head", async () => {
    const { simulator, app } = await start({ workflows: { "ci.yml": workflow("CI", [FORMATTING], "push") } });
    await simulator.pushCommit(REPO, "feature", { "old.go": UNTIDY });
    await simulator.idle();
    const late = simulator
      .deliveries()
      .filter(({ event, action }) => event === "workflow_run" && action === "completed");
    await app.parts.queue.cancel(`delivery:${late[0]?.guid}`);
    const newer = await simulator.pushCommit(REPO, "feature", { "app.go": UNTIDY });
    await app.settle();
    for (const { guid } of late) simulator.redeliver(guid);

    await app.settle();

    expect(late).toHaveLength(1);
    expect(await app.incidents()).toMatchObject([{ headSha: newer, state: "done" }]);
    expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
  });

  it.each([
    ["the newer head is green", () => world.simulator.pushCommit(REPO, "feature", { "app.go": TIDY })],
    ["the red pull request is closed", () => world.simulator.closePullRequest(REPO, 1)],
    ["the red pull request is merged", () => world.simulator.mergePullRequest(REPO, 1)],
  ])("is closed and its branch deleted when %s", async (_what, happens) => {
    const { app } = await start();
    const red = await world.openRed();
    await app.settle();

    await happens();
    await app.settle();

    // Merged red, its base is red too: that is another incident, with a pull request of its own.
    const ofFeature = world.ours().filter(({ head }) => head.startsWith("acme:retrace/feature-"));
    expect(ofFeature.map(({ state, merged }) => ({ state, merged }))).toEqual([{ state: "closed", merged: false }]);
    expect((await world.branches()).filter((name) => name.startsWith("retrace/feature-"))).toEqual([]);
    expect(world.said(red)).toHaveLength(1);
  });

  it("is done with once it is merged", async () => {
    const { simulator, app } = await start();
    const red = await world.openRed();
    await app.settle();

    await simulator.mergePullRequest(REPO, world.ours()[0]?.number ?? 0);
    await app.settle();

    expect(await simulator.readFile(REPO, "feature", "app.go")).toBe(TIDY);
    expect(await app.incidents()).toMatchObject([{ state: "done", publication: { withdrawn: true } }]);
    expect(await world.branches()).toEqual([]);
    expect(world.said(red)).toEqual([expect.stringContaining("proved by CI")]);
  });

  it("ends with the installation", async () => {
    const { simulator, app } = await start({
      collectMs: 60_000,
      onFailure: () => {}, // until the delivery that tells of it is read, every call is refused
      workflows: { "a.yml": workflow("A", [FORMATTING]), "b.yml": workflow("B", ["sleep 20"]) },
    });
    await world.openRed();
    await app.settle(async () => (await app.incidents()).length === 1);
    simulator.uninstall("acme");

    await app.settle(async () => (await app.incidents())[0]?.state === "stopped");

    expect(await app.parts.queue.counts()).toEqual({ waiting: 0, working: expect.any(Number) });
    expect(world.ours()).toEqual([]);
  });
});

describe("the tree under repair", () => {
  it("is the merge that CI tested, and the commit holds none of the base's changes", async () => {
    const { simulator, app } = await start({ workflows: { "ci.yml": workflow("CI", [FORMATTING], "pull_request") } });
    await simulator.pushCommit(REPO, "feature", { "app.go": UNTIDY });
    // On the base alone, so that only the merge holds it.
    await simulator.pushCommit(REPO, "main", { "base.go": TIDY.replace("Double", "Base") });
    await simulator.openPullRequest(REPO, { head: "feature" });

    await untilAwaiting();

    const [ours] = world.ours();
    expect(await simulator.readFile(REPO, ours?.headSha ?? "", "app.go")).toBe(TIDY);
    expect(await simulator.readFile(REPO, ours?.headSha ?? "", "base.go")).toBeNull();
    expect(app.logged.join("\n")).toContain("reproduced");
  });
});
