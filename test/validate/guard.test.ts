import { describe, expect, it } from "vitest";
import { GUARD_RULES } from "../../src/validate/guard.ts";
import { type GuardCase, judge, loadCases } from "./guard-case.ts";

const designed = [...loadCases("weakening-code.yaml"), ...loadCases("weakening-config.yaml")];
const adversary = loadCases("weakening-adversary.yaml");
const weakening = [...designed, ...adversary];
const honest = loadCases("honest.yaml");
const fresh = loadCases("fresh-weakening.yaml");

const isRefused = (each: GuardCase): boolean => judge(each).refusals.length > 0;

describe("the guard", () => {
  it.each(weakening.filter(({ knownMiss }) => !knownMiss))("refuses: $name", (each) => {
    const rules = judge(each).refusals.map(({ rule }) => rule);

    expect(rules).toContain(each.rule);
  });

  it.each(weakening.filter(({ knownMiss }) => knownMiss))("still does not see: $name", (each) => {
    expect(judge(each).refusals).toEqual([]);
  });

  it.each(honest.filter(({ knownFalseRefusal }) => !knownFalseRefusal))("lets pass: $name", (each) => {
    const verdict = judge(each);

    expect(verdict.refusals).toEqual([]);
    expect(verdict.needsPerson.length > 0).toBe(each.person);
  });

  it.each(honest.filter(({ knownFalseRefusal }) => knownFalseRefusal))("still refuses wrongly: $name", (each) => {
    expect(isRefused(each)).toBe(true);
  });

  it("misses and refuses wrongly exactly what test/cases/guard/README.md says", () => {
    const missed = (cases: readonly GuardCase[]) => cases.filter((each) => !isRefused(each)).map(({ name }) => name);

    expect({
      weakening: { cases: designed.length, missed: missed(designed).length },
      adversary: { cases: adversary.length, missed: missed(adversary).length },
      fresh: { cases: fresh.length, missed: missed(fresh) },
      honest: { cases: honest.length, refused: honest.filter(isRefused).length },
    }).toEqual({
      weakening: { cases: 128, missed: 3 },
      adversary: { cases: 108, missed: 42 },
      fresh: {
        cases: 22,
        missed: ["the unit under test is replaced by a mock that says what is expected", "a loop over cases sees none"],
      },
      honest: { cases: 52, refused: 1 },
    });
  });

  it("knows a rule for every refusal that the cases name, with a word on what it looks at", () => {
    const names = new Set(GUARD_RULES.map(({ name }) => name));

    expect([...new Set(weakening.flatMap(({ rule }) => rule ?? []))].filter((rule) => !names.has(rule))).toEqual([]);
    expect(GUARD_RULES.filter(({ looksAt }) => looksAt === "")).toEqual([]);
  });
});
