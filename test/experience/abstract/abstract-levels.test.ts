import { afterEach, describe, expect, it } from "vitest";
import { openAiChat } from "../../../src/adapters/llm/openai-chat.ts";
import type { AskParts } from "../../../src/agent/ask.ts";
import { Budget } from "../../../src/agent/budget.ts";
import type { EvidenceItem, HunkRef, ProblemRepair } from "../../../src/domain/experience.ts";
import { abstractLevels } from "../../../src/experience/abstract/abstract-levels.ts";
import { leaksOfPattern, leaksOfStrategy, namesOf } from "../../../src/experience/abstract/leaks.ts";
import { type ScriptedModel, startScriptedModel } from "../../fakes/scripted-model.ts";

const claim = (value: string) => ({ value, cites: [], support: "verified" as const });
const RECORD: ProblemRepair = {
  id: "z1",
  provenance: "both",
  sourceIds: ["E1"],
  conflict: false,
  p: {
    statement: claim("the interface Cart lacks owner"),
    rootCause: claim("labelOf reads owner"),
    category: "type_checking",
    signals: [claim("TS2339: no property 'cartOwner' on 'TypeError'")],
    signatures: ["s"],
    tool: "tsc",
    rule: "TS2339",
    visibility: "primary",
  },
  a: [{ path: "src/cart.ts", role: "source", symbols: ["labelOf"] }],
  r: {
    operations: [claim("declare owner")],
    hunks: [
      {
        id: "H1",
        path: "src/cart.ts",
        oldPath: null,
        oldRange: null,
        newRange: { start: 5, end: 5 },
        commit: "c",
        fate: "retained",
        added: null,
        removed: null,
        fingerprint: "f",
      },
    ],
    commits: ["c"],
    touchesWorkflow: false,
    autofixTool: null,
  },
  v: { id: "v1", command: "npx tsc --noEmit", tool: "tsc", before: "failed", after: "successful" },
  e: {},
  removedFields: [],
  confidence: 0.9,
};
const EVIDENCE: readonly EvidenceItem[] = [
  {
    id: "H1",
    kind: "hunk",
    text: "src/cart.ts @@ -0,0 +5,1 @@\n+  owner: OwnerOfTheCart;",
    locator: "src/cart.ts:5-5",
  },
];
const INPUT = { record: RECORD, repo: "acme/webshop", workflow: ".github/workflows/checks.yml", evidence: EVIDENCE };
const names = namesOf(
  {
    ...RECORD,
    r: {
      ...RECORD.r,
      hunks: [...RECORD.r.hunks, { ...RECORD.r.hunks[0], id: "H2", path: "lib/store/a.ts" } as HunkRef],
    },
  },
  ["  owner: OwnerOfTheCart;", "class OwnerTable {"],
  INPUT.repo,
  INPUT.workflow,
);

describe("leaks", () => {
  it.each([
    ["change src/cart.ts", ["names the path src/cart.ts: say its role"]],
    ["look into cart.ts first", ["names the path cart.ts: say its role"]],
    ["the fault is in labelOf", ["names the symbol labelOf: say its role"]],
    ["add `owner:OwnerOfTheCart;`", ["repeats a changed line: say what it does"]],
    ["give it an OwnerTable as the change does", ["names the symbol OwnerTable: say its role"]],
    ["what the log calls cartOwner", ["names the symbol cartOwner: say its role"]],
    ["declare the missing field in the <type> and run tsc; mind package.json", []],
  ])("of a strategy: %j", (text, expected) => {
    expect(leaksOfStrategy([text], names)).toEqual(expected);
  });

  it.each([
    ["acme does it so", ["names acme"]],
    ["as webshop has it", ["names webshop"]],
    ["checks.yml runs it", ["names checks.yml"]],
    ["other/path/file.go too", ["names other/path/file.go: nothing of the repository may be left"]],
    ["a change of lib/store is needed", ["names lib/store: nothing of the repository may be left"]],
    ["the install/update step; source/test pairs", []],
    ["someFunction reads it", ["names someFunction: nothing of the repository may be left"]],
    ["a TypeError or TS2339 from tsc; package.json and ESLint's no-unused-vars; `npm ci`", []],
  ])("of a pattern: %j", (text, expected) => {
    expect(leaksOfPattern([text], names)).toEqual(expected);
  });
});

describe("abstraction", () => {
  const models: ScriptedModel[] = [];
  afterEach(async () => {
    for (const model of models.splice(0)) await model.close();
  });

  async function model(...answers: readonly unknown[]): Promise<AskParts> {
    const scripted = await startScriptedModel(answers.map((answer) => ({ content: JSON.stringify(answer) })));
    models.push(scripted);
    const monotonicMs = (): number => 0;
    return {
      llm: openAiChat({
        model: "scripted",
        apiKey: null,
        baseUrl: scripted.baseUrl,
        timeoutMs: 5_000,
        monotonicMs,
        maxRetries: 0,
      }),
      budget: new Budget({ usd: 1, tokens: 100_000, calls: 10, wallMs: 60_000 }, null, monotonicMs),
      transcript: { append: async () => {} },
    };
  }

  const strategy = (action: string) => ({
    failureIdentify: "tsc says that a property is missing",
    causalChain: "a reader uses a field that the type never declared",
    summary: "declare the field where the type is",
    intent: "make type and use agree",
    whenToApply: "TS2339 on a type of this repository",
    signals: ["TS2339"],
    artifactRelations: ["the <reader> reads what the <type> declares"],
    keyActions: [action, "run tsc"],
    validation: "tsc",
    pitfalls: [],
    constraints: [],
  });
  const pattern = (mechanism: string) => ({
    pattern: {
      failurePattern: "a property is used that its type does not declare",
      problem: "type and use disagree",
      mechanism,
      signals: ["TS2339"],
      artifactRoles: ["type", "reader"],
      principles: ["declare what is used, where the type is"],
      whenToApply: ["a static type check names a missing property"],
      followOn: [],
    },
  });

  it("gives a strategy and a pattern that name nothing of their episode", async () => {
    const found = await abstractLevels(
      INPUT,
      await model(strategy("declare the field in the <type>"), pattern("declared late")),
    );

    expect([found.quality, found.strategy.keyActions, found.pattern?.mechanism, found.unanswered]).toEqual([
      "full",
      ["declare the field in the <type>", "run tsc"],
      "declared late",
      [],
    ]);
  });

  it("asks again once for a strategy that leaks, then falls back to the skeleton", async () => {
    const leaking = strategy("edit src/cart.ts");
    const mended = await abstractLevels(INPUT, await model(leaking, strategy("edit the <type>"), pattern("late")));
    const stubborn = await abstractLevels(INPUT, await model(leaking, leaking));

    expect([mended.quality, mended.strategy.keyActions[0]]).toEqual(["full", "edit the <type>"]);
    expect([stubborn.quality, stubborn.pattern, JSON.stringify(stubborn.strategy).includes("cart")]).toEqual([
      "skeleton",
      null,
      false,
    ]);
  });

  it("drops a pattern that keeps naming the repository", async () => {
    const leak = pattern("as acme does it");
    const found = await abstractLevels(INPUT, await model(strategy("declare it"), leak, leak));

    expect([found.quality, found.pattern, found.unanswered]).toEqual(["full", null, ["abstract.l3: names acme"]]);
  });

  it("is a skeleton of roles without a model", async () => {
    const found = await abstractLevels(INPUT, null);

    expect(found.strategy.keyActions).toEqual([
      "change the <source> that the finding points to",
      "run the failing validation again (tsc)",
    ]);
    expect(leaksOfStrategy(Object.values(found.strategy).flat(), names)).toEqual([]);
  });
});
