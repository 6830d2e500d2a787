import { rm, writeFile } from "node:fs/promises";
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
import { applyCommentPatch } from "../fakes/apply-comment-patch.ts";
import { type ScriptedModel, startScriptedModel } from "../fakes/scripted-model.ts";

// A story runs workflows, a sandbox and git; on a busy machine that is slow.
vi.setConfig({ testTimeout: 150_000 });

let world: AppWorld;
let model: ScriptedModel | null = null;
const start = async (wish?: WorldSettings): Promise<AppWorld> => {
  world = await startWorld(wish);
  return world;
};
afterEach(async () => {
  await world.close();
  await model?.close();
  model = null;
});

const MORE = { "more.go": TIDY.replace("Double", "More") };
const ONCE: WorldSettings = { workflows: { "ci.yml": workflow("CI", [FORMATTING], "[push]") } };

async function comment(pull: number, text: string): Promise<void> {
  world.simulator.comment(REPO, pull, "acme", text);
  await world.app.settle();
}

/** A person runs the newest run of a branch again. */
async function runAgain(branch: string): Promise<void> {
  const { simulator } = world;
  const headers = { authorization: `token ${simulator.userToken("acme")}` };
  const list = await fetch(`${simulator.apiUrl}/repos/${REPO}/actions/runs?branch=${branch}`, { headers });
  const { workflow_runs: runs } = (await list.json()) as { workflow_runs: readonly { id: number }[] };
  const url = `${simulator.apiUrl}/repos/${REPO}/actions/runs/${runs[0]?.id}/rerun`;
  const answer = await fetch(url, { method: "POST", headers });
  expect(answer.status).toBe(201);
  await world.app.settle();
}

describe("a failure that the base shows as well", () => {
  it("is repaired there and not here; a maintainer has it repaired here all the same", async () => {
    const { simulator, app } = await start({ ...ONCE, settings: "mode: comment\n" });
    await simulator.pushCommit(REPO, "main", { "app.go": UNTIDY });
    await simulator.idle();
    const red = await world.openRed(MORE);
    await app.settle();

    const said = /Not this change's to repair: main fails the same way at [0-9a-f]{8}\./;
    expect(world.said(red)).toEqual([expect.stringMatching(said)]);
    expect(world.said(red)[0]).toContain("The base is red");
    expect(world.said(red)[0]).not.toContain("```diff");
    const [ofPull, ofMain] = await app.incidents();
    expect(ofMain).toMatchObject({ headBranch: "main", outcome: { ended: "repaired" }, triage: [] });
    expect(ofPull).toMatchObject({ state: "done", outcome: null, triage: [{ kind: "pre-existing" }] });
    expect(world.checks().at(-1)).toMatchObject({ status: "completed", conclusion: "neutral" });

    await comment(red, "/retrace");

    expect(applyCommentPatch(world.said(red)[0] ?? "", "app.go", UNTIDY)).toBe(TIDY);
    expect(world.said(red)[0]).toContain("The base is red");
  });
});

describe("a job that fails now and then", () => {
  const flag = (): string => path.join(world.folder, "calm");

  it("is no failure of the code: by the attempt that passed, and from then on by its words", async () => {
    const { simulator, app } = await start();
    await writeFile(flag(), "");
    const check = `test -f ${flag()} || { echo FAILED the clock is late; exit 1; }`;
    await simulator.pushCommit(REPO, "main", { ".github/workflows/ci.yml": workflow("CI", [check], "[push]") });
    const red = await world.openRed(MORE);
    await app.settle();
    expect(world.said(red)).toEqual([]);

    await rm(flag());
    await runAgain("feature");
    expect(world.said(red)).toEqual([expect.stringMatching(/Nothing in the code is to blame: flaky: .*passed check/)]);
    expect(world.said(red)[0]).toContain("not re-run by us");

    await writeFile(flag(), "");
    await runAgain("feature");
    expect(world.said(red)).toEqual([expect.stringContaining("the failed runs are green on a re-run")]);

    await rm(flag());
    const other = await world.openRed({ "other.go": TIDY.replace("Double", "Other") }, "other");
    await app.settle();
    const { history } = (await app.incidents()).find(({ pullRequest }) => pullRequest === other) ?? {};
    expect(history?.map(({ what }) => what).join("\n")).toMatch(
      /flaky: .*It has failed and passed on one commit before .*re-run once/,
    );
    // Red twice in a row it is no flake any more.
    expect(world.said(other)).toEqual([expect.stringContaining("no model configured")]);
  });
});

describe("commands about one cause", () => {
  const WRONG = "def double(n):\n    return 3 * n\n";
  const FILES = {
    "numbers_of.py": WRONG.replace("3", "2"),
    "test_numbers.py":
      "import unittest\nfrom numbers_of import double\n\n\nclass T(unittest.TestCase):\n    def test_doubles(self):\n        self.assertEqual(double(2), 4)\n",
  };
  const two = `name: CI\non: [push]\njobs:\n${["gofmt -l . | (! grep .)", "python3 -m unittest"]
    .map(
      (run, at) =>
        `  job${at}:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: actions/checkout@v4\n      - run: ${run}\n`,
    )
    .join("")}`;

  it("fix N repairs that one and leaves the others, which is said; hint reaches the engine as material", async () => {
    model = await startScriptedModel([{ bash: "sed -i 's/3 \\* n/2 * n/' numbers_of.py" }, { done: true }]);
    const env = { OPENAI_BASE_URL: model.baseUrl, RETRACE_MODEL: "scripted" };
    await start({ files: FILES, workflows: { "ci.yml": two }, settings: "mode: comment\nenabled: false\n", env });
    const red = await world.openRed({ "app.go": UNTIDY, "numbers_of.py": WRONG });
    await world.app.settle();
    await comment(red, "/retrace explain");
    await comment(red, "/retrace fix 7");
    expect(world.said(red)[0]).toContain("There is no cause 7: they are numbered 1 to 2.");
    expect(world.said(red)[0]).toMatch(/\*\*1\.\*\* [\s\S]*\*\*2\.\*\* /);

    await comment(red, "/retrace fix 1");

    const { outcome } = await world.incident();
    expect(outcome?.problems.map(({ state }) => state)).toEqual(["repaired", "skipped"]);
    expect(outcome).toMatchObject({ ended: "repaired", files: ["app.go"] });
    expect(outcome?.why).toContain("only cause 1 was asked for");
    expect(model.requests).toEqual([]);

    await comment(red, "/retrace hint the factor is ``` wrong");

    expect(world.said(red)[0]).toContain("acme hinted, and the engines get it as material");
    const asked = model.requests[0]?.messages.map(({ content }) => content ?? "").join("\n") ?? "";
    expect(asked).toContain("````\nthe factor is ``` wrong\n````");
    expect((await world.incident()).outcome).toMatchObject({ ended: "repaired", files: ["app.go", "numbers_of.py"] });
  });
});
