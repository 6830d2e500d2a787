import { describe, expect, it } from "vitest";
import { Budget, type BudgetLimits, costUsd } from "../../src/agent/budget.ts";
import { NO_USAGE, type Usage } from "../../src/domain/usage.ts";

const LIMITS: BudgetLimits = { usd: 1, tokens: 10_000, calls: 10, wallMs: 1_000 };
const PRICE = { input: 100, cached: 10, output: 1_000 };
const call = (inputTokens: number, outputTokens: number, cachedTokens = 0): Usage => ({
  ...NO_USAGE,
  calls: 1,
  inputTokens,
  cachedTokens,
  outputTokens,
  usd: null,
});

function clock() {
  let ms = 5_000;
  return { now: () => ms, pass: (by: number) => (ms += by) };
}

describe("a budget", () => {
  it.each<[string, Partial<BudgetLimits>, Usage, number, "cost" | "time" | null]>([
    ["has something left below every limit", {}, call(8_000, 100), 999, null],
    ["runs out of dollars", { usd: 0.9 }, call(8_000, 100), 0, "cost"],
    ["runs out of tokens", { tokens: 8_100 }, call(8_000, 100), 0, "cost"],
    ["runs out of calls", { calls: 1 }, call(1, 1), 0, "cost"],
    ["runs out of time", {}, call(1, 1), 1_000, "time"],
  ])("%s", (_, limits, spent, ms, expected) => {
    const { now, pass } = clock();
    const budget = new Budget({ ...LIMITS, ...limits }, PRICE, now);

    budget.charge(spent);
    pass(ms);

    expect(budget.exhausted()).toBe(expected);
  });

  it("binds by tokens where no price is known, and calls the dollars unknown", () => {
    const { now } = clock();
    const budget = new Budget({ ...LIMITS, usd: 0 }, null, now);

    budget.charge(call(9_000, 0));
    const before = budget.exhausted();
    budget.charge(call(1_000, 0));

    expect([before, budget.exhausted(), budget.spent().usd]).toEqual([null, "cost", null]);
  });

  it("charges a part's calls to the whole, once", () => {
    const { now, pass } = clock();
    const whole = new Budget(LIMITS, PRICE, now);
    whole.charge(call(1_000, 0));
    pass(100);
    const part = whole.part({ ...LIMITS, calls: 1 });

    part.charge(call(2_000, 10, 500));
    pass(50);

    expect(part.spent()).toEqual({
      calls: 1,
      inputTokens: 2_000,
      cachedTokens: 500,
      outputTokens: 10,
      usd: 0.165,
      ms: 50,
    });
    expect(whole.spent()).toEqual({
      calls: 2,
      inputTokens: 3_000,
      cachedTokens: 500,
      outputTokens: 10,
      usd: 0.265,
      ms: 150,
    });
    expect([part.exhausted(), whole.exhausted()]).toEqual(["cost", null]);
  });

  it("holds a part to what is left of the whole", () => {
    const { now, pass } = clock();
    const whole = new Budget({ ...LIMITS, calls: 2 }, PRICE, now);
    const first = whole.part({ ...LIMITS, calls: 10 });
    first.charge(call(1, 1));
    first.charge(call(1, 1));
    pass(900);

    const second = whole.part({ ...LIMITS, wallMs: 5_000 });

    expect([second.exhausted(), second.leftMs(), first.leftMs()]).toEqual(["cost", 100, 100]);
  });

  it("has no time left, rather than less, after its wall", () => {
    const { now, pass } = clock();
    const budget = new Budget(LIMITS, PRICE, now);

    pass(5_000);

    expect(budget.leftMs()).toBe(0);
  });
});

describe("the cost of a call", () => {
  it.each([
    ["fresh input and output", call(1_000_000, 1_000_000), 1_100],
    ["cached input at its own rate", call(1_000_000, 0, 400_000), 64],
    ["nothing", call(0, 0), 0],
  ])("counts %s", (_, usage, usd) => {
    expect(costUsd(usage, PRICE)).toBeCloseTo(usd, 9);
  });
});
