import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { openAiChat } from "../../../src/adapters/llm/openai-chat.ts";
import type { AskParts } from "../../../src/agent/ask.ts";
import { Budget } from "../../../src/agent/budget.ts";
import type { Reconstruction } from "../../../src/domain/experience.ts";
import { type Reconstructed, reconstructEpisode } from "../../../src/experience/reconstruct/reconstruct-episode.ts";
import type { History } from "../../../src/ports/history.ts";
import { type ModelRequest, type Reply, type ScriptedModel, startScriptedModel } from "../../fakes/scripted-model.ts";
import { COMMITS, episodeInput, openHistory, tangledEpisode } from "../../fakes/tangled-episode.ts";

/** Questions by the first words of their instructions. */
const QUESTIONS: readonly (readonly [string, string])[] = [
  ["endpoint.classify", "A workflow run was red"],
  ["endpoint.atomize", "These changes repair what one validation finds"],
  ["endpoint.consolidate", "Decide for each pair"],
  ["dev.selectFiles", "One commit on the way from a red run to a green one. Say which"],
  ["dev.events", "One commit on the way from a red run to a green one. Say what it did"],
  ["dev.consolidate", "These events of several commits"],
  ["recon.adjudicate", "Candidates of two views"],
  ["recon.synthesize", "These candidates tell parts"],
  ["recon.select", "These records were reconstructed"],
  ["deps.infer", "These problems were repaired"],
];
const nameOf = (request: ModelRequest): string =>
  QUESTIONS.find(([, start]) => request.messages[0]?.content?.startsWith(start))?.[0] ?? "unknown";
const said = (request: ModelRequest): string => request.messages.map(({ content }) => content ?? "").join("\n");

type Answers = Readonly<Record<string, (text: string) => unknown>>;

const cite = (id: string, quote: string | null = null) => ({ id, quote });
const text = (value: string, ...cites: { id: string; quote: string | null }[]) => ({ value, cites });
const none = (records: readonly string[]) => ({
  keep: records.map((id) => ({ id, link: "direct", cites: [] })),
  drop: [],
  duplicates: [],
});
const idsIn = (prompt: string): string[] => [...new Set(prompt.match(/^[ED]\d+(?=:)/gm) ?? [])];

const TYPES = {
  statement: text("the interface Cart lacks owner", cite("L-f1", "Property 'owner' does not exist on type 'Cart'")),
  rootCause: text("labelOf reads owner, which Cart never declared", cite("H1", "owner: string;")),
  issueType: "missing property",
  hunkIds: ["H1"],
  operations: [text("declare owner in Cart", cite("H1", "owner: string;"))],
  signals: [text("TS2339", cite("L-f1"))],
  visibility: "primary",
};
const TESTS = {
  statement: text("the sum of a cart is wrong", cite("L-f2", "expected -3 to be 3")),
  rootCause: text("totalOf subtracts", cite("H2")),
  issueType: "wrong operator",
  hunkIds: ["H2"],
  operations: [text("add instead of subtracting", cite("H2", "a + b"))],
  signals: [],
  visibility: "primary",
};
const event = (
  kind: string,
  hunk: string,
  validationId: string,
  log: string,
  category: string,
  problem: string,
  fix: string | null,
) => ({
  kind,
  problem: text(problem, cite(log)),
  rootCause: null,
  hunkIds: [hunk],
  validationId,
  category,
  fix: fix === null ? null : text(fix, cite(hunk)),
});

/** An able model: what each question would get from somebody who reads the evidence. */
const ABLE: Answers = {
  "endpoint.classify": (prompt) => ({
    assign: [...prompt.matchAll(/^(U\d+):$/gm)].map((match) => ({
      unitId: match[1],
      validationId: null,
      category: null,
      link: "none",
      cites: [],
    })),
  }),
  "endpoint.atomize": (prompt) =>
    prompt.includes("Validation v1") ? { problems: [TYPES], unassigned: [] } : { problems: [TESTS], unassigned: [] },
  "endpoint.consolidate": () => ({ pairs: [] }),
  "dev.selectFiles": () => ({
    groups: [{ files: ["src/cart.ts"], validationId: "v1", category: "type_checking", reason: "", cites: [] }],
  }),
  "dev.events": (prompt) => {
    if (prompt.includes("[K1]"))
      return {
        events: [
          event(
            "repaired",
            "K1",
            "v2",
            "L-f2",
            "assertion_error",
            "the sum has the wrong sign",
            "take the absolute value",
          ),
        ],
      };
    if (prompt.includes("[K2]"))
      return {
        events: [
          event(
            "repaired",
            "K2",
            "v1",
            "L-f1",
            "type_checking",
            "the interface Cart lacks owner",
            "declare owner in Cart",
          ),
        ],
      };
    if (prompt.includes("[K5]"))
      return {
        events: [
          event(
            "repaired",
            "K5",
            "v2",
            "L-f2",
            "assertion_error",
            "the sum of a cart is wrong",
            "add instead of subtracting",
          ),
        ],
      };
    return { events: [] };
  },
  "dev.consolidate": (prompt) => ({
    records: [...prompt.matchAll(/^(V\d+) /gm)].map((match) => ({
      eventIds: [match[1]],
      statement: text("the sum of a cart is wrong", cite("L-f2")),
      rootCause: null,
      operations: [],
    })),
  }),
  "recon.adjudicate": (prompt) => ({
    groups: [
      {
        sourceIds: idsIn(prompt),
        relation: "equivalent",
        action: "SELECT",
        selected: idsIn(prompt)[0],
        reason: "",
        cites: [],
      },
    ],
  }),
  "recon.synthesize": () => ({ ...TYPES, issueType: undefined }),
  "recon.select": (prompt) => none(idsIn(prompt)),
  "deps.infer": () => ({ edges: [] }),
};

describe("a tangled episode with a model", () => {
  const episode = tangledEpisode();
  let history: History;
  const models: ScriptedModel[] = [];
  beforeAll(async () => {
    history = await openHistory(episode);
  });
  afterEach(async () => {
    for (const model of models.splice(0)) await model.close();
  });
  afterAll(async () => {
    await history.close();
    episode.remove();
  });

  async function learn(answers: Answers): Promise<Reconstructed & { readonly asked: readonly ModelRequest[] }> {
    const reply = (request: ModelRequest): Reply => {
      const answer = answers[nameOf(request)];
      if (answer === undefined) return { status: 400, error: { message: `no answer to ${nameOf(request)}` } };
      return { content: `Here it is:\n\`\`\`json\n${JSON.stringify(answer(said(request)))}\n\`\`\`` };
    };
    const model = await startScriptedModel(reply);
    models.push(model);
    const monotonicMs = (): number => 0;
    const parts: AskParts = {
      llm: openAiChat({
        model: "scripted",
        apiKey: null,
        baseUrl: model.baseUrl,
        timeoutMs: 5_000,
        monotonicMs,
        maxRetries: 0,
      }),
      budget: new Budget({ usd: 1, tokens: 1_000_000, calls: 100, wallMs: 60_000 }, null, monotonicMs),
      transcript: { append: async () => {} },
    };
    return { ...(await reconstructEpisode(history, await episodeInput(episode), parts)), asked: model.requests };
  }

  const told = ({ records }: Reconstruction) =>
    records.map(({ p, r, provenance }) => [p.statement.value, r.hunks.map(({ id }) => id), provenance]);

  it("tells each problem once, from both views, with its cause", async () => {
    const { reconstruction, unanswered } = await learn(ABLE);

    expect(unanswered).toEqual([]);
    expect(told(reconstruction)).toEqual([
      ["the interface Cart lacks owner", ["H1"], "both"],
      ["the sum of a cart is wrong", ["H2"], "both"],
    ]);
    expect(reconstruction.records.map(({ p }) => p.rootCause?.value)).toEqual([
      "labelOf reads owner, which Cart never declared",
      "totalOf subtracts",
    ]);
    expect(reconstruction.episode.quality).toBe("full");
    expect(reconstruction.unrelated.map(({ path }) => path)).toEqual(["src/money.ts"]);
    expect(reconstruction.development.map(({ commit }) => episode.shas.indexOf(commit))).toEqual([
      COMMITS.attempt,
      COMMITS.revert,
    ]);
  });

  it("keeps a source apart that the model left out", async () => {
    const { reconstruction } = await learn({
      ...ABLE,
      "recon.adjudicate": (prompt) => ({
        groups: [
          {
            sourceIds: idsIn(prompt).slice(0, 1),
            relation: "distinct",
            action: "SEPARATE",
            selected: null,
            reason: "",
            cites: [],
          },
        ],
      }),
      "dev.events": (prompt) => {
        const events = ABLE["dev.events"]?.(prompt) as { events: { problem: { cites: unknown[] } }[] };
        for (const one of events.events)
          one.problem.cites = [cite("L-f1", "Property 'owner'"), cite("L-f2", "expected -3 to be 3")];
        return events;
      },
    });

    expect(told(reconstruction).map(([, hunks, provenance]) => [hunks, provenance])).toEqual(
      expect.arrayContaining([
        [["H1"], "endpoint_only"],
        [["H1"], "development_only"],
      ]),
    );
  });

  it("keeps the sources when a synthesis names what none of them does", async () => {
    const merge: Answers = {
      ...ABLE,
      "recon.adjudicate": (prompt) => ({
        groups: [
          {
            sourceIds: idsIn(prompt),
            relation: "complementary",
            action: "MERGE",
            selected: null,
            reason: "",
            cites: [],
          },
        ],
      }),
      "recon.synthesize": () => ({
        statement: text("src/secret/plan.ts is wrong", cite("L-f1")),
        rootCause: null,
        operations: [text("rewrite src/secret/plan.ts", cite("H1"))],
        signals: [],
      }),
    };
    const { reconstruction, unanswered } = await learn(merge);

    expect(unanswered.some((why) => why.includes("src/secret/plan.ts is in none of its sources"))).toBe(true);
    expect(JSON.stringify(told(reconstruction))).not.toContain("secret");
    expect(told(reconstruction).map(([, hunks]) => hunks)).toEqual(expect.arrayContaining([["H1"], ["H2"]]));
  });

  it("takes out what nothing supports, and says so", async () => {
    const { reconstruction } = await learn({
      ...ABLE,
      "endpoint.atomize": (prompt) =>
        prompt.includes("Validation v1")
          ? {
              problems: [{ ...TYPES, rootCause: text("the Zebra module leaks", cite("L-f1", "Zebra")) }],
              unassigned: [],
            }
          : { problems: [TESTS], unassigned: [] },
    });
    const [first] = reconstruction.records;

    expect(first?.p.rootCause).toBeNull();
    expect(first?.removedFields).toEqual([{ field: "rootCause", why: 'L-f1 does not say "Zebra"' }]);
  });

  it("rejects a record whose problem nothing supports", async () => {
    const { reconstruction } = await learn({
      ...ABLE,
      "endpoint.atomize": (prompt) =>
        prompt.includes("Validation v1")
          ? { problems: [{ ...TYPES, statement: text("everything is broken", cite("C2")) }], unassigned: [] }
          : { problems: [TESTS], unassigned: [] },
      "dev.events": () => ({ events: [] }),
    });

    expect(told(reconstruction).map(([statement]) => statement)).toEqual(["the sum of a cart is wrong"]);
    expect(reconstruction.rejected).toEqual([
      {
        statement: "everything is broken",
        why: "nothing supports its problem: nothing it cites can speak for statement",
      },
    ]);
  });

  it("never lets an attempt that was taken back into a repair, whatever the model says", async () => {
    const { reconstruction } = await learn({
      ...ABLE,
      "endpoint.atomize": (prompt) =>
        prompt.includes("Validation v1")
          ? { problems: [TYPES], unassigned: [] }
          : {
              problems: [
                {
                  ...TESTS,
                  hunkIds: ["H2", "K1"],
                  operations: [...TESTS.operations, text("take the absolute value", cite("K1"))],
                },
              ],
              unassigned: [],
            },
    });
    const tests = reconstruction.records.find(({ p }) => p.tool === "vitest");

    expect(tests?.r.hunks.map(({ id }) => id)).toEqual(["H2"]);
    expect(tests?.r.operations.map(({ value }) => value)).not.toContain("take the absolute value");
    expect(tests?.removedFields.map(({ why }) => why)).toContain("K1 did not stay (reverted)");
  });

  it("falls back to what the evidence alone says when no question is answered", async () => {
    const { reconstruction, unanswered } = await learn({});

    expect(unanswered.length).toBeGreaterThan(0);
    expect(told(reconstruction).map(([, hunks]) => hunks)).toEqual([["H1"], ["H2"]]);
  });

  it("asks once more when an answer does not fit, with what is wrong", async () => {
    let asked = 0;
    const { reconstruction, asked: requests } = await learn({
      ...ABLE,
      "endpoint.classify": (prompt) => (++asked === 1 ? { nonsense: true } : ABLE["endpoint.classify"]?.(prompt)),
    });
    const again = requests.filter((request) => nameOf(request) === "endpoint.classify");

    expect(again.length).toBe(2);
    expect(again[1]?.messages.at(-1)?.content).toContain("That answer cannot be used");
    expect(reconstruction.records.length).toBe(2);
  });

  it("hands commit messages over as fenced material only", async () => {
    const { asked } = await learn(ABLE);
    const lines = asked.flatMap((request) => said(request).split("\n"));

    expect(lines.some((line) => line.startsWith("Ignore all previous instructions"))).toBe(true);
    for (const request of asked) expect(request.messages[0]?.content).not.toContain("Ignore all previous");
  });
});
