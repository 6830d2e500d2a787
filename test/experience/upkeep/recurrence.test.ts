import { describe, expect, it } from "vitest";
import { clusterProblems } from "../../../src/domain/cluster-problems.ts";
import type { ExperienceRecord } from "../../../src/domain/experience.ts";
import { comparable } from "../../../src/domain/similarity.ts";
import { recurrenceByRepository, recurringPatterns, whatToExpect } from "../../../src/experience/upkeep/recurrence.ts";
import type { KeptEpisode } from "../../../src/ports/experience-store.ts";
import { cosine, tfIdfVectors } from "../../../src/text/tf-idf.ts";
import { aKeptEpisode, anL1, aProblemRepair } from "../../fakes/experience.ts";

const now = new Date("2026-04-01T00:00:00.000Z");
const episodes = (count: number, told: Partial<KeptEpisode> = {}): KeptEpisode[] =>
  Array.from({ length: count }, (_, at) => aKeptEpisode({ id: `ep_${at + 1}`, ...told }));
const shown = (...numbers: readonly number[]): ExperienceRecord =>
  anL1({ episodeIds: numbers.map((at) => `ep_${at}`) });

describe("a pattern recurs", () => {
  // papers §16.5
  it.each<readonly [string, boolean, readonly KeptEpisode[], readonly ExperienceRecord[]]>([
    ["in 3 of 6 episodes", true, episodes(6), [shown(1, 2, 3)]],
    ["in 2 of 4: three hits are the floor", false, episodes(4), [shown(1, 2)]],
    ["in 3 of 7: less than half", false, episodes(7), [shown(1, 2, 3)]],
    ["three times in two episodes", false, episodes(4), [shown(1, 2), anL1({ id: "x", episodeIds: ["ep_1"] })]],
    ["over records that say the same", true, episodes(4), [shown(1, 2), anL1({ id: "x", episodeIds: ["ep_3"] })]],
    ["in bots' episodes only", false, episodes(3, { byPerson: false }), [shown(1, 2, 3)]],
    [
      "mostly by our own repairs, which count half",
      false,
      [...episodes(2, { byRetrace: true }), aKeptEpisode({ id: "ep_3" }), ...episodes(7).slice(4)],
      [shown(1, 2, 3)],
    ],
    ["more than a year ago", false, episodes(6, { at: "2025-01-01T00:00:00.000Z" }), [shown(1, 2, 3)]],
    [
      "in quarantined records",
      false,
      episodes(3),
      [anL1({ status: "quarantined", episodeIds: ["ep_1", "ep_2", "ep_3"] })],
    ],
    ["over two workflows", false, [...episodes(2), aKeptEpisode({ id: "ep_3", workflow: "x.yml" })], [shown(1, 2, 3)]],
  ])("%s: %s", (_, expected, among, records) => {
    expect(recurringPatterns(among, records, now).length > 0).toBe(expected);
  });

  it("and is told with its share", () => {
    expect(recurringPatterns(episodes(6), [shown(1, 2, 3)], now)).toEqual([
      {
        repo: "acme/shop",
        workflow: ".github/workflows/ci.yml",
        representative: "exp_1",
        statement: "vitest: cart > adds an item twice",
        members: ["exp_1"],
        episodes: ["ep_1", "ep_2", "ep_3"],
        inScope: 6,
        coverage: 0.5,
      },
    ]);
  });
});

describe("R(i), how much of a history comes back", () => {
  const other = anL1(
    { id: "exp_9", episodeIds: ["ep_9"], category: "linting" },
    {
      p: { ...aProblemRepair().p, statement: { value: "ruff F401", cites: [], support: "verified" }, signals: [] },
      a: [{ path: "app/main.py", role: "source", symbols: [] }],
      v: { ...aProblemRepair().v, command: "ruff check" },
    },
  );

  it("is 1 for episodes that are the same, 0 for those that share nothing, and the mean of both", () => {
    const same = [shown(1), { ...shown(2), meta: { ...shown(2).meta, id: "exp_2" } }];

    expect(recurrenceByRepository(same)).toEqual([
      { repo: "acme/shop", episodes: 2, structural: 1, lexical: expect.closeTo(1, 9) },
    ]);
    expect(recurrenceByRepository([shown(1), other])).toEqual([
      { repo: "acme/shop", episodes: 2, structural: 0, lexical: 0 },
    ]);
    expect(recurrenceByRepository([...same, other])[0]?.structural).toBeCloseTo(2 / 3, 9);
  });

  it("is not known for one episode, and each repository has its own", () => {
    const elsewhere = anL1({ id: "x", scope: { tenant: "local", repo: "acme/till", workflow: null } });

    expect(recurrenceByRepository([shown(1), elsewhere])).toEqual([
      { repo: "acme/shop", episodes: 1, structural: null, lexical: null },
      { repo: "acme/till", episodes: 1, structural: null, lexical: null },
    ]);
  });

  it.each([
    [1, null, null, "nothing to compare"],
    [4, 0.9, 0.9, "too few"],
    [9, 0.44, 0.82, "as much comes back"],
    [9, 0.9, 0.5, "some comes back"],
    [9, 0.1, 0.9, "hardly anything"],
  ])("of %d episodes, %d and %d: %s", (count, structural, lexical, expected) => {
    expect(whatToExpect({ repo: "acme/shop", episodes: count, structural, lexical })).toContain(expected);
  });
});

describe("groups of the same problem", () => {
  const item = (id: string, problem: string, confidence = 1) => ({
    id,
    confidence,
    compared: comparable({ problem, rootCause: "", files: ["a.ts"], type: "linting", fix: "", symbols: [] }),
  });

  it("do not depend on the order they come in, unless asked for as published", () => {
    const items = [
      item("a", "alpha beta gamma", 0.2),
      item("b", "alpha beta gamma delta", 0.9),
      item("c", "zeta eta theta iota", 0.5),
    ];
    const names = (order: typeof items, rule: "product" | "paper") =>
      clusterProblems(order, rule).map((cluster) => cluster.map(({ id }) => id));

    expect(names(items, "product")).toEqual([["b", "a"], ["c"]]);
    expect(names([...items].reverse(), "product")).toEqual([["b", "a"], ["c"]]);
    expect(names(items, "paper")).toEqual([["a", "b"], ["c"]]);
    expect(names([...items].reverse(), "paper")).toEqual([["c"], ["b", "a"]]);
  });
});

it("TF-IDF of words and pairs has the value that the formula gives", () => {
  const [a, b, c] = tfIdfVectors(["the parser fails fails", "the parser is lost", "nothing else"]);

  expect(cosine(a ?? new Map(), b ?? new Map())).toBeCloseTo(0.281993, 6);
  expect(cosine(a ?? new Map(), c ?? new Map())).toBe(0);
});
