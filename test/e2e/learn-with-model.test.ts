import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelRequest, type ScriptedModel, startScriptedModel } from "../fakes/scripted-model.ts";
import { COMMITS, tangledEpisode } from "../fakes/tangled-episode.ts";
import { makePlace } from "./clones.ts";
import { ensureBuilt, retrace } from "./command-line.ts";

const strategy = (action: string) => ({
  failureIdentify: "the type checker says that a property is missing",
  causalChain: "a reader uses a field that its type never declared",
  summary: "declare the field where the type stands",
  intent: "make type and use agree",
  whenToApply: "a property is missing on a type of this repository",
  signals: ["TS2339"],
  artifactRelations: ["the <reader> reads what the <type> declares"],
  keyActions: [action, "run tsc"],
  validation: "tsc",
  pitfalls: [],
  constraints: [],
});
const PATTERN = {
  pattern: {
    failurePattern: "a property is used that its type does not declare",
    problem: "type and use disagree",
    mechanism: "code reads a field before the type was given it",
    signals: ["TS2339"],
    artifactRoles: ["type", "reader"],
    principles: ["declare what is used, where the type stands"],
    whenToApply: ["a static check names a missing property"],
    followOn: [],
  },
};
const LEAK = "edit src/cart.ts";

/** Helps with nothing but what lies above the records: strategies leak at first, patterns do not. */
function reply({ messages }: ModelRequest) {
  const [system, question] = messages.map(({ content }) => content ?? "");
  if (system?.includes("Write the pattern")) return { content: JSON.stringify(PATTERN) };
  if (!system?.includes("Write the strategy")) return { content: "no idea" };
  const isStubborn = question?.includes("vitest") ?? false;
  const action = messages.length === 2 || isStubborn ? LEAK : "declare the field in the <type>";
  return { content: JSON.stringify(strategy(action)) };
}

describe("retrace learn with a model", () => {
  const episode = tangledEpisode();
  const place = makePlace();
  let model: ScriptedModel;
  beforeAll(async () => {
    await ensureBuilt();
    model = await startScriptedModel((request) => reply(request));
  }, 120_000);
  afterAll(async () => {
    await model.close();
    episode.remove();
    place.remove();
  });

  it("keeps strategies and patterns that name nothing of their episode, asking a leaking one again once", async () => {
    const env = { RETRACE_DATA_DIR: place.dataDir, OPENAI_BASE_URL: model.baseUrl, RETRACE_MODEL: "scripted" };
    const [red = "", green = ""] = [episode.shas[COMMITS.red], episode.shas[COMMITS.green]];
    const args = ["--repo", episode.dir, "--fail", red, "--pass", green, "--log", episode.log, "--as", "acme/shop"];

    const learned = await retrace(["learn", ...args], { env });
    const { records } = JSON.parse((await retrace(["experience", "list", "--json"], { env })).stdout) as {
      readonly records: readonly {
        readonly level: string;
        readonly meta: { readonly quality: string };
        readonly body: { readonly keyActions?: readonly string[]; readonly mechanism?: string };
      }[];
    };

    expect(learned.code).toBe(0);
    expect(learned.stderr).toContain("z2: the model was of no help: abstract.l2: names the path src/cart.ts");
    const above = records
      .filter(({ level }) => level !== "L1")
      .toSorted((a, b) => (a.level + a.meta.quality < b.level + b.meta.quality ? -1 : 1));
    expect(above.map(({ level, meta, body }) => [level, meta.quality, body.keyActions?.[0] ?? body.mechanism])).toEqual(
      [
        ["L2", "full", "declare the field in the <type>"],
        ["L2", "skeleton", "change the <source> that the finding points to"],
        ["L3", "full", "code reads a field before the type was given it"],
      ],
    );
    const asked = model.requests.filter(({ messages }) => messages[0]?.content?.includes("Write the strategy"));
    expect(asked.map(({ messages }) => messages.length)).toEqual([2, 4, 2, 4]);
    expect(asked[0]?.messages[1]?.content).toContain(`${path.posix.join("src", "cart.ts")} @@`);
    expect(JSON.stringify(above)).not.toContain("cart");
  }, 60_000);
});
