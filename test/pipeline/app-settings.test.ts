import { afterEach, describe, expect, it, vi } from "vitest";
import { tellJob } from "../../src/pipeline/incident-parts.ts";
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
import { applyCommentPatch } from "../fakes/apply-comment-patch.ts";

// A story runs workflows, a sandbox and git; on a busy machine that is slow.
vi.setConfig({ testTimeout: 150_000 });

let world: AppWorld;
const start = async (wish?: WorldSettings): Promise<AppWorld> => {
  world = await startWorld(wish);
  return world;
};
afterEach(() => world.close());

describe("the repository's settings", () => {
  it("`mode: comment` shows the verified patch in the comment and pushes nothing", async () => {
    const { app } = await start({ settings: "mode: comment\n" });
    const red = await world.openRed();

    await app.settle();

    expect(world.ours()).toEqual([]);
    expect(await world.branches()).toEqual([]);
    expect(world.said(red)).toHaveLength(1);
    expect(applyCommentPatch(world.said(red)[0] ?? "", "app.go", UNTIDY)).toBe(TIDY);
    expect(world.said(red)[0]).not.toContain("Proved by CI");
    expect(world.checks()).toMatchObject([{ conclusion: "neutral" }]);
  });

  it("`mode: suggestion` puts the patch beside the lines of the pull request, once", async () => {
    const { simulator, app } = await start({ settings: "mode: suggestion\n" });
    const red = await world.openRed();
    await app.settle();
    const { parts } = app;
    await parts.store.updateIncident((await world.incident()).id, (known) => ({ ...known, reviewId: null }));
    await parts.queue.put(tellJob(await world.incident(), parts.world.now()));
    await app.settle();

    expect(world.ours()).toEqual([]);
    expect(await world.branches()).toEqual([]);
    expect(simulator.reviews(REPO, red)).toEqual([
      {
        user: `${simulator.appSlug}[bot]`,
        body: expect.stringContaining("verified locally"),
        comments: [
          {
            path: "app.go",
            startLine: null,
            line: 3,
            body: "```suggestion\nfunc Double(n int) int { return 2 * n }\n```",
          },
        ],
      },
    ]);
    expect(world.said(red)).toHaveLength(1);
    expect(world.said(red)[0]).toContain("as suggestions beside the lines");
    expect(applyCommentPatch(world.said(red)[0] ?? "", "app.go", UNTIDY)).toBe(TIDY);
  });

  it("`mode: suggestion` shows the patch in the comment alone where it changes other lines", async () => {
    const { simulator, app } = await start({ settings: "mode: suggestion\n", files: { "app.go": UNTIDY } });
    const red = await world.openRed({ "more.go": TIDY.replace("Double", "More") });

    await app.settle();

    expect(simulator.reviews(REPO, red)).toEqual([]);
    expect(world.said(red)[0]).not.toContain("as suggestions");
    expect(applyCommentPatch(world.said(red)[0] ?? "", "app.go", UNTIDY)).toBe(TIDY);
  });

  it("`mode: push` pushes to a feature branch and follows CI there", async () => {
    const { simulator, app } = await start({ settings: "mode: push\n" });
    const red = await world.openRed();

    await app.settle();

    expect(world.ours()).toEqual([]);
    expect(await world.branches()).toEqual([]);
    expect(await simulator.readFile(REPO, "feature", "app.go")).toBe(TIDY);
    expect(world.said(red)).toEqual([expect.stringMatching(/Repaired, and proved by CI[\s\S]*pushed to `feature`/)]);
    expect(await app.incidents()).toMatchObject([{ state: "done", publication: { branch: "feature" } }]);
    expect(simulator.forcePushes()).toEqual([]);
  });

  it.each(["main", "release"])("`mode: push` proposes where %s is the default branch or protected", async (branch) => {
    const { simulator, app } = await start({
      settings: "mode: push\n",
      repository: { protectedBranches: ["release"] },
    });
    const sha = await simulator.pushCommit(REPO, branch, { "app.go": UNTIDY });

    await app.settle();

    expect((await simulator.branches(REPO))[branch]).toBe(sha);
    expect(world.ours()).toMatchObject([{ base: branch, draft: false }]);
  });

  it.each([
    ["enabled: false", "enabled: false\n"],
    ["another workflow", "workflows: [Deploy]\n"],
    ["another branch", "branches: [main]\n"],
    ["an author who is left out", "authors: { deny: [acme] }\n"],
    ["authors without this one", "authors: { allow: [mona] }\n"],
  ])("%s: nothing is written", async (_what, settings) => {
    const { app } = await start({ settings });
    const red = await world.openRed();

    await app.settle();

    expect(world.ours()).toEqual([]);
    expect(world.said(red)).toEqual([]);
    expect(world.checks()).toEqual([]);
    expect(await app.incidents()).toMatchObject([{ state: "ignored" }]);
    expect(world.simulator.requests().filter(({ path: at }) => at.includes("git-upload-pack"))).toEqual([]);
  });

  it("repairs the watched workflow alone where both are red", async () => {
    const { app } = await start({
      settings: "workflows: [CI]\n",
      workflows: {
        "ci.yml": workflow("CI", [FORMATTING]),
        "deploy.yml": workflow("Deploy", ["echo no place; exit 3"]),
      },
    });
    await world.openRed();

    await app.settle(async () => (await app.incidents())[0]?.state === "awaiting_ci");

    expect((await world.incident()).explanation?.failures.map(({ command }) => command)).toEqual([FORMATTING]);
  });

  it("the skip label set beforehand: nothing is written; set afterwards: ours is closed", async () => {
    const { simulator, app } = await start({ collectMs: 1_500 });
    const red = await world.openRed();
    await simulator.label(REPO, red, "retrace-skip");
    await app.settle();
    expect([world.ours(), world.said(red)]).toEqual([[], []]);

    const other = await world.openRed({ "other.go": UNTIDY }, "other");
    await app.settle();
    expect(world.ours()).toMatchObject([{ state: "open" }]);
    await simulator.label(REPO, other, "retrace-skip");
    await app.settle();

    expect(world.ours()).toMatchObject([{ state: "closed" }]);
    expect(await world.branches()).toEqual([]);
  });

  it("a malformed file leaves the defaults, and is named with its line where people look", async () => {
    const { app } = await start({ settings: "labels: [retrace]\nmode: pul-request\n" });
    const red = await world.openRed();

    await app.settle();

    expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
    expect(world.said(red)[0]).toContain(".github/retrace.yml line 2");
    expect(world.checks()[0]?.summary).toContain(".github/retrace.yml line 2");
  });

  it.each([
    ["repairs-per-day: 1", "1 repairs a day"],
    ["open-pull-requests: 1", "1 of our pull requests"],
  ])("limits.%s holds the second repair back, and says so", async (limit, said) => {
    const { app } = await start({ settings: `limits: { ${limit} }\n` });
    await world.openRed();
    await app.settle();
    const second = await world.openRed({ "other.go": UNTIDY }, "other");

    await app.settle();

    expect(world.ours()).toHaveLength(1);
    expect(world.said(second)).toEqual([expect.stringContaining(said)]);
    expect((await world.incident()).state).toBe("gave_up");
  });

  it("usd-per-day: 0 spends nothing", async () => {
    const { app } = await start({ settings: "limits: { usd-per-day: 0 }\n" });
    const red = await world.openRed();

    await app.settle();

    expect(world.ours()).toEqual([]);
    expect(world.said(red)).toEqual([expect.stringContaining("the limit of $0 a day is reached")]);
  });

  it("protected paths are not touched", async () => {
    const { app } = await start({ settings: 'protected-paths: ["app.go"]\n' });
    const red = await world.openRed();

    await app.settle();

    expect(world.ours()).toEqual([]);
    expect(world.said(red)[0]).toContain("app.go");
    expect(world.said(red)[0]).toContain("refused by the guard");
  });
});
