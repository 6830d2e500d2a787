import { expect, it } from "vitest";
import type { AppParts } from "../../src/pipeline/incident-parts.ts";
import type { GitHub } from "../../src/ports/github.ts";
import { type AppWorld, FORMATTING, REPO, startWorld, TIDY, workflow } from "../fakes/app-world.ts";

class Killed extends Error {
  override readonly name = "Killed";
}

/** Counts the calls of ports; at call `at` it rejects, before the call or after it was carried out. */
interface Fuse {
  readonly at: number;
  readonly when: "before" | "after";
  calls: number;
}

function fused<T extends object>(port: T, fuse: Fuse, names?: readonly string[]): T {
  return new Proxy(port, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof member !== "function" || (names !== undefined && !names.includes(String(name)))) return member;
      return async (...given: unknown[]) => {
        fuse.calls += 1;
        const blows = fuse.calls === fuse.at;
        if (blows && fuse.when === "before") throw new Killed(String(name));
        const result: unknown = await member.apply(target, given);
        if (blows) throw new Killed(String(name));
        return result;
      };
    },
  });
}

function withFuse(fuse: Fuse): (parts: AppParts) => AppParts {
  const clients = new Map<GitHub, GitHub>();
  return (parts) => ({
    ...parts,
    store: fused(parts.store, fuse),
    // What the worker itself does with the queue is not the stories'.
    queue: fused(parts.queue, fuse, ["put", "cancel"]),
    remoteGit: fused(parts.remoteGit, fuse),
    app: {
      ...parts.app,
      forInstallation: async (id) => {
        const client = await parts.app.forInstallation(id);
        const known = clients.get(client) ?? fused(client, fuse);
        clients.set(client, known);
        return known;
      },
    },
  });
}

type Story = (world: AppWorld) => Promise<void>;

/** A story; at the fuse's call everything dies, and a fresh process goes on from the same data. */
async function tellStory(fuse: Fuse, story: Story): Promise<AppWorld> {
  const onFailure = (error: unknown): void => {
    throw error;
  };
  const world = await startWorld({
    workflows: { "ci.yml": workflow("CI", [FORMATTING], "pull_request") },
    collectMs: 50,
    around: withFuse(fuse),
    onFailure,
    env: { RETRACE_SANDBOX: "none" },
  });
  for (let life = 1; ; life++) {
    try {
      await story(world);
      return world;
    } catch (error) {
      // The background look at the store may be what was killed: then nobody notices.
      if (!(error instanceof Killed) || life > 3) throw error;
      const app = await world.restart({ around: (parts) => parts });
      await app.parts.queue.takeOver("the next process");
    }
  }
}

async function countCalls(story: Story): Promise<number> {
  const fuse = { at: -1, when: "before", calls: 0 } as Fuse;
  await (await tellStory(fuse, story)).close();
  return fuse.calls;
}

const repaired = async (world: AppWorld): Promise<void> => {
  if (world.simulator.pullRequests(REPO).length === 0) await world.openRed();
  await world.app.settle();
};

const stopped = async (world: AppWorld): Promise<void> => {
  await repaired(world);
  const said = world.simulator.comments(REPO, 1);
  if (!said.some(({ body }) => body === "/retrace stop")) world.simulator.comment(REPO, 1, "acme", "/retrace stop");
  await world.app.settle();
};

/** What is wrong at the end of a story; "" when nothing is. */
async function faultOf(at: number, when: Fuse["when"], story: Story, expected: (world: AppWorld) => Promise<void>) {
  let world: AppWorld | null = null;
  try {
    world = await tellStory({ at, when, calls: 0 }, story);
    await expected(world);
    return "";
  } catch (error) {
    const fault = `${when} call ${at}: ${error instanceof Error ? error.message.slice(0, 600) : String(error)}`;
    process.stderr.write(`${fault}\n`); // at once: the whole takes long
    return fault;
  } finally {
    await world?.close();
  }
}

async function oneOfEverything(world: AppWorld): Promise<void> {
  const [ours] = world.ours();
  expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
  expect(await world.simulator.readFile(REPO, ours?.headSha ?? "", "app.go")).toBe(TIDY);
  expect(await world.branches()).toHaveLength(1);
  expect(world.said(1)).toEqual([expect.stringContaining("Repaired, and proved by CI")]);
  expect(world.checks()).toMatchObject([{ status: "completed", conclusion: "success" }]);
  expect(ours?.body).toContain("**Proved by CI**");
}

async function nothingLeft(world: AppWorld): Promise<void> {
  expect(world.ours()).toMatchObject([{ state: "closed" }]);
  expect(await world.branches()).toEqual([]);
  expect(world.said(1)).toEqual([expect.stringContaining("Stopped on request")]);
}

// Every call takes many minutes: the suite looks at some of them.
const STEP = process.env.RETRACE_TEST_EVERY_KILL === "1" ? 1 : 31;

it.each(["before", "after"] as const)(
  "a kill %s any call of a repair's story loses nothing and doubles nothing",
  { timeout: 3_600_000 },
  async (when) => {
    const calls = await countCalls(repaired);
    const faults = [];
    for (let at = when === "before" ? 1 : Math.ceil(STEP / 2); at <= calls; at += STEP) {
      faults.push(await faultOf(at, when, repaired, oneOfEverything));
    }

    expect(calls).toBeGreaterThan(50);
    expect(faults.filter((fault) => fault !== "")).toEqual([]);
  },
);

it("a kill anywhere in a stop leaves nothing of ours open", { timeout: 3_600_000 }, async () => {
  const [first, last] = [await countCalls(repaired), await countCalls(stopped)];
  const faults = [];
  for (let at = first - 2; at <= last; at += Math.ceil(STEP / 2)) {
    for (const when of STEP === 1 ? (["before", "after"] as const) : (["after"] as const))
      faults.push(await faultOf(at, when, stopped, nothingLeft));
  }

  expect(faults.filter((fault) => fault !== "")).toEqual([]);
});
