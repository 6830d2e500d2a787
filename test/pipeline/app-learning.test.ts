import { afterEach, describe, expect, it, vi } from "vitest";
import { type AppWorld, REPO, startWorld, TIDY } from "../fakes/app-world.ts";

// A story runs workflows and git; on a busy machine that is slow.
vi.setConfig({ testTimeout: 150_000 });

let world: AppWorld;
afterEach(() => world.close());

const SETTINGS = "mode: comment\nexperience: { learn: true }\n";

/** A pull request that was red, was mended by its author, and is merged. */
async function mended(settings = SETTINGS): Promise<number> {
  world = await startWorld({ settings, workflows: { "ci.yml": WORKFLOW } });
  const pull = await world.openRed({ "app.go": "package app\n\nfunc Double(n int) int { return 2 n }\n" });
  await world.app.settle();
  await world.simulator.pushCommit(REPO, "feature", { "app.go": TIDY });
  await world.app.settle();
  await world.simulator.mergePullRequest(REPO, pull);
  await world.app.settle();
  return pull;
}
const WORKFLOW =
  "name: ci\non: [pull_request]\njobs:\n  check:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: gofmt -l app.go\n";

async function remembered(): Promise<
  readonly { readonly id: string; readonly pr: number | null; readonly tenant: string }[]
> {
  const memory = world.app.parts.learning.openMemory();
  try {
    const records = await memory.list({ repo: REPO });
    return records.map(({ meta }) => ({ id: meta.id, pr: meta.provenance.pr, tenant: meta.scope.tenant }));
  } finally {
    await memory.close();
  }
}

/** Comments on another pull request and works until it is answered; the last thing we said there. */
async function ask(pull: number, text: string): Promise<string> {
  world.simulator.comment(REPO, pull, "acme", text);
  await world.app.settle();
  return world.said(pull).at(-1) ?? "";
}

describe("the app's learning", () => {
  it("reads a merged pull request for its account, once, and forgets a record when asked", async () => {
    const pull = await mended();

    const first = await remembered();
    expect(first.length).toBeGreaterThan(0);
    expect(new Set(first.map(({ pr, tenant }) => `${pr} ${tenant}`))).toEqual(new Set([`${pull} acme`]));

    const other = await world.openRed({ "app.go": TIDY.replace("2 * n", "n + n") }, "other");
    expect(await ask(other, `/retrace learn #${pull}`)).toContain(`Learned from #${pull}`);
    expect(await remembered()).toEqual(first);

    const id = first[0]?.id ?? "";
    expect(await ask(other, `/retrace forget ${id}`)).toContain("Forgotten");
    expect((await remembered()).map((one) => one.id)).not.toContain(id);
    expect(await ask(other, "/retrace forget exp_none")).toContain("There is no record");
  });

  it("learns nothing by itself where the settings say so", async () => {
    await mended("mode: comment\nexperience: { learn: false }\n");

    expect(await remembered()).toEqual([]);
  });
});
