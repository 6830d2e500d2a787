import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileExperienceStore } from "../../src/adapters/store/experience-store.ts";
import type { ExperienceRecord, ProblemRepair } from "../../src/domain/experience.ts";
import type { Problem } from "../../src/domain/problem.ts";
import { PRODUCT_SWITCHES } from "../../src/domain/switches.ts";
import { memoryScope, Recall } from "../../src/pipeline/recall.ts";
import type { ExperienceStore } from "../../src/ports/experience-store.ts";
import { aFailure, aValidation, evidenceOf } from "../fakes/evidence.ts";
import { anL1, anL2, anL3, aProblemRepair } from "../fakes/experience.ts";

const TARGET = "9".repeat(40);
const WORKFLOW = ".github/workflows/ci.yml";

const PROBLEM: Problem = {
  id: "p1",
  title: "vitest: basket > keeps an entry once",
  category: "assertion_error",
  tool: "vitest",
  failures: ["f1"],
  validation: "v1",
  files: ["src/basket.ts"],
  origin: "observed",
  order: 1,
};
const EVIDENCE = evidenceOf(
  [aFailure({ id: "f1", message: "expected 2 to be 1: the entry is there twice" })],
  [aValidation({ id: "v1" })],
);
const TREE: Readonly<Record<string, string>> = {
  "src/basket.ts": "export function put(entry) {}",
  "src/cart.ts": "export function add(item) {}",
  "src/list.ts": "export function push(one) {}",
  "package-lock.json": "{}",
};

let folder = "";
let store: ExperienceStore;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "recall-"));
  store = fileExperienceStore(folder);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const said = (value: string) => ({ value, cites: [{ id: "L-f1", quote: null }], support: "inferred" as const });

function repairOf(file: string, symbol: string, statement: string): Partial<ProblemRepair> {
  const { p } = aProblemRepair();
  return {
    p: { ...p, statement: said(statement) },
    a: [{ path: file, role: "source", symbols: [symbol] }],
  };
}

/** Records of one episode each, told apart by id, pull request and content. */
function meta(number: number, told: object = {}) {
  const sha = String(number).repeat(40).slice(0, 40);
  return {
    id: `exp_${number}`,
    episodeIds: [`ep_${number}`],
    parents: [],
    contentHash: String(number).repeat(16).slice(0, 16),
    provenance: { model: null, promptHash: null, sourceShas: [sha], pr: number, redactions: 0 },
    ...told,
  };
}

const TWICE = anL1(meta(1), repairOf("src/cart.ts", "add", "vitest: cart > keeps an item once, it is there twice"));
const DOUBLE = anL1(meta(2), repairOf("src/list.ts", "push", "vitest: list > keeps one once, it is there twice"));
const PATTERN = anL3(meta(3));

async function recallIn(repo: string, records: readonly ExperienceRecord[], problem = PROBLEM) {
  await store.append(records);
  const told: string[] = [];
  const recall = await Recall.open([problem], store, memoryScope(repo, WORKFLOW, "command-line"), {
    evidence: EVIDENCE,
    copy: { base: "tree", commit: TARGET, read: async (_: string, file: string) => TREE[file] ?? null } as never,
    paths: Object.keys(TREE),
    switches: PRODUCT_SWITCHES,
    now: new Date("2026-03-02T12:00:00.000Z"),
    tell: (line) => told.push(line),
  });
  return { recall, told, guidance: await recall.guidanceFor(problem, null) };
}

describe("what memory says to a problem", () => {
  it("names the past pull request of the nearest repair in the same workflow, and the pattern behind it", async () => {
    const { recall, guidance } = await recallIn("acme/shop", [TWICE, DOUBLE, PATTERN]);

    expect(guidance?.records.map(({ id, level, pr, fit }) => [id, level, pr, fit])).toEqual([
      ["exp_1", "L1", 1, "same"],
      ["exp_3", "L3", 3, "conceptual"],
    ]);
    expect(guidance?.refused).toEqual([{ id: "exp_2", level: "L1", why: "another record of its level is nearer" }]);
    expect(guidance?.suspected).toEqual([{ path: "src/cart.ts", record: "exp_1" }]);
    expect(guidance?.text).toContain("An earlier repair in this repository (exp_1, pull request #1; fit: same)");
    expect(await recall.uses([PROBLEM], new Map())).toEqual([
      { id: "exp_1", level: "L1", pr: 1, problem: "p1", contributed: null },
      { id: "exp_3", level: "L3", pr: 3, problem: "p1", contributed: null },
    ]);
  });

  it("takes only patterns to another repository, and neither level from another workflow or account", async () => {
    const { guidance } = await recallIn("acme/other", [TWICE, DOUBLE, anL2(meta(4)), PATTERN]);
    expect(guidance?.records.map(({ level }) => level)).toEqual(["L3"]);

    const scope = { repo: "acme/shop", workflow: ".github/workflows/other.yml", tenant: "local" };
    const elsewhere = anL1(meta(5, { scope }), repairOf("src/cart.ts", "add", "vitest: cart > once"));
    const stranger = anL3(meta(6, { scope: { tenant: "stranger", repo: null, workflow: null } }));
    await store.forgetScope({ tenant: "local", repo: null }, new Date());
    const { guidance: none } = await recallIn("acme/shop", [elsewhere, stranger]);
    expect(none).toBeNull();
  });

  it.each([
    [
      "whose files are gone",
      anL1(meta(1), {
        ...repairOf("src/gone.ts", "add", "vitest: cart > once"),
        v: { id: "v1", command: "make check", tool: "vitest", before: "failed", after: "successful" },
      }),
      "it is stale: src/gone.ts exists; `make check` is in the workflow no longer holds",
    ],
    [
      "about another tool",
      anL1(meta(1), { p: { ...aProblemRepair().p, tool: "pytest" } }),
      "it is about pytest, not vitest",
    ],
    [
      "about another kind of failure",
      anL1(meta(1, { category: "code_formatting" })),
      "it is about another kind of failure (code formatting)",
    ],
    [
      "with another package manager",
      anL1(meta(1), { v: { ...aProblemRepair().v, command: "yarn test" } }),
      "it is about yarn, and this repository uses npm",
    ],
  ])("refuses a record %s, with the reason", async (_, record, why) => {
    const { guidance } = await recallIn("acme/shop", [record, PATTERN]);

    expect(guidance?.records.map(({ id }) => id)).toEqual(["exp_3"]);
    expect(guidance?.refused).toEqual([{ id: "exp_1", level: "L1", why }]);
  });

  it("never offers the target's own episode, nor what is in quarantine", async () => {
    const own = anL1(meta(1, { provenance: { ...TWICE.meta.provenance, sourceShas: [TARGET] } }));
    const { guidance } = await recallIn("acme/shop", [own, anL1(meta(2, { status: "quarantined" }))]);

    expect(guidance).toBeNull();
  });

  it("finds a file that moved, and says where it is now", async () => {
    const { guidance } = await recallIn("acme/shop", [
      anL1(meta(1), repairOf("lib/old/cart.ts", "add", "vitest: cart > once")),
    ]);

    expect(guidance?.conditions).toContainEqual({
      text: "lib/old/cart.ts is now src/cart.ts",
      record: "exp_1",
      holds: true,
    });
    expect(guidance?.text).toContain("to adapt: lib/old/cart.ts is now src/cart.ts");
  });

  it("invents nothing when memory is empty, and goes on when it cannot be read", async () => {
    const { recall, guidance, told } = await recallIn("acme/shop", []);
    expect([guidance, await recall.uses([PROBLEM], new Map()), told]).toEqual([null, [], []]);

    const broken = { ...store, nearest: () => Promise.reject(new Error("the disk is gone")) };
    const scope = memoryScope("acme/shop", WORKFLOW, "app");
    const lines: string[] = [];
    const parts = {
      evidence: EVIDENCE,
      copy: { base: "tree", commit: TARGET, read: async () => null } as never,
      paths: [],
      switches: PRODUCT_SWITCHES,
      now: new Date("2026-03-02T12:00:00.000Z"),
      tell: (line: string) => lines.push(line),
    };
    const without = await Recall.open([PROBLEM], broken, scope, parts);
    expect([await without.guidanceFor(PROBLEM, null), lines]).toEqual([
      null,
      ["memory could not be read: the disk is gone"],
    ]);
  });

  it("says what a record gave to a patch, and nothing where the patch shows nothing of it", async () => {
    const { recall } = await recallIn("acme/shop", [TWICE]);
    const patch = (file: string) =>
      `diff --git a/${file} b/${file}\n--- a/${file}\n+++ b/${file}\n@@ -1 +1 @@\n-a\n+b\n`;

    expect(await recall.uses([PROBLEM], new Map([["p1", patch("src/cart.ts")]]))).toMatchObject([
      { id: "exp_1", contributed: "pointed to src/cart.ts" },
    ]);
    expect(await recall.uses([PROBLEM], new Map([["p1", patch("src/basket.ts")]]))).toMatchObject([
      { id: "exp_1", contributed: null },
    ]);
  });
});
