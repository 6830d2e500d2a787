import { afterEach, describe, expect, it, vi } from "vitest";
import { type AppWorld, startWorld, type WorldSettings, workflow } from "../fakes/app-world.ts";
import { type Reply, type ScriptedModel, startScriptedModel } from "../fakes/scripted-model.ts";

const RIGHT = "def double(n):\n    return 2 * n\n";
const WRONG = "def double(n):\n    return 3 * n\n";
const TEST = `import unittest

from numbers_of import double


class Doubling(unittest.TestCase):
    def test_doubles(self):
        self.assertEqual(double(2), 4)
`;
const REPAIR = "sed -i 's/3 \\* n/2 * n/' numbers_of.py";
const MORE_TESTS =
  "printf '\\n    def test_zero(self):\\n        self.assertEqual(double(0), 0)\\n' >> test_numbers.py";

// A story runs workflows, a sandbox and git; on a busy machine that is slow.
vi.setConfig({ testTimeout: 150_000 });

let world: AppWorld;
let model: ScriptedModel | null = null;
afterEach(async () => {
  await world.close();
  await model?.close();
  model = null;
});

const wish: WorldSettings = {
  files: { "numbers_of.py": RIGHT, "test_numbers.py": TEST },
  workflows: { "ci.yml": workflow("CI", ["python3 -m unittest"]) },
};

/** A red pull request by a wrong line, worked on with a model that says this. */
async function settledWith(script: readonly Reply[], settings = ""): Promise<number> {
  model = await startScriptedModel(script);
  world = await startWorld({
    ...wish,
    ...(settings === "" ? {} : { settings }),
    env: { OPENAI_BASE_URL: model.baseUrl, RETRACE_MODEL: "scripted", RETRACE_MODEL_PRICE: "1/1/1" },
  });
  const red = await world.openRed({ "numbers_of.py": WRONG });
  await world.app.settle();
  return red;
}

describe("a failing test", () => {
  it("without a model is explained, with the reason why nothing is proposed", async () => {
    world = await startWorld(wish);
    const red = await world.openRed({ "numbers_of.py": WRONG });

    await world.app.settle();

    expect(world.ours()).toEqual([]);
    expect(await world.branches()).toEqual([]);
    expect(world.said(red)).toEqual([expect.stringMatching(/6 != 4[\s\S]*no model configured/)]);
    expect(world.checks()).toMatchObject([{ status: "completed", conclusion: "neutral" }]);
  });

  it("is repaired by a model; a patch of the source alone is marked ready, and its cost is said", async () => {
    const red = await settledWith([{ bash: REPAIR }, { done: true }]);

    expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
    expect(await world.simulator.readFile("acme/app", world.ours()[0]?.headSha ?? "", "numbers_of.py")).toBe(RIGHT);
    expect(world.ours()[0]?.body).toContain("2 model calls, 200 input tokens (0 cached), 20 output tokens, $0.0002");
    expect(world.said(red)).toEqual([expect.stringContaining("Repaired, and proved by CI")]);
  });

  it("mended by a patch that touches a test needs a person: green, labelled so, and never marked ready", async () => {
    const red = await settledWith([{ bash: `${REPAIR} && ${MORE_TESTS}` }, { done: true }]);

    expect(world.ours()).toMatchObject([{ state: "open", draft: true }]);
    expect(world.ours()[0]?.body).toMatch(/\*\*Needs a person\*\*: .*test_numbers\.py/);
    expect(world.ours()[0]?.body).toContain("Proved by CI");
    expect(world.said(red)).toEqual([expect.stringContaining("Needs a person")]);
  });

  it.each([
    [
      "more lines than allowed",
      "limits: { lines: 1 }\n",
      `${REPAIR} && sed -i 's/^def/# doubles\\ndef/' numbers_of.py`,
    ],
    ["a skipped test", "", "sed -i 's/    def test/    @unittest.skip(\"later\")\\n    def test/' test_numbers.py"],
  ])("mended by %s is not proposed", async (_what, settings, bash) => {
    const red = await settledWith([{ bash }, { done: true }], settings);

    expect(world.ours()).toEqual([]);
    expect(world.said(red)).toEqual([expect.stringContaining("refused by the guard")]);
    expect(world.said(red)[0]).not.toContain("```diff");
  });

  it("is repaired on demand after it was given up", async () => {
    const red = await settledWith([{ status: 400, error: { message: "not today" } }, { bash: REPAIR }, { done: true }]);
    expect(world.ours()).toEqual([]);
    expect((await world.incident()).state).toBe("gave_up");

    world.simulator.comment("acme/app", red, "acme", "/retrace");
    await world.app.settle();

    expect(world.ours()).toMatchObject([{ state: "open", draft: false }]);
    expect(world.said(red)).toEqual([expect.stringContaining("Repaired, and proved by CI")]);
  });
});
