import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileExperienceStore } from "../../../src/adapters/store/experience-store.ts";
import type { ExperienceMeta, ExperienceRecord } from "../../../src/domain/experience.ts";
import { type Embedder, EmbedderFailed } from "../../../src/ports/embedder.ts";
import type { ExperienceStore, NearestScope } from "../../../src/ports/experience-store.ts";
import { anL1, anL2, anL3, aProblemRepair } from "../../fakes/experience.ts";

const NOW = new Date("2026-03-02T12:00:00.000Z");
const SCOPE: NearestScope = {
  tenants: ["local"],
  patternTenants: ["local"],
  repo: "acme/shop",
  workflow: ".github/workflows/ci.yml",
  ownCommits: [],
  ownEpisodes: [],
};

let folder = "";
const opened: ExperienceStore[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "nearest-"));
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  rmSync(folder, { recursive: true, force: true });
});

function open(embedder: Embedder | null = null): ExperienceStore {
  const store = fileExperienceStore(folder, embedder);
  opened.push(store);
  return store;
}

/** What lies in the index for an embedder, as another process sees it. */
function vectorCount(embedder: string): number {
  const database = new Database(path.join(folder, "experience", "index.db"), { readonly: true });
  try {
    return Number(
      database.prepare("SELECT count(*) FROM record_vector WHERE embedder = ?").pluck().get(embedder) ?? Number.NaN,
    );
  } finally {
    database.close();
  }
}

function own(number: number, told: Partial<ExperienceMeta> = {}): Partial<ExperienceMeta> {
  return {
    id: `exp_${number}`,
    episodeIds: [`ep_${number}`],
    parents: [],
    contentHash: String(number).padStart(16, "0"),
    provenance: { model: null, promptHash: null, sourceShas: [String(number).padStart(40, "a")], pr: 1, redactions: 0 },
    ...told,
  };
}

function repair(number: number, statement: string, told: Partial<ExperienceMeta> = {}): ExperienceRecord {
  const { p } = aProblemRepair();
  return anL1(own(number, told), { p: { ...p, statement: { ...p.statement, value: statement } } });
}

async function ids(store: ExperienceStore, text: string, scope: Partial<NearestScope> = {}, now = NOW) {
  const levels = ["L1", "L2", "L3"] as const;
  const asked = levels.map((level) => ({ level, text }));
  const { answers } = await store.nearest(asked, { ...SCOPE, ...scope }, 5, now);
  return Object.fromEntries(
    levels.map((level, at) => [level, (answers[at] ?? []).map(({ record }) => record.meta.id)]),
  );
}

const CART = "the cart counts an item twice";

describe("the nearest records", () => {
  it("come from the level's own scope, whatever their words, and few words are enough", async () => {
    const store = open();
    const other = { tenant: "local", repo: "acme/shop", workflow: ".github/workflows/other.yml" };
    const elsewhere = { tenant: "local", repo: "acme/till", workflow: ".github/workflows/ci.yml" };
    await store.append([
      repair(1, "a linter wants another quote"),
      repair(2, CART, { scope: other }),
      repair(3, CART, { scope: elsewhere }),
      repair(4, CART, { scope: { ...elsewhere, tenant: "globex", repo: "acme/shop" } }),
      anL2(own(5, { scope: other })),
      anL2(own(6, { scope: elsewhere })),
      anL3(own(7)),
      anL3(own(8, { scope: { tenant: "globex", repo: null, workflow: null } })),
    ]);

    expect(await ids(store, CART)).toEqual({ L1: ["exp_1"], L2: ["exp_5"], L3: ["exp_7"] });
    expect(await ids(store, CART, { repo: "Acme/Shop" })).toEqual({ L1: ["exp_1"], L2: ["exp_5"], L3: ["exp_7"] });
    expect(await ids(store, CART, { workflow: null })).toMatchObject({ L1: ["exp_2", "exp_1"] });
    expect(await ids(store, CART, { repo: "acme/none" })).toEqual({ L1: [], L2: [], L3: ["exp_7"] });
  });

  it("are at most as many as asked for, best first, equal ones by id", async () => {
    const store = open();
    const same = [7, 3, 5, 9].map((number) => repair(number, "a linter wants another quote"));
    await store.append([...same, repair(1, "a linter wants a blank"), repair(2, CART)]);

    expect((await ids(store, CART)).L1).toEqual(["exp_2", "exp_3", "exp_5", "exp_7", "exp_9"]);
  });

  it("are never the target's own, in quarantine or retired", async () => {
    const store = open();
    await store.append([
      repair(1, CART),
      repair(2, CART, { status: "quarantined" }),
      repair(3, CART, { status: "retired" }),
      repair(4, CART),
      repair(5, CART, { episodeIds: ["ep_5", "ep_9"] }),
    ]);

    expect((await ids(store, CART)).L1).toEqual(["exp_1", "exp_4", "exp_5"]);
    expect((await ids(store, CART, { ownEpisodes: ["ep_9"] })).L1).toEqual(["exp_1", "exp_4"]);
    expect((await ids(store, CART, { ownCommits: [String(4).padStart(40, "a")] })).L1).toEqual(["exp_1", "exp_5"]);
  });

  it("are near by their episode too", async () => {
    const store = open();
    await store.append([
      repair(1, "a snapshot is old", { episodeIds: ["ep_a"] }),
      repair(2, CART, { episodeIds: ["ep_a"] }),
      repair(3, "a snapshot is old", { episodeIds: ["ep_b"] }),
    ]);

    expect((await ids(store, CART)).L1).toEqual(["exp_2", "exp_1", "exp_3"]);
  });

  it("fall back with age, patterns excepted", async () => {
    const store = open();
    const old = { lastSeenAt: "2024-03-01T12:00:00.000Z" };
    await store.append([repair(1, CART, old), repair(2, CART), anL3(own(3, old)), anL3(own(4))]);

    expect(await ids(store, CART)).toMatchObject({ L1: ["exp_2", "exp_1"], L3: ["exp_3", "exp_4"] });
  });

  it("are as the lines say after a change by another process, a rebuild, or the loss of the index", async () => {
    const store = open();
    await store.append([repair(1, "a linter wants another quote")]);
    expect((await ids(store, CART)).L1).toEqual(["exp_1"]);

    await open().append([repair(2, CART)]);
    expect((await ids(store, CART)).L1).toEqual(["exp_2", "exp_1"]);
    await store.forget("exp_2", NOW);
    expect((await ids(store, CART)).L1).toEqual(["exp_1"]);
    await store.rebuild();
    expect((await ids(store, CART)).L1).toEqual(["exp_1"]);
    for (const one of opened.splice(0)) await one.close();
    rmSync(path.join(folder, "experience", "index.db"));
    expect((await ids(open(), CART)).L1).toEqual(["exp_1"]);
  });
});

/** Knows two meanings; `asked` are the texts it was given. */
function twoMeanings(id: string, told: { failAfter?: number; batch?: number } = {}) {
  const asked: string[] = [];
  let calls = 0;
  const embedder: Embedder = {
    id,
    batch: told.batch ?? 2,
    embed: async (texts) => {
      if (calls++ >= (told.failAfter ?? Number.POSITIVE_INFINITY)) throw new EmbedderFailed("the endpoint is gone");
      asked.push(...texts);
      return texts.map((text) => Float32Array.of(/basket|cart/.test(text) ? 3 : 0, /quote|lint/.test(text) ? 3 : 0.1));
    },
  };
  return { embedder, asked };
}

const MEANT = [repair(1, "a quote is wrong"), repair(2, "the basket is one too full"), repair(3, "a lint rule")];

describe("an embedder", () => {
  it("ranks by what is meant, and is given each record once", async () => {
    await open().append(MEANT.map((record) => record));
    const { embedder, asked } = twoMeanings("one");
    const store = open(embedder);

    expect((await ids(store, "linter")).L1?.slice(0, 2)).toEqual(["exp_1", "exp_3"]);
    const [first] = [asked.length];
    await ids(store, "linter");
    expect([first, asked.length, vectorCount("one")]).toEqual([6, 9, 3]);
  });

  it("never meets the vectors of another one", async () => {
    await open().append(MEANT);
    await ids(open(twoMeanings("one").embedder), "cart");
    const { embedder, asked } = twoMeanings("two");
    await ids(open(embedder), "cart");

    expect([asked.length, vectorCount("one"), vectorCount("two")]).toEqual([6, 3, 3]);
  });

  it("goes on after a kill where it was, batch by batch", async () => {
    const many = Array.from({ length: 7 }, (_, at) => repair(at + 1, `a quote is wrong ${at}`));
    await open().append(many);
    await expect(open(twoMeanings("one", { failAfter: 2 }).embedder).embedMissing()).rejects.toThrow(
      "the endpoint is gone",
    );
    expect(vectorCount("one")).toBe(4);

    const { embedder, asked } = twoMeanings("one");
    expect([await open(embedder).embedMissing(), asked.length, vectorCount("one")]).toEqual([3, 3, 7]);
  });

  it("makes way for words when it fails, said once, and is not asked again", async () => {
    await open().append(MEANT);
    const { embedder } = twoMeanings("one", { failAfter: 0 });
    const store = open(embedder);
    const ask = () => store.nearest([{ level: "L1", text: "a lint rule" }], SCOPE, 1, NOW);

    const [first, second] = [await ask(), await ask()];
    expect([first.answers[0]?.[0]?.record.meta.id, first.fellBack, second.fellBack]).toEqual([
      "exp_3",
      "the endpoint is gone; memory is searched by words instead",
      null,
    ]);
  });

  it("keeps the vector of a record that is seen again in the same words, makes another for other words, and forgets", async () => {
    await open().append(MEANT);
    const { embedder, asked } = twoMeanings("one");
    const store = open(embedder);
    await store.embedMissing();
    await store.append([repair(1, "a quote is wrong", { support: 2 }), repair(2, "the cart is one too full")]);
    const made = await store.embedMissing();
    await store.forget("exp_3", NOW);

    expect([made, asked.length, vectorCount("one")]).toEqual([1, 4, 2]);
  });

  it("whose vectors change their length says what to do", async () => {
    await open().append(MEANT.slice(0, 1));
    await open(twoMeanings("one").embedder).embedMissing();
    const longer: Embedder = { id: "one", batch: 2, embed: async (texts) => texts.map(() => Float32Array.of(1, 0, 0)) };
    const store = open(longer);
    await store.append(MEANT.slice(1));

    await expect(store.embedMissing()).rejects.toThrow(/another length .*\(2\): run `retrace experience rebuild`/);
  });
});
