import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { judgeStaleness } from "../../../src/experience/upkeep/staleness.ts";
import { afterUse, decay, toRetire, usefulness, worth } from "../../../src/experience/upkeep/worth.ts";
import { anL1, anL3 } from "../../fakes/experience.ts";

const seen = new Date("2026-03-01T12:00:00.000Z");
const later = (days: number): Date => new Date(seen.getTime() + days * 86_400_000);

it.each([
  [0, 0, 0.5],
  [3, 0, 0.8],
  [0, 2, 0.25],
  [1, 4, 2 / 7],
])("%d wins and %d losses are worth %d", (wins, losses, expected) => {
  expect(usefulness({ wins, losses })).toBe(expected);
});

it.each([
  [0, 1],
  [365, 0.5],
  [1000, 0.3],
  [-5, 1],
])("after %d days %d of a concrete record is left, and all of a pattern", (days, expected) => {
  expect(decay(anL1(), later(days))).toBeCloseTo(expected, 10);
  expect(decay(anL3(), later(days))).toBe(1);
});

describe("a record after a repair it guided", () => {
  it.each([
    ["won", 0, 0, { wins: 1, losses: 0, status: "active", lastSeenAt: later(9).toISOString() }],
    ["lost", 0, 2, { wins: 0, losses: 3, status: "active", lastSeenAt: seen.toISOString() }],
    ["lost", 0, 3, { wins: 0, losses: 4, status: "quarantined", lastSeenAt: seen.toISOString() }],
    ["lost", 1, 3, { wins: 1, losses: 4, status: "active", lastSeenAt: seen.toISOString() }],
    ["reverted", 5, 0, { wins: 5, losses: 2, status: "quarantined", lastSeenAt: seen.toISOString() }],
  ] as const)("that %s, with %d wins and %d losses before", (ended, wins, losses, expected) => {
    expect(afterUse(anL1({ wins, losses }), ended, later(9)).meta).toMatchObject(expected);
  });
});

describe("what a full memory retires", () => {
  it("is what is worth least, down to its capacity, and never the last of a failure class", () => {
    const records = [
      anL1({ id: "good", wins: 4 }),
      anL1({ id: "bad", losses: 4 }),
      anL1({ id: "old", lastSeenAt: "2020-01-01T00:00:00.000Z" }),
      anL1({ id: "only", category: "linting", losses: 9 }),
      anL1({ id: "gone", status: "retired" }),
    ];

    expect(toRetire(records, seen, 2).map(({ meta }) => [meta.id, meta.status])).toEqual([
      ["bad", "retired"],
      ["old", "retired"],
    ]);
    expect(toRetire(records, seen, 4)).toEqual([]);
  });

  it("leaves exactly its capacity, all of them worth no less than what goes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(8), { minLength: 2, maxLength: 30 }),
        fc.integer({ min: 1, max: 30 }),
        (losses, capacity) => {
          const records = losses.map((count, at) => anL1({ id: `r${at}`, losses: count }));
          const gone = new Set(toRetire(records, seen, capacity).map(({ meta }) => meta.id));
          const worths = (isGone: boolean): number[] =>
            records.filter(({ meta }) => gone.has(meta.id) === isGone).map((record) => worth(record, seen));

          expect(records.length - gone.size).toBe(Math.min(capacity, records.length));
          expect(Math.max(0, ...worths(true))).toBeLessThanOrEqual(Math.min(...worths(false)));
        },
      ),
    );
  });
});

describe("how stale a record is", () => {
  const facts = (holds: readonly (boolean | null)[]) =>
    holds.map((value, at) => ({ what: `fact ${at}`, holds: value }));
  it.each([
    [[true, true], true, { state: "fresh", toAdapt: [] }],
    [[true, null], null, { state: "fresh", toAdapt: [] }],
    [[true, false], true, { state: "partial", toAdapt: ["fact 1"] }],
    [[true, false, false], true, { state: "stale", toAdapt: ["fact 1", "fact 2"] }],
    [[null], true, { state: "unknown", toAdapt: [] }],
    [[true], false, { state: "retire", toAdapt: [] }],
  ] as const)("%j, its workflow there: %j", (holds, workflowExists, expected) => {
    expect(judgeStaleness(facts(holds), workflowExists)).toEqual(expected);
  });
});
