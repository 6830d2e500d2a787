import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { fileExperienceStore } from "../../../src/adapters/store/experience-store.ts";
import { experienceStoreContract } from "../../contracts/experience-store.ts";
import { aKeptEpisode, anL1, anL2, anL3, aProblemRepair } from "../../fakes/experience.ts";

const folder = mkdtempSync(path.join(tmpdir(), "experience-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
experienceStoreContract("JSON lines", async () => fileExperienceStore(path.join(folder, String(opened++))));

describe("the files of the experience store", () => {
  let place: string;
  const root = (): string => path.join(place, "experience");
  const l1File = (): string => path.join(root(), "local/acme+shop/ci.yml/l1.jsonl");
  beforeEach(() => {
    place = path.join(folder, String(opened++));
  });

  const everything = (): string =>
    readdirSync(root(), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "latin1"))
      .join("\n");

  it("lie by tenant, repository and workflow", async () => {
    const store = fileExperienceStore(place);
    await store.append([
      anL1(),
      anL2(),
      anL3(),
      anL1({ id: "x", scope: { tenant: "a b", repo: "../..", workflow: "../x" } }),
    ]);
    await store.append([anL1({ id: "y", scope: { tenant: "..", repo: "local/my shop", workflow: null } })]);
    await store.keepEpisode(aKeptEpisode());
    await store.close();

    expect(
      readdirSync(root(), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith("jsonl"))
        .sort(),
    ).toEqual([
      "%2e./local+my%20shop/no%20workflow/l1.jsonl",
      "local/acme+shop/ci.yml/episodes.jsonl",
      "local/acme+shop/ci.yml/l1.jsonl",
      "local/acme+shop/ci.yml/l2.jsonl",
      "local/l3.jsonl",
    ]);
  });

  it("hold what an index can be made from that answers the same", async () => {
    const store = fileExperienceStore(place);
    await store.append([
      anL1(),
      anL2(),
      anL3(),
      anL1({ id: "exp_5", contentHash: "5555555555555555" }),
      anL1({ support: 3 }),
    ]);
    await store.keepEpisode(aKeptEpisode());
    await store.forget("exp_5", new Date("2026-03-02T12:00:00.000Z"));
    const ask = async (asked: typeof store) => ({
      list: await asked.list(),
      search: await asked.search("cart count early", {}, 10),
      episodes: await asked.episodes(),
      stats: await asked.stats(),
      again: await asked.append([anL1({ id: "exp_5" })]),
      check: await asked.check(),
    });
    const before = await ask(store);

    await store.rebuild();
    const rebuilt = await ask(store);
    await store.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path.join(root(), `index.db${suffix}`), { force: true });
    const anew = fileExperienceStore(place);
    const remade = await ask(anew);
    await anew.close();
    writeFileSync(path.join(root(), "index.db"), "this was a database");
    const broken = fileExperienceStore(place);
    const mended = await ask(broken);
    await broken.close();

    expect(before.list).toHaveLength(3);
    expect(before.check).toEqual({ files: 4, lines: 5, records: 3, episodes: 1, forgotten: 1, findings: [] });
    expect([rebuilt, remade, mended]).toEqual([before, before, before]);
  });

  it("lose a torn last line and nothing else, and say so", async () => {
    const first = fileExperienceStore(place);
    await first.append([anL1()]);
    await first.close();
    const whole = readFileSync(l1File(), "utf8");
    appendFileSync(l1File(), whole.slice(0, 100));

    const second = fileExperienceStore(place);

    expect(second.findings).toEqual([
      { file: "local/acme+shop/ci.yml/l1.jsonl", line: 2, what: "an unfinished line of 100 bytes was cut off" },
    ]);
    expect(await second.list()).toEqual([anL1()]);
    await second.append([anL1({ support: 2 })]);
    expect(readFileSync(l1File(), "utf8").split("\n")).toHaveLength(3);
    await second.close();
  });

  it("take a line that another process wrote and could not tell the index", async () => {
    const store = fileExperienceStore(place);
    await store.append([anL1()]);
    appendFileSync(l1File(), readFileSync(l1File(), "utf8").replace('"support":1', '"support":2'));

    await store.append([anL2()]);

    expect((await store.get("exp_1"))?.meta.support).toBe(2);
    await store.close();
  });

  it("keep lines that cannot be read, pass over them, and name them", async () => {
    const store = fileExperienceStore(place);
    await store.append([anL1()]);
    await store.close();
    const bad = '{"schema":"retrace.experience/7","from":"the future"}';
    appendFileSync(l1File(), `${bad}\n`);

    const again = fileExperienceStore(place);
    await again.append([anL1({ id: "exp_4", contentHash: "4444444444444444" })]);
    await again.forget("exp_1", new Date("2026-03-02T12:00:00.000Z"));

    const what = "has the schema retrace.experience/7, this version reads retrace.experience/1";
    expect(again.findings).toEqual([{ file: "local/acme+shop/ci.yml/l1.jsonl", line: 2, what }]);
    expect((await again.check()).findings).toEqual([{ file: "local/acme+shop/ci.yml/l1.jsonl", line: 1, what }]);
    expect(readFileSync(l1File(), "utf8")).toContain(bad);
    await again.close();
  });

  it("hold no word of a forgotten record, nor does the index", async () => {
    const store = fileExperienceStore(place);
    await store.append([
      anL1({}, { v: { ...aProblemRepair().v, command: "run the zebracheck" } }),
      anL3({ parents: [] }),
    ]);
    expect(everything()).toContain("zebracheck");

    await store.forget("exp_1", new Date("2026-03-02T12:00:00.000Z"));

    expect(everything()).not.toContain("zebracheck");
    await store.close();
    expect(everything()).not.toContain("zebracheck");
  });

  it.each([
    ["and the index knew the record", false],
    ["and the index was lost", true],
  ])("hold no word of a forgotten record, even when a kill came after its tombstone %s", async (_, indexLost) => {
    const record = anL1({}, { v: { ...aProblemRepair().v, command: "run the zebracheck" } });
    const store = fileExperienceStore(place);
    await store.append([record]);
    await store.forget("exp_1", new Date("2026-03-02T12:00:00.000Z"));
    await store.close();
    const tombstone = readFileSync(l1File(), "utf8");
    rmSync(root(), { recursive: true });
    const killed = fileExperienceStore(place);
    await killed.append([record]);
    await killed.close();
    appendFileSync(l1File(), tombstone);
    if (indexLost) rmSync(path.join(root(), "index.db"));

    const again = fileExperienceStore(place);

    expect(tombstone).not.toContain("zebracheck");
    expect(await again.list()).toEqual([]);
    expect(readFileSync(l1File(), "utf8")).toBe(tombstone);
    await again.close();
  });

  it("never see a secret, wherever in a record it stands", async () => {
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
    const store = fileExperienceStore(place);
    const cited = (value: string) => ({
      value,
      cites: [{ id: secret, quote: `${secret}!` }],
      support: "inferred" as const,
    });
    await store.append([
      anL1(
        {},
        {
          id: secret,
          p: { ...aProblemRepair().p, statement: cited(`push failed with ${secret}`), rule: secret },
          a: [{ path: `${secret}.ts`, role: "source", symbols: [secret] }],
          e: { [secret]: [{ id: "x", quote: secret }] },
          removedFields: [{ field: secret, why: secret }],
        },
      ),
      anL2({}, { pitfalls: [`it printed ${secret}`] }),
      anL3({ id: secret }),
      anL3({ provenance: { ...anL3().meta.provenance, model: secret } }),
    ]);
    await store.importLines(
      (await store.exportLines()).join("\n").replaceAll("[redacted:github-token]", secret),
      "other",
    );

    const { redactions } = (await store.get("exp_1"))?.meta.provenance ?? {};
    expect(redactions).toBeGreaterThan(8);
    expect(everything()).not.toContain(secret);
    await store.close();
  });

  it("are cleaned of what by now is known to be a secret", async () => {
    const secret = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`;
    const store = fileExperienceStore(place);
    await store.append([anL1()]);
    await store.close();
    // As a version wrote it that did not know this format yet.
    writeFileSync(l1File(), readFileSync(l1File(), "utf8").replaceAll("npm test", `npm test ${secret}`));
    rmSync(path.join(root(), "index.db"), { force: true });

    const again = fileExperienceStore(place);
    const shown = JSON.stringify([await again.list(), await again.exportLines()]);
    const { findings } = await again.check();
    const rebuilt = await again.rebuild();

    expect(shown).not.toContain(secret);
    expect(findings.map(({ what }) => what)).toEqual([
      "holds what looks like a secret: run `retrace experience rebuild`",
    ]);
    expect(rebuilt.findings.map(({ what }) => what)).toEqual(["held what looks like a secret; it was taken out"]);
    expect((await again.check()).findings).toEqual([]);
    await again.close();
    expect(readFileSync(l1File(), "latin1")).not.toContain(secret);
  });

  it("can be read by nobody else", async () => {
    const store = fileExperienceStore(place);
    await store.append([anL1()]);
    await store.close();

    const { statSync } = await import("node:fs");
    expect((statSync(l1File()).mode & 0o777).toString(8)).toBe("600");
  });
});
