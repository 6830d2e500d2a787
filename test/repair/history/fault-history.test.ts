import { afterEach, describe, expect, it } from "vitest";
import { gitHistories } from "../../../src/adapters/git/history.ts";
import { Budget } from "../../../src/agent/budget.ts";
import type { FaultLocation } from "../../../src/domain/fault.ts";
import { PRODUCT_SWITCHES, type Switches } from "../../../src/domain/switches.ts";
import { NO_USAGE } from "../../../src/domain/usage.ts";
import { FaultHistory } from "../../../src/repair/history/fault-history.ts";
import { type WrittenCommit, writeHistory } from "../../fakes/written-history.ts";

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const one of cleanUp.splice(0).reverse()) await one();
});

const FEE = "export function fee(amount) {\n  const rate = 2;\n  return amount * rate;\n}\n";
const OTHER = "export function round(value) {\n  return Math.round(value);\n}\n";

const at = (line: number, told: Partial<FaultLocation> = {}): FaultLocation => ({
  file: "src/fee.js",
  range: { start: line, end: line },
  fn: null,
  source: "diagnostic",
  score: 1,
  ...told,
});

interface Asked {
  readonly commits: readonly WrittenCommit[];
  readonly locations: readonly FaultLocation[];
  /** Places in the list of commits. */
  readonly inPr?: readonly number[];
  readonly switches?: Partial<Switches>;
  /** What the model answers when it is asked for a line. */
  readonly judge?: string;
}

async function ask(told: Asked) {
  const written = writeHistory(told.commits);
  const history = await gitHistories({}).open(written.dir);
  cleanUp.push(written.remove, () => history.close());
  const questions: string[] = [];
  const judge = async () => ({
    llm: {
      model: "scripted",
      chat: async ({ messages }: { readonly messages: readonly { readonly content: string | null }[] }) => {
        questions.push(messages.at(-1)?.content ?? "");
        return {
          content: told.judge ?? "",
          toolCalls: [],
          finish: "stop" as const,
          usage: { ...NO_USAGE, calls: 1 },
          usageEstimated: false,
        };
      },
    },
    budget: new Budget({ usd: 1, tokens: 1e6, calls: 10, wallMs: 1e6 }, null, () => 0),
    transcript: { append: async () => {} },
  });
  const fault = new FaultHistory(told.locations, {
    history,
    commit: written.shas.at(-1) ?? "",
    inPr: new Set((told.inPr ?? []).map((index) => written.shas[index] ?? "")),
    switches: { ...PRODUCT_SWITCHES, ...told.switches },
    failure: "expected 3 to be 2",
    judge: told.judge === undefined ? null : judge,
    tell: () => {},
  });
  return { fault, written, questions };
}

const RAISED: readonly WrittenCommit[] = [
  { files: { "src/fee.js": FEE, "src/round.js": OTHER, "test/fee.test.js": "it('f', () => {\n});\n" } },
  {
    files: {
      "src/fee.js": FEE.replace("rate = 2", "rate = 3"),
      "src/round.js": OTHER.replace("round(value);", "floor(value);"),
      "test/fee.test.js": "it('g', () => {\n});\n",
      "logo.png": new Uint8Array([0, 1, 2]),
    },
    subject: "Raise the fee\n\nAgreed with finance.",
  },
];

describe("the history of a fault", () => {
  it("shows the diff of the commit that last touched the line, the fault's file alone", async () => {
    const { fault, written } = await ask({ commits: RAISED, locations: [at(2)] });
    const sha = written.shas[1] ?? "";

    expect(await fault.ask({})).toEqual({
      heuristic: "fl_diff",
      shape: "SL",
      availability: "blameable",
      commit: {
        sha,
        date: expect.stringMatching(/^2023-/),
        message: "Raise the fee\n\nAgreed with finance.",
        pathAtCommit: "src/fee.js",
        lines: [2],
        inPr: false,
      },
      chosenBy: "single",
      text: `Commit ${sha.slice(0, 12)} of 2023-11-14 last touched line 2 of src/fee.js.
Its message: Raise the fee

Agreed with finance.

What it changed:
--- src/fee.js
+++ src/fee.js
@@ -1,4 +1,4 @@
 export function fee(amount) {
-  const rate = 2;
+  const rate = 3;
   return amount * rate;
 }`,
    });
  });

  it("shows the function before and after, and on a retry by the table", async () => {
    const { fault } = await ask({ commits: RAISED, locations: [at(2)] });

    const { heuristic, text } = await fault.ask({ attempt: 1 });

    expect(heuristic).toBe("fn_pair");
    expect(text).toContain(`fee before that commit:
export function fee(amount) {
  const rate = 2;
  return amount * rate;
}

fee after it:
export function fee(amount) {
  const rate = 3;`);
  });

  it("names the functions of all program files that changed with it, those of the fault first, tests left out", async () => {
    const { fault } = await ask({ commits: RAISED, locations: [at(2), at(2, { file: "src/round.js" })] });

    const { text } = await fault.ask({ heuristic: "fn_all" });

    expect(text).toMatch(/Functions of the files it changed:\nsrc\/fee\.js: fee\nsrc\/round\.js: round$/);
  });

  it("shows tests when the fault lies in a test", async () => {
    const { fault } = await ask({ commits: RAISED, locations: [at(1, { file: "test/fee.test.js" })] });

    const { text } = await fault.ask({ heuristic: "fn_all" });

    expect(text).toMatch(/changed:\ntest\/fee\.test\.js: g\nsrc\/fee\.js: fee\nsrc\/round\.js: round$/);
  });

  it("follows a renamed file, and says what it was called", async () => {
    const [first] = RAISED;
    const { fault } = await ask({
      commits: [first ?? { files: {} }, { files: { "src/fee.js": null, "src/cost.js": FEE } }],
      locations: [at(2, { file: "src/cost.js" })],
    });

    const { commit, text } = await fault.ask({ heuristic: "fn_pair" });

    expect(commit?.pathAtCommit).toBe("src/fee.js");
    expect(text).toContain("of src/cost.js (then src/fee.js).");
    expect(text).toContain("fee before that commit:\n(it was not there)");
  });

  it("cuts a long diff and says so", async () => {
    const long = Array.from({ length: 400 }, (_, i) => `export const c${i} = ${i};`).join("\n");
    const { fault } = await ask({
      commits: [{ files: { "src/fee.js": "" } }, { files: { "src/fee.js": long } }],
      locations: [at(2)],
    });

    const { text } = await fault.ask({});

    expect(text.length).toBeLessThan(3_400);
    expect(text).toMatch(/\n… \d+ characters left out$/);
  });
});

const TWO_HANDS: readonly WrittenCommit[] = [
  { files: { "src/fee.js": FEE } },
  { files: { "src/fee.js": FEE.replace("rate = 2", "rate = 3") }, subject: "Raise" },
  {
    files: { "src/fee.js": FEE.replace("rate = 2", "rate = 3").replace("amount * rate", "rate * amount") },
    subject: "Swap",
  },
];

describe("the choice among several commits", () => {
  it("is the model's, which is shown every located line and names one", async () => {
    const { fault, written, questions } = await ask({
      commits: TWO_HANDS,
      locations: [at(2), at(3)],
      judge: '{"line": 2, "reason": "the product is computed there"}',
    });

    const { commit, chosenBy } = await fault.ask({});

    expect([commit?.sha, chosenBy]).toEqual([written.shas[2], "judge"]);
    expect(questions[0]).toContain("1. src/fee.js:2:   const rate = 3;\n2. src/fee.js:3:   return rate * amount;");
  });

  it("asks the model once, whatever heuristics are looked at", async () => {
    const { fault, questions } = await ask({
      commits: TWO_HANDS,
      locations: [at(2), at(3)],
      judge: '{"line": 1, "reason": "r"}',
    });

    await Promise.all([fault.ask({}), fault.ask({ heuristic: "fn_all" }), fault.ask({ attempt: 1 }), fault.ask({})]);

    expect(questions).toHaveLength(1);
  });

  it.each([
    ["the model answers nonsense", "I would rather not"],
    ["the line is not in the list", '{"line": 9, "reason": "r"}'],
    ["there is no model", undefined],
  ])("falls to the first when %s", async (_, judge) => {
    const { fault, written } = await ask({
      commits: TWO_HANDS,
      locations: [at(3), at(2)],
      ...(judge === undefined ? {} : { judge }),
    });

    const { commit, chosenBy } = await fault.ask({});

    expect([commit?.sha, chosenBy]).toEqual([written.shas[2], "first"]);
  });

  it("is the failing pull request's own commit, without asking", async () => {
    const { fault, written, questions } = await ask({
      commits: TWO_HANDS,
      locations: [at(3), at(2)],
      inPr: [1],
      judge: '{"line": 1, "reason": "r"}',
    });

    const { commit, chosenBy, text } = await fault.ask({});

    expect([commit?.sha, commit?.inPr, chosenBy, questions.length]).toEqual([written.shas[1], true, "in_pr", 0]);
    expect(text).toContain("which belongs to the failing pull request, last touched line 2");
  });

  it("takes no notice of the pull request with hygiene off, as in the paper", async () => {
    const { fault, written } = await ask({
      commits: TWO_HANDS,
      locations: [at(3), at(2)],
      inPr: [1],
      switches: { product: { ...PRODUCT_SWITCHES.product, historyHygiene: false } },
      judge: '{"line": 1, "reason": "r"}',
    });

    const { commit, chosenBy } = await fault.ask({});

    expect([commit?.sha, chosenBy]).toEqual([written.shas[2], "judge"]);
  });
});

const NO_HYGIENE = { product: { ...PRODUCT_SWITCHES.product, historyHygiene: false } };
const quoted = FEE.replace("rate = 2", 'rate = "2"');
const MASS = Object.fromEntries(Array.from({ length: 205 }, (_, i) => [`lib/f${i}.js`, `f(${i});\n`]));

describe("commits that only reformat", () => {
  const listed = writeHistory([{ files: { "src/fee.js": FEE } }, { files: { "src/fee.js": quoted } }]);
  cleanUp.push(listed.remove);
  const ignored = `# quotes\n${listed.shas[1]}\nnot a revision\n`;

  it.each([
    [
      "listed in .git-blame-ignore-revs",
      [
        { files: { "src/fee.js": FEE } },
        { files: { "src/fee.js": quoted } },
        { files: { ".git-blame-ignore-revs": ignored } },
      ],
    ],
    ["of more than 200 files", [{ files: { "src/fee.js": FEE } }, { files: { "src/fee.js": quoted, ...MASS } }]],
  ] as const)("are looked past: %s", async (_, commits) => {
    const { fault, written } = await ask({ commits, locations: [at(2)] });
    const plain = await ask({ commits, locations: [at(2)], switches: NO_HYGIENE });

    const seen = [(await fault.ask({})).commit?.sha, (await plain.fault.ask({})).commit?.sha];

    expect(seen).toEqual([written.shas[0], plain.written.shas[1]]);
  });
});

describe("what history cannot tell", () => {
  const commits: readonly WrittenCommit[] = [
    { files: { "src/fee.js": `${FEE}\n\n` } },
    { files: { "src/fee.js": `${FEE.replace("rate = 2", "rate = 3")}\n\n` } },
  ];
  const behind = at(3, { insertion: true });

  it.each([
    ["a missing line: the nearest above it", [behind], {}, "blameless_fallback", 3],
    ["a missing line with the fallback off", [behind], { blamelessFallback: false }, "none", undefined],
    ["a blank line: as missing code", [at(5)], {}, "blameless_fallback", 3],
    ["a missing line beside one that is there", [behind, at(2)], {}, "blameable", 2],
    ["a file that is not there", [at(2, { file: "src/no.js" })], {}, "none", undefined],
    ["nothing located", [], {}, "none", undefined],
  ] as const)("%s", async (_, locations, switches, availability, line) => {
    const { fault } = await ask({ commits, locations, switches });

    const seen = await fault.ask({ heuristic: "fl_diff" });

    expect([seen.availability, seen.commit?.lines[0]]).toEqual([availability, line]);
  });

  it("is nothing when history is switched off, whatever is asked for", async () => {
    const { fault } = await ask({ commits, locations: [at(2)], switches: { history: "none" } });

    const seen = await Promise.all([fault.ask({}), fault.ask({ attempt: 1 }), fault.ask({ heuristic: "fn_all" })]);

    expect(seen.map(({ heuristic, text }) => [heuristic, text])).toEqual([
      ["none", ""],
      ["none", ""],
      ["none", ""],
    ]);
  });

  it("is none when the repository is gone", async () => {
    const { fault, written } = await ask({ commits, locations: [at(2)] });
    written.remove();

    expect((await fault.ask({})).text).toBe("");
  });
});
