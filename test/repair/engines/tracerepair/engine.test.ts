import { afterEach, describe, expect, it } from "vitest";
import type { Switches } from "../../../../src/domain/switches.ts";
import { PRODUCT_SWITCHES } from "../../../../src/domain/switches.ts";
import { NO_CONTEXT } from "../../../../src/repair/context.ts";
import type { EngineResult, RepairTask } from "../../../../src/repair/engine.ts";
import { traceRepairEngine } from "../../../../src/repair/engines/tracerepair/engine.ts";
import { type EngineBench, openEngineBench } from "../../../fakes/engine-bench.ts";
import type { ModelRequest, Reply } from "../../../fakes/scripted-model.ts";

const FILES = {
  "sum.mjs":
    "export function sum(list) {\n  let total = 0;\n  for (let i = 1; i < list.length; i++) {\n    total += list[i];\n  }\n  return total;\n}\n",
  "sum.test.mjs":
    'import assert from "node:assert";\nimport test from "node:test";\nimport { sum } from "./sum.mjs";\ntest("adds two", () => assert.strictEqual(sum([1, 2]), 3));\n',
};
const CHECK = { command: "node --test --test-reporter=tap sum.test.mjs", tool: "node test" };
const body = (loop: string): string =>
  `export function sum(list) {\n  let total = 0;\n  ${loop} {\n    total += list[i];\n  }\n  return total;\n}`;
const RIGHT = body("for (let i = 0; i < list.length; i++)");
const WRONG = body("for (let i = 2; i < list.length; i++)");
const BROKEN = body("for (let i = 0; i <");

type Kind = "probe" | "propose" | "critique" | "update" | "judge" | "locate";

function kindOf(request: ModelRequest): Kind {
  const said = request.messages.map(({ content }) => content ?? "").join("\n");
  const words: readonly (readonly [string, Kind])[] = [
    ["Choose what to record", "probe"],
    ["None of the repairs below", "judge"],
    ["A repair of another strategy failed", "critique"],
    ["Your repair failed", "update"],
    ["Name the functions", "locate"],
  ];
  return words.find(([text]) => said.includes(text))?.[1] ?? "propose";
}

function promptOf(request: ModelRequest): string {
  return request.messages.map(({ content }) => content ?? "").join("\n");
}

const json = (value: unknown): Reply => ({ content: JSON.stringify(value) });
const PLAN = {
  probes: [
    { method: "M1", kind: "condition", line: 3, expression: null, when: "before", why: "which are visited" },
    { method: "M1", kind: "value", line: 6, expression: "total", when: "before", why: "what is returned" },
  ],
};
const proposal = (text: string, rationale = "the trace says so", traceLine = "L6 total = 2"): Reply =>
  json({
    methods: [{ id: "M1", text }],
    repairLogic: "begin at the first",
    rationale,
    wrongValues: [{ traceLine, expected: "3" }],
  });
const CRITIQUE = json({
  failureReason: { value: "the loop skips more", cites: [{ id: "E1", quote: null }] },
  suggestions: ["begin at 0"],
});

type Answers = Partial<Record<Kind, (request: ModelRequest, nth: number) => Reply>>;

const ANSWERS: Required<Answers> = {
  probe: () => json(PLAN),
  propose: () => proposal(WRONG),
  critique: () => CRITIQUE,
  update: () => proposal(WRONG),
  judge: () => proposal(WRONG),
  locate: () => json({ functions: [{ file: "sum.mjs", name: "sum" }] }),
};

let opened: EngineBench | null = null;
afterEach(async () => {
  await opened?.close();
  opened = null;
});

interface Played {
  readonly result: EngineResult;
  readonly asked: readonly Kind[];
  readonly prompts: readonly string[];
  readonly trials: number;
  readonly temperatures: readonly unknown[];
}

async function play(
  answers: Answers,
  tr: Partial<Switches["tr"]> = {},
  told: Partial<RepairTask> = {},
): Promise<Played> {
  const counts = new Map<Kind, number>();
  opened = await openEngineBench({
    files: FILES,
    check: CHECK,
    // Fewer processes: that traces are had in the sandbox is what `traces.test.ts` shows.
    place: "modules",
    script: (request) => {
      const kind = kindOf(request);
      const nth = counts.get(kind) ?? 0;
      counts.set(kind, nth + 1);
      return (answers[kind] ?? ANSWERS[kind])(request, nth);
    },
  });
  const { bench, check, before, model, transcript } = opened;
  const start = await bench.copy.snapshot();
  const switches = { ...PRODUCT_SWITCHES, tr: { ...PRODUCT_SWITCHES.tr, ...tr } };
  const location = {
    file: "sum.mjs",
    range: { start: 4, end: 4 },
    fn: "sum",
    source: "test_body",
    score: 0.6,
  } as const;
  const task: RepairTask = {
    problem: {
      id: "p1",
      title: "adds two",
      category: "assertion_error",
      tool: "node test",
      failures: [],
      validation: "v1",
      files: [],
      origin: "observed",
      order: 1,
    },
    failures: before.failures ?? [],
    check,
    before,
    otherSignatures: [],
    context: { ...NO_CONTEXT, locations: [location], switches },
    ...told,
  };
  const result = await traceRepairEngine().repair(task, bench);
  expect(await bench.copy.snapshot()).toBe(start);
  return {
    result,
    asked: model.requests.map(kindOf),
    prompts: model.requests.map(promptOf),
    trials: transcript.filter(({ kind }) => kind === "trial").length,
    temperatures: model.requests.map((request) => (request as { temperature?: unknown }).temperature),
  };
}

describe("TraceRepair", () => {
  it("accepts the first repair that passes, and shows which value was wrong where", async () => {
    const { result, asked, prompts, temperatures } = await play({ propose: () => proposal(RIGHT) });

    expect(result).toMatchObject({ exit: "done", why: "begin at the first", steps: 2 });
    expect(result.patch).toContain("+  for (let i = 0; i < list.length; i++) {");
    expect(result.patch).not.toContain("__rtProbe");
    expect(result.trace).toContain("L6 total = 2   (should be 3)");
    expect([asked, temperatures]).toEqual([
      ["probe", "propose"],
      [0, 1],
    ]);
    expect(prompts[1]).toContain("L3 i = 1\nL3 list.length = 2\nL3 loop\nL6 total = 2");
  });

  it("claims no wrong value that the trace does not show", async () => {
    const { result } = await play({ propose: () => proposal(RIGHT, "because", "L6 total = 77") });

    expect([result.trace?.includes("wrong values"), result.trace?.includes("77")]).toEqual([false, false]);
  });

  it("debates until somebody is right, each critic and defender with what the others found", async () => {
    const { result, asked, prompts } = await play(
      { update: (_, nth) => proposal(nth === 1 ? RIGHT : WRONG) },
      { n: 1 },
    );

    expect(asked).toEqual(["probe", ...Array(3).fill("propose"), ...Array(6).fill("critique"), "update", "update"]);
    expect(prompts.at(-1)).toContain("why it failed: the loop skips more\ndo: begin at 0");
    expect(result.exit).toBe("done");
  });

  it("spends at most 40 calls when nothing is ever right, and hands on what it found out", async () => {
    const { result, asked, prompts, trials } = await play({}, { shareTrace: true });

    expect([asked.length, trials]).toEqual([38, 19]);
    expect(asked.at(-1)).toBe("judge");
    // The judge sees what was tried, not the code of it.
    expect([prompts.at(-1)?.includes("begin at the first"), prompts.at(-1)?.includes("let i = 2")]).toEqual([
      true,
      false,
    ]);
    expect(result).toMatchObject({
      exit: "checks",
      handOff: { engine: "tracerepair", score: 1, trace: expect.stringContaining("L6 total = 2") },
    });
    expect(result.handOff?.tried).toHaveLength(19);
  });

  it("plans anew when the probes do not fit, and after three times repairs without a trace", async () => {
    const bad = { probes: [{ method: "M1", kind: "value", line: 4, expression: "evil()", when: "before", why: "" }] };
    const { result, asked, prompts } = await play({ probe: () => json(bad), propose: () => proposal(RIGHT) });

    expect(asked).toEqual(["probe", "probe", "probe", "propose"]);
    expect(prompts[1]).toContain("is no plain name, member or literal");
    expect(prompts[3]).toContain("There is no trace");
    expect([result.exit, result.trace]).toEqual(["done", undefined]);
  });

  it.each<[string, Partial<Switches["tr"]>, readonly Kind[]]>([
    ["the trace", { trace: false, n: 1, debate: false, judge: false }, ["propose", "propose", "propose"]],
    ["the debate", { n: 1, debate: false }, ["probe", "propose", "propose", "propose", "judge"]],
    ["two strategies", { n: 1, strategies: ["causal"], debate: false, judge: false }, ["probe", "propose"]],
    [
      "the judge, with one round",
      { n: 1, rMax: 1, strategies: ["causal", "semantic"], judge: false },
      ["probe", "propose", "propose", "critique", "critique", "update", "update"],
    ],
  ])("does without %s when it is switched off", async (_, tr, expected) => {
    const { asked, result } = await play({}, tr);

    expect([asked, result.exit]).toEqual([expected, "checks"]);
  });

  it("keeps no repair that does not build", async () => {
    const { result } = await play({ propose: () => proposal(BROKEN) }, { n: 1, debate: false, judge: false });

    expect([result.exit, result.patch, result.handOff?.score]).toEqual(["no-change", null, 0]);
  });

  it.each<[string, () => Reply, EngineResult["exit"]]>([
    ["fails", () => ({ status: 500, error: { message: "down" } }), "upstream"],
    ["talks nonsense", () => ({ content: "I would rather not." }), "format"],
  ])("ends truthfully when the model %s", async (_, reply, exit) => {
    const { result } = await play({ probe: reply, propose: reply, update: reply, judge: reply });

    expect([result.exit, result.patch]).toEqual([exit, null]);
  });

  it("asks for the function where none is known, and refuses one that is not there", async () => {
    const context = { ...NO_CONTEXT, switches: PRODUCT_SWITCHES };
    const found = await play({ propose: () => proposal(RIGHT) }, {}, { context, failures: [] });
    await opened?.close();
    const locate = () => json({ functions: [{ file: "sum.mjs", name: "nowhere" }] });
    const lost = await play({ locate }, {}, { context, failures: [] });

    expect([found.asked[0], found.result.exit]).toEqual(["locate", "done"]);
    expect([lost.asked, lost.result.exit]).toEqual([["locate"], "no-change"]);
  });

  it("reasons from the code alone where the check cannot be run, and says that nothing was verified", async () => {
    const check = {
      cwd: "",
      shell: null,
      env: {},
      installs: false,
      validation: "v1",
      ...CHECK,
      notRun: "it needs a database",
    };
    const { result, asked } = await play({}, { n: 3, rMax: 3 }, { check, before: null });

    expect(asked.filter((kind) => kind === "propose")).toHaveLength(6);
    expect(asked.filter((kind) => kind === "update")).toHaveLength(3);
    expect(result).toMatchObject({ exit: "done", why: expect.stringContaining("not verified") });
  });
});
