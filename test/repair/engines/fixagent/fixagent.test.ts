import { afterEach, describe, expect, it } from "vitest";
import type { FaultLocation } from "../../../../src/domain/fault.ts";
import { PRODUCT_SWITCHES, type Switches } from "../../../../src/domain/switches.ts";
import { NO_CONTEXT } from "../../../../src/repair/context.ts";
import type { EngineResult, RepairTask } from "../../../../src/repair/engine.ts";
import { fixAgentEngine } from "../../../../src/repair/engines/fixagent/engine.ts";
import { openRepairBench, type RepairBench } from "../../../fakes/repair-bench.ts";
import type { ModelRequest, Reply } from "../../../fakes/scripted-model.ts";

const PAGES = `export function lastPage(total, size) {
  const pages = Math.floor(total / size);
  return pages;
}

export function firstPage() {
  return 1;
}
`;
const CHECK = `const { lastPage } = await import(process.cwd() + "/pages.mjs");
if (lastPage(41, 20) !== 3) { console.log("FAIL a page begun counts"); process.exit(1); }
if (lastPage(40, 20) !== 2) { console.log("FAIL a full page counts once"); process.exit(1); }
`;
const FILES = { "pages.mjs": PAGES, "check.mjs": CHECK, "sizes.mjs": "export const sizes = [20];\n" };

/** What each role says, by its name; each in turn, the last one for ever. */
type Play = Readonly<Partial<Record<string, readonly unknown[]>>>;

const TRACKED = { trackedVariables: [{ name: "pages", expected: "3", actual: "2" }], text: "It rounds down." };

function say(answer: unknown, tool: string | null = null): Reply {
  return { content: JSON.stringify({ tool, answer, explanation: TRACKED }) };
}

function roleOf(request: ModelRequest): string {
  return /You are the (\w+) of a team/.exec(request.messages[0]?.content ?? "")?.[1]?.toLowerCase() ?? "";
}

const MARKED = PAGES.replace("/ size);", "/ size); // buggy line");
const diff = (now: string): string =>
  `--- a/pages.mjs\n+++ b/pages.mjs\n@@ -77,1 +3,9 @@\n export function lastPage(total, size) {\n-  const pages = Math.floor(total / size);\n+  const pages = ${now};\n   return pages;\n`;
const GOOD = "Math.ceil(total / size)";
const WRONG = "Math.round(total / size)";
const WORSE = "total";
const fixer = (now: string) => ({ assessment: [], diff: diff(now) });

const LOCATION: FaultLocation = {
  file: "pages.mjs",
  range: { start: 2, end: 2 },
  fn: "lastPage",
  source: "stack",
  score: 0.9,
};

let open: RepairBench[] = [];
afterEach(async () => {
  await Promise.all(open.map((bench) => bench.close()));
  open = [];
});

async function play(
  roles: Play,
  change: Partial<Switches["fa"]> = {},
  task: Partial<RepairTask> = {},
): Promise<{ readonly result: EngineResult; readonly asked: readonly string[]; readonly bench: RepairBench }> {
  const turns = new Map<string, number>();
  const bench = await openRepairBench({
    files: FILES,
    command: "node check.mjs",
    script: (request) => {
      const role = roleOf(request);
      const turn = turns.get(role) ?? 0;
      turns.set(role, turn + 1);
      const answers = roles[role] ?? [];
      const answer = answers[Math.min(turn, answers.length - 1)];
      if (answer === undefined) return { content: "no idea" };
      return typeof answer === "string" ? say(null, answer) : say(answer);
    },
  });
  open.push(bench);
  const switches: Switches = { ...PRODUCT_SWITCHES, fa: { ...PRODUCT_SWITCHES.fa, ...change } };
  const result = await fixAgentEngine().repair(
    {
      problem: {
        id: "p1",
        title: "a page begun counts",
        category: "assertion_error",
        tool: null,
        failures: ["f1"],
        validation: "v1",
        files: ["pages.mjs"],
        origin: "observed",
        order: 0,
      },
      failures: [],
      check: bench.check,
      before: bench.before,
      otherSignatures: [],
      context: { ...NO_CONTEXT, locations: [LOCATION], switches },
      ...task,
    },
    bench.bench,
  );
  return { result, asked: bench.model.requests.map(roleOf), bench };
}

describe("FixAgent", () => {
  it("stops at the first level when its patch passes, wherever the diff says its lines are", async () => {
    const { result, asked, bench } = await play({ locator: [{ marked: MARKED, marks: null }], fixer: [fixer(GOOD)] });

    expect(result).toMatchObject({ exit: "done", steps: 2 });
    expect(result.patch).toContain(`+  const pages = ${GOOD};`);
    expect(asked).toEqual(["locator", "fixer"]);
    expect(bench.model.requests[1]?.messages[1]?.content).toContain("// buggy line");
    expect(await bench.bench.copy.snapshot()).toBe(bench.bench.copy.base);
  });

  it("climbs to the next level from the original file, and takes no patch of FixerPro's that is worse", async () => {
    const { result, asked, bench } = await play(
      {
        locator: [{ marked: MARKED, marks: null }],
        fixer: [fixer(WRONG), fixer(WRONG), fixer(GOOD)],
        summarizer: [{ functions: [] }],
        slicer: [{ first: "export function lastPage(total, size) {", last: "nowhere" }],
        fixerpro: [{ diff: diff(WORSE), analysis: "It rounds down where a page begun counts." }],
      },
      { maxLevel: 2, k: 1 },
    );

    expect(result).toMatchObject({ exit: "done" });
    expect(result.patch).toContain(`+  const pages = ${GOOD};`);
    expect([...asked.slice(0, 3), ...asked.slice(3, 5).sort(), ...asked.slice(5)]).toEqual([
      ...["locator", "fixer", "fixer"],
      ...["slicer", "summarizer", "locator", "fixer", "fixerpro"],
    ]);
    const slicer = bench.model.requests[asked.indexOf("slicer")];
    expect(slicer?.messages[1]?.content).not.toContain("buggy line");
  });

  it("goes on for k rounds, then hands over its best patch and FixerPro's analysis", async () => {
    const { result, asked } = await play(
      {
        locator: [{ marked: MARKED, marks: null }],
        fixer: [fixer(WRONG)],
        fixerpro: [{ diff: "", analysis: "Rounding to the nearest is not enough." }],
      },
      { maxLevel: 1, k: 2, refine: 2 },
    );

    expect(asked.filter((role) => role === "locator")).toHaveLength(2);
    expect(result).toMatchObject({ exit: "checks", why: "Rounding to the nearest is not enough." });
    expect(result.handOff).toMatchObject({ score: 1, analysis: "Rounding to the nearest is not enough." });
    expect(result.patch).toContain(WRONG);
  });

  it("lets a role look something up once, and remembers it", async () => {
    const { result, bench, asked } = await play({
      locator: ["coverage", { marked: MARKED, marks: null }],
      fixer: ["coverage", fixer(GOOD)],
    });

    expect(result.exit).toBe("done");
    expect(asked).toEqual(["locator", "locator", "fixer", "fixer"]);
    expect(bench.model.requests[1]?.messages[1]?.content).toMatch(
      /What you asked for: coverage[\s\S]*Lines that ran: 1-4, 6\n/,
    );
    expect(bench.model.requests[1]?.messages[0]?.content).not.toContain("`coverage`:");
  });

  it("asks again for a diff whose lines are nowhere, and says why", async () => {
    const nowhere = { assessment: [], diff: "--- a/pages.mjs\n+++ b/pages.mjs\n@@ @@\n-  not there\n+  x\n" };
    const { result, bench } = await play({
      locator: [{ marked: MARKED, marks: null }],
      fixer: [nowhere, fixer(GOOD)],
    });

    expect(result.exit).toBe("done");
    expect(bench.model.requests[2]?.messages[1]?.content).toContain("no such lines: not there");
  });

  it("reads the files that RepoFocus names, and none that are not there", async () => {
    const { result, asked, bench } = await play(
      {
        helper: [{ query: "", reference: "", sources: [] }],
        repofocus: [{ files: ["gone.mjs"] }, { files: ["sizes.mjs"] }],
        summarizer: [
          { functions: [{ cls: null, fn: "firstPage", params: [], returns: "1", desc: "The first page." }] },
        ],
        slicer: [{ first: "export function lastPage(total, size) {", last: "}" }],
        locator: [{ marked: MARKED, marks: null }],
        fixer: [fixer(GOOD)],
        fixerpro: [{ diff: "", analysis: "Fine." }],
      },
      {},
      {},
    );
    expect(result.exit).toBe("done");
    // The first level did it: nobody was asked what only the third needs.
    expect(asked).toEqual(["locator", "fixer"]);
    expect(bench.model.requests).toHaveLength(2);
  });

  it("can be told to begin at the third level", async () => {
    const third = {
      helper: [{ query: "rounding", reference: "", sources: [] }],
      repofocus: [{ files: ["gone.mjs"] }, { files: ["sizes.mjs"] }],
      summarizer: [{ functions: [{ cls: null, fn: "sizes", params: [], returns: "1", desc: "Sizes of pages." }] }],
      slicer: [{ first: "export function lastPage(total, size) {", last: "}" }],
      locator: [{ marked: MARKED, marks: null }],
      fixer: [fixer(GOOD)],
      fixerpro: [{ diff: "", analysis: "Fine." }],
    };
    const { result, asked, bench } = await play(
      third,
      {},
      {
        context: { ...NO_CONTEXT, locations: [LOCATION], levels: [3] },
      },
    );

    expect(result.exit).toBe("done");
    expect(asked.filter((role) => role === "repofocus")).toHaveLength(2);
    const located = bench.model.requests[asked.indexOf("locator")]?.messages[1]?.content;
    expect(located).toContain("Sizes of pages.");
  });

  it.each([
    ["locator", { locator: false }, ["fixer"]],
    ["fixer", { fixer: false }, ["locator"]],
  ])("works without the %s when it is switched off", async (_, off, expected) => {
    const agents = { ...PRODUCT_SWITCHES.fa.agents, ...off };
    const { asked } = await play(
      { locator: [{ marked: MARKED, marks: null }], fixer: [fixer(GOOD)] },
      { agents, maxLevel: 1, k: 1, refine: 0 },
    );

    expect(asked).toEqual(expected);
  });

  it("ends with what failed when the endpoint fails, and when no file is under suspicion", async () => {
    const bench = await openRepairBench({
      files: FILES,
      command: "node check.mjs",
      script: [{ status: 401, error: { message: "no" } }],
    });
    open.push(bench);
    const task: RepairTask = {
      problem: {
        id: "p1",
        title: "t",
        category: "assertion_error",
        tool: null,
        failures: [],
        validation: null,
        files: ["pages.mjs"],
        origin: "observed",
        order: 0,
      },
      failures: [],
      check: bench.check,
      before: bench.before,
      otherSignatures: [],
      context: NO_CONTEXT,
    };

    expect(await fixAgentEngine().repair(task, bench.bench)).toMatchObject({ exit: "upstream", patch: null });
    const nowhere = { ...task, problem: { ...task.problem, files: ["gone.mjs"] } };
    expect(await fixAgentEngine().repair(nowhere, bench.bench)).toMatchObject({ exit: "no-change", steps: 0 });
  });
});
