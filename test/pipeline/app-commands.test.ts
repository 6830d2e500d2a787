import { afterEach, describe, expect, it, vi } from "vitest";
import { type AppWorld, REPO, startWorld, TIDY, UNTIDY, type WorldSettings, workflow } from "../fakes/app-world.ts";
import { applyCommentPatch } from "../fakes/apply-comment-patch.ts";

// A story runs workflows, a sandbox and git; on a busy machine that is slow.
vi.setConfig({ testTimeout: 150_000 });

let world: AppWorld;
const start = async (wish?: WorldSettings): Promise<AppWorld> => {
  world = await startWorld(wish);
  return world;
};
afterEach(() => world.close());

const OWNER = "acme";

/** Comments and works until that is answered; the reactions to the comment. */
async function ask(pull: number, text: string, user = OWNER): Promise<readonly string[]> {
  const id = world.simulator.comment(REPO, pull, user, text);
  await world.app.settle();
  return world.simulator.comments(REPO, pull).find((comment) => comment.id === id)?.reactions ?? [];
}

describe("a fork's red pull request", () => {
  async function openFork(): Promise<number> {
    const { simulator } = world;
    await simulator.createFork(REPO, "mona");
    await simulator.pushCommit("mona/app", "mine", { "app.go": UNTIDY });
    return simulator.openPullRequest(REPO, { head: "mona:mine", user: "mona" });
  }
  const clones = (): number => world.simulator.requests().filter(({ path }) => path.includes("git-upload-pack")).length;

  it("is explained and no more; a stranger is not heard; a maintainer gets the patch", async () => {
    const { simulator, app } = await start();
    const red = await openFork();
    const before = await simulator.branches("mona/app");

    await app.settle();
    expect(world.said(red)).toEqual([expect.stringContaining("a maintainer comments `/retrace`")]);
    expect(world.said(red)[0]).toContain("app.go is not formatted");
    expect(clones()).toBe(0);

    expect(await ask(red, "/retrace", "mona")).toEqual([]);
    expect(clones()).toBe(0);

    simulator.addCollaborator(REPO, "reader", "read");
    expect(await ask(red, "/retrace", "reader")).toEqual([]);
    expect(clones()).toBe(0);

    expect(await ask(red, "/retrace")).toEqual(["eyes"]);
    expect(world.said(red)).toHaveLength(1);
    expect(applyCommentPatch(world.said(red)[0] ?? "", "app.go", UNTIDY)).toBe(TIDY);
    expect(clones()).toBeGreaterThan(0);
    expect(world.ours()).toEqual([]);
    expect(await world.branches()).toEqual([]);
    expect(await simulator.branches("mona/app")).toEqual(before);
    expect(world.checks().map(({ conclusion }) => conclusion)).toEqual(["neutral"]);
  });
});

describe("commands", () => {
  it("answer in the one comment, and to nobody who may not write here", async () => {
    const { simulator, app } = await start();
    const red = await world.openRed();
    await app.settle();
    simulator.addCollaborator(REPO, "reader", "read");

    expect(await ask(red, "/retrace help", "reader")).toEqual([]);
    expect(await ask(red, "/retrace help")).toEqual(["eyes"]);
    expect(world.said(red)[0]).toContain("`/retrace explain`: say what broke");
    await ask(red, "/retrace status");
    expect(world.said(red)[0]).toMatch(/acme asked:\s+Repaired, and proved by CI. Our pull request is #2/);
    await ask(red, "/retrace dance");
    expect(world.said(red)[0]).toContain("There is no such command");
    expect(await ask(red, "please /retrace stop")).toEqual([]);
    expect(world.said(red)).toHaveLength(1);
    expect(world.ours()).toMatchObject([{ state: "open" }]);
  });

  it("are not read out of edited comments", async () => {
    const { simulator, app } = await start();
    const red = await world.openRed();
    await app.settle();
    simulator.comment(REPO, red, OWNER, "/retrace stop, please");
    await app.settle();
    const sent = simulator.deliveries().findLast(({ event }) => event === "issue_comment");
    const { comment, ...rest } = (sent?.payload ?? {}) as { readonly comment: object };
    const before = world.said(red);
    simulator.deliver("issue_comment", { ...rest, action: "edited", comment: { ...comment, body: "/retrace stop" } });

    await app.settle();

    expect(world.said(red)).toEqual(before);
    expect(world.ours()).toMatchObject([{ state: "open" }]);
  });

  it("stop closes our pull request, deletes the branch, and ends it; retry starts over", async () => {
    const { app } = await start();
    const red = await world.openRed();
    await app.settle();

    await ask(red, "/retrace stop");
    expect(world.ours()).toMatchObject([{ state: "closed" }]);
    expect(await world.branches()).toEqual([]);
    expect((await world.incident()).state).toBe("stopped");
    expect(world.said(red)).toEqual([expect.stringContaining("Stopped on request")]);

    await ask(red, "/retrace retry");
    expect(world.ours().map(({ state, draft }) => [state, draft])).toEqual([
      ["closed", expect.any(Boolean)],
      ["open", false],
    ]);
    expect(world.said(red)).toEqual([expect.stringContaining("Repaired, and proved by CI")]);

    await ask(world.ours()[1]?.number ?? 0, "/retrace stop");
    expect(world.ours().map(({ state }) => state)).toEqual(["closed", "closed"]);
    expect(await app.incidents()).toHaveLength(1);
  });

  it("stop ends a repair that is going on", async () => {
    // The check runs for long, so that the stop comes while it does.
    const slow = "if test -f slow; then sleep 30; fi; gofmt -l . | (! grep .)";
    const { app } = await start({ workflows: { "ci.yml": workflow("CI", [slow]) } });
    const red = await world.openRed();
    await app.settle(async () => (await app.incidents())[0]?.state === "collecting");
    const { parts } = app;
    const seen = parts.world.monotonicMs();
    const stopping = (async () => {
      while ((await world.incident()).state !== "repairing") await parts.world.sleep(20);
      const { endIncident } = await import("../../src/pipeline/end-incident.ts");
      await endIncident(await world.incident(), "stopped", "acme asked to stop", parts);
    })();

    await app.settle();
    await stopping;

    expect((await world.incident()).state).toBe("stopped");
    expect(world.ours()).toEqual([]);
    expect(world.said(red).every((body) => body.includes("Stopped on request"))).toBe(true);
    expect(parts.world.monotonicMs() - seen).toBeLessThan(40_000);
  });

  it("explain says what broke and repairs nothing; retrace then does", async () => {
    const { app } = await start({ settings: "enabled: false\n" });
    const red = await world.openRed();
    await app.settle();
    expect(world.said(red)).toEqual([]);

    await ask(red, "/retrace explain");
    expect(world.said(red)).toEqual([expect.stringMatching(/explained, as asked[\s\S]*app.go is not formatted/)]);
    expect(world.ours()).toEqual([]);

    await ask(red, "/retrace");
    expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
    expect(world.said(red)).toHaveLength(1);
  });

  it("on a green pull request say that there is nothing to repair, in one comment", async () => {
    const { simulator } = await start();
    await simulator.pushCommit(REPO, "fine", { "fine.go": TIDY.replace("Double", "Fine") });
    const green = await simulator.openPullRequest(REPO, { head: "fine" });
    await ask(green, "/retrace");
    await ask(green, "/retrace status");

    expect(world.said(green)).toEqual([expect.stringContaining("Nothing of this pull request was worked on yet")]);
  });
});
