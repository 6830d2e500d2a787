import { afterEach, describe, expect, it, vi } from "vitest";
import { type AppWorld, REPO, startWorld, TIDY, type WorldSettings } from "../fakes/app-world.ts";

// A story runs workflows, a sandbox and git; on a busy machine that is slow.
vi.setConfig({ testTimeout: 150_000 });

let world: AppWorld;
const start = async (wish?: WorldSettings): Promise<AppWorld> => {
  world = await startWorld(wish);
  return world;
};
afterEach(() => world.close());

const reruns = (): number =>
  world.simulator.requests().filter(({ method, path }) => method === "POST" && path.endsWith("/rerun-failed-jobs"))
    .length;

describe("weather", () => {
  it.each(["network", "runner-lost"] as const)(
    "%s: the failed jobs are re-run once, nothing is repaired, and green is said",
    async (kind) => {
      const { simulator, app } = await start();
      simulator.weather.nextRunFails({ kind, branch: "feature" });
      await simulator.pushCommit(REPO, "feature", { "more.go": TIDY.replace("Double", "More") });
      simulator.weather.nextRunFails({ kind, branch: "feature" });
      const red = await simulator.openPullRequest(REPO, { head: "feature" });

      await app.settle();

      expect(reruns()).toBe(2);
      expect(world.ours()).toEqual([]);
      expect(world.said(red)).toEqual([expect.stringMatching(/re-run once[\s\S]*green on a re-run/)]);
      expect(await app.incidents()).toMatchObject([{ state: "not_code", outcome: null }]);
      expect(world.checks()).toMatchObject([{ conclusion: "neutral" }]);
    },
  );

  it("is looked at anew when the re-run fails by the code", async () => {
    const { simulator, app } = await start();
    simulator.weather.nextRunFails({ kind: "network", branch: "feature" });
    simulator.weather.nextRunFails({ kind: "network", branch: "feature" });
    const red = await world.openRed();

    await app.settle();

    expect(reruns()).toBeGreaterThan(0);
    expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
    expect(world.said(red)).toEqual([expect.stringContaining("Repaired, and proved by CI")]);
  });
});

describe("logs", () => {
  it.each(["missing", "broken"] as const)(
    "that are %s for some seconds are waited for",
    { timeout: 90_000 },
    async (state) => {
      const { simulator, app } = await start();
      simulator.weather.logsAre(state, 4_000);
      await world.openRed();

      await app.settle();

      expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
      expect((await world.incident()).notes).toEqual([]);
    },
  );

  it("that have expired leave it to step results and annotations, which is said", async () => {
    const { simulator, app } = await start();
    simulator.weather.logsAre("gone", 600_000);
    const red = await world.openRed();

    await app.settle();

    expect(world.said(red)).toHaveLength(1);
    expect(world.said(red)[0]).toContain("check: its log has expired; step results and annotations speak for it");
    expect((await world.incident()).explanation?.failures).toMatchObject([
      { job: "check", step: expect.stringContaining("gofmt"), command: expect.stringContaining("gofmt") },
    ]);
    // The workflow file still says which command failed: it is run here, fails, and is repaired.
    expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
  });
});
