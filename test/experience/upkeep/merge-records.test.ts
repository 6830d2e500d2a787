import { describe, expect, it } from "vitest";
import type { ExperienceMeta, ProblemRepair } from "../../../src/domain/experience.ts";
import { mergeIntoMemory, mergeRecords } from "../../../src/experience/upkeep/merge-records.ts";
import { anL1, anL2, aProblemRepair } from "../../fakes/experience.ts";

const hash = (digit: string): string => digit.repeat(16);
const second: Partial<ExperienceMeta> = {
  id: "exp_b",
  contentHash: hash("b"),
  episodeIds: ["ep_2"],
  lastSeenAt: "2026-05-01T00:00:00.000Z",
};
/** Another edit elsewhere, so that nothing but the words is alike. */
function saying(statement: string, told: Partial<ProblemRepair> = {}): Partial<ProblemRepair> {
  const { p, r } = aProblemRepair();
  const hunks = r.hunks.map((hunk) => ({ ...hunk, fingerprint: "ffff000011112222" }));
  return { p: { ...p, statement: { ...p.statement, value: statement } }, r: { ...r, hunks }, ...told };
}

describe("merging new records into memory", () => {
  it("adds what is not there", () => {
    const young = anL1(second, saying("mypy: incompatible return value of total", { a: [] }));

    expect(mergeIntoMemory([anL1()], [young]).writes).toEqual([young]);
  });

  it("counts an episode that shows the same again", () => {
    const young = anL1({ ...second, id: "exp_1", contentHash: anL1().meta.contentHash });

    expect(mergeIntoMemory([anL1()], [young]).writes).toEqual([
      anL1({ support: 2, episodeIds: ["ep_1", "ep_2"], lastSeenAt: "2026-05-01T00:00:00.000Z" }),
    ]);
  });

  it("counts a near duplicate, under the id that is there", () => {
    const young = anL1(second, saying("vitest: cart > adds an item three times"));

    const [merged, ...others] = mergeIntoMemory([anL1()], [young]).writes;

    expect(others).toEqual([]);
    expect(merged?.meta).toMatchObject({ id: "exp_1", support: 2, episodeIds: ["ep_1", "ep_2"] });
  });

  it.each<readonly [string, Partial<ExperienceMeta>, Partial<ProblemRepair>]>([
    [
      "another tool",
      second,
      saying("vitest: cart > adds an item twice", { v: { ...aProblemRepair().v, tool: "jest" } }),
    ],
    [
      "another workflow",
      { ...second, scope: { tenant: "local", repo: "acme/shop", workflow: "x.yml" } },
      saying("vitest: cart > adds an item twice"),
    ],
    [
      "other names in other files",
      second,
      saying("vitest: cart > adds an item twice", { a: [{ path: "src/till.ts", role: "source", symbols: ["pay"] }] }),
    ],
  ])("keeps what is said alike apart when it has %s", (_, meta, z) => {
    const young = anL1(meta, z);

    expect(mergeIntoMemory([anL1()], [young]).writes).toEqual([young]);
  });

  it("keeps two problems of one episode apart, however alike", () => {
    const twin = anL1({ ...second, episodeIds: ["ep_1"] }, saying("vitest: cart > adds an item thrice"));

    expect(mergeIntoMemory([], [anL1(), twin]).writes).toEqual([anL1(), twin]);
  });

  it("writes nothing when an episode is learned again, merged records included", () => {
    const batch = [
      anL1(second, saying("vitest: cart > adds an item three times")),
      anL1({ ...second, id: "exp_c", contentHash: hash("c") }, saying("eslint: no-unused-vars", { a: [] })),
    ];
    const memory = new Map([[anL1().meta.id, anL1()]] as const);
    for (const record of mergeIntoMemory([...memory.values()], batch).writes)
      memory.set(record.meta.id, record as ReturnType<typeof anL1>);

    expect(memory.size).toBe(2);
    expect(mergeIntoMemory([...memory.values()], batch)).toEqual({
      writes: [],
      homes: new Map([
        ["exp_b", "exp_1"],
        ["exp_c", "exp_c"],
      ]),
    });
  });

  it("lets a model's telling replace the one without, and never the other way round", () => {
    const full = anL1(
      { id: "exp_f", contentHash: hash("f"), quality: "full" },
      { p: { ...aProblemRepair().p, statement: { value: "adding does not look", cites: [], support: "verified" } } },
    );

    const [replaced] = mergeIntoMemory([anL1()], [full]).writes;

    expect(replaced).toEqual({ ...full, meta: { ...full.meta, id: "exp_1" } });
    expect(mergeIntoMemory([full], [anL1()]).writes).toEqual([]);
  });
});

it("a strategy that two records lead to names both", () => {
  const young = anL2({ parents: ["exp_b"] }, { memberL1Ids: ["exp_b"] });

  expect(mergeIntoMemory([anL2()], [young]).writes).toEqual([
    anL2({ parents: ["exp_1", "exp_b"] }, { memberL1Ids: ["exp_1", "exp_b"] }),
  ]);
});

describe("the status of a merged record", () => {
  it.each([
    ["quarantined", 0, "active", "active"],
    ["quarantined", 0, "quarantined", "quarantined"],
    ["quarantined", 3, "active", "quarantined"],
    ["retired", 0, "active", "active"],
    ["active", 0, "quarantined", "active"],
  ] as const)("%s with %d losses, seen again %s: %s", (status, losses, young, expected) => {
    const merged = mergeRecords(anL2({ status, losses }), anL2({ status: young, episodeIds: ["ep_2"] }));

    expect(merged.meta.status).toBe(expected);
  });
});
