import { describe, expect, it } from "vitest";
import { countTokens } from "../../src/text/tokens.ts";

describe("counting tokens", () => {
  it.each([
    ["nothing", "", 0],
    ["two words", "hello world", 2],
    ["a special token spelled in text, as ordinary text", "<|endoftext|> x", 8],
  ])("counts %s", (_, text, tokens) => {
    expect(countTokens(text)).toBe(tokens);
  });

  it("estimates ten million characters without a break within seconds", () => {
    const started = performance.now();

    const tokens = countTokens("a".repeat(10_000_000));

    expect(tokens).toBeGreaterThan(1_000_000);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
