import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
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

/** From the first red run to the verified repair. */
async function collectedMs(): Promise<number> {
  const { history, openedAt } = await world.incident();
  const verified = history.find(({ what }) => what === "repaired and verified locally");
  return Date.parse(verified?.at ?? "") - Date.parse(openedAt);
}

describe("the app", () => {
  it("turns a red pull request into a ready one of its own that CI proves, and leaves no secret anywhere", async () => {
    const { simulator, app } = await start();
    const red = await world.openRed();

    await app.settle();

    const [ours] = world.ours();
    expect(world.ours()).toMatchObject([
      {
        state: "open",
        draft: false,
        head: expect.stringMatching(/^acme:retrace\/feature-[0-9a-f]{8}$/),
        base: "feature",
        labels: ["retrace"],
      },
    ]);
    expect(await simulator.readFile(REPO, ours?.headSha ?? "", "app.go")).toBe(TIDY);
    expect(world.said(red)).toEqual([expect.stringContaining("Repaired, and proved by CI")]);
    expect(ours?.body).toContain("**Proved by CI**");
    expect(world.checks()).toMatchObject([{ status: "completed", conclusion: "success" }]);
    expect(await world.incident()).toMatchObject({ state: "done", outcome: { provedBy: "ci" } });
    const written = [
      ...world.said(red),
      ours?.body ?? "",
      ...world.checks().map(({ summary }) => summary ?? ""),
      ...app.logged,
    ];
    expect(written.join("\n")).not.toMatch(/ghs_|PRIVATE KEY|x-access-token/);
    for (const file of await readdir(world.folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const text = await readFile(path.join(file.parentPath, file.name), "latin1");
      expect(text, file.name).not.toMatch(/ghs_[A-Za-z0-9]|PRIVATE KEY|eC1hY2Nlc3MtdG9rZW4/);
    }
    expect(await readdir(path.join(world.folder, "work"))).toEqual([]);
  });

  it("makes one of everything of one head's three red workflows and of deliveries that come three times", async () => {
    const { simulator, app } = await start({
      files: { "list.json": "[1]\n" },
      workflows: {
        "format.yml": workflow("Format", [FORMATTING]),
        "again.yml": workflow("Again", ["gofmt -d . | (! grep .)"]),
        "third.yml": workflow("Third", ['test -z "$(gofmt -l .)"']),
      },
    });
    const red = await world.openRed();
    await simulator.idle();
    for (const { event, guid } of [...simulator.deliveries()])
      if (event === "workflow_run") for (const _ of [2, 3]) simulator.redeliver(guid);

    await app.settle();
    for (const { event, guid } of [...simulator.deliveries()]) if (event === "workflow_run") simulator.redeliver(guid);
    await app.settle();

    expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
    expect(await world.branches()).toHaveLength(1);
    expect(world.said(red)).toHaveLength(1);
    expect(world.checks()).toHaveLength(1);
    expect(await app.incidents()).toMatchObject([{ state: "done" }]);
    expect(new Set((await world.incident()).runs.map(({ name }) => name))).toEqual(
      new Set(["Format", "Again", "Third"]),
    );
  });

  it("takes a sibling that turns red during the repair into the same repair", async () => {
    const { simulator, app } = await start({
      collectMs: 50,
      workflows: {
        "format.yml": workflow("Format", [FORMATTING], "push"),
        "late.yml": workflow("Late", ["sleep 2", "test ! -f bad.go || (gofmt -l bad.go | (! grep .))"], "push"),
      },
    });
    await simulator.pushCommit(REPO, "feature", { "app.go": UNTIDY, "bad.go": UNTIDY.replace("Double", "Bad") });

    await app.settle();

    expect(world.ours()).toHaveLength(1);
    expect((await world.incident()).runs.map(({ name }) => name)).toEqual(["Format", "Late"]);
    expect(await world.incident()).toMatchObject({ state: "done", publication: { ci: { state: "green" } } });
  });

  it("waits for siblings no longer than the collect window", async () => {
    const { simulator, app } = await start({
      collectMs: 1_200,
      workflows: { "a.yml": workflow("A", [FORMATTING], "push"), "b.yml": workflow("B", ["sleep 30"], "push") },
    });
    await simulator.pushCommit(REPO, "feature", { "app.go": UNTIDY });
    await app.settle(async () => (await app.incidents())[0]?.state === "awaiting_ci");

    expect(await collectedMs()).toBeGreaterThanOrEqual(1_200);
    expect(simulator.runs(REPO).find(({ name }) => name === "B")?.status).not.toBe("completed");
  });

  it("begins at once when every run of the head is complete", async () => {
    const { simulator, app } = await start({
      collectMs: 40_000,
      workflows: { "a.yml": workflow("A", [FORMATTING], "push") },
    });
    await simulator.pushCommit(REPO, "feature", { "app.go": UNTIDY });
    await app.settle(async () => (await app.incidents())[0]?.state === "awaiting_ci");

    expect(await collectedMs()).toBeLessThan(30_000);
  });

  it.each(["feature", "main"])(
    "proposes onto a red branch %s without a pull request, and comments nowhere",
    async (branch) => {
      const { simulator, app } = await start();
      await simulator.pushCommit(REPO, branch, { "app.go": UNTIDY });

      await app.settle();

      expect(world.ours()).toMatchObject([{ base: branch, state: "open", draft: false }]);
      expect(world.said(1)).toEqual([]);
      expect(world.checks()).toMatchObject([{ conclusion: "success" }]);
    },
  );
});
