import { describe, expect, it } from "vitest";
import { failureSignature, normalizeMessage } from "../../src/domain/signature.ts";

describe("the signature of a failure", () => {
  it.each([
    ["Timed out after 5003ms", "Timed out after 4871ms"],
    ["boom at 2026-01-02T03:04:05.678Z", "boom at 2025-11-12T13:14:15.000Z"],
    ["segfault at 0x7ffe12", "segfault at 0xdeadbeef"],
    ["/home/runner/work/app/app/src/a.ts is wrong", "src/a.ts is wrong"],
    ["src/a.ts:12:5 is wrong", "src/a.ts:40:1 is wrong"],
    ["commit 3f2a9c1b7d is  missing", "commit 9a8b7c6d5e is missing"],
  ])("is blind to what changes from run to run: %s", (one, other) => {
    expect(normalizeMessage(one)).toBe(normalizeMessage(other));
  });

  it.each([
    ["expected 3 to be 4", "expected 3 to be 5"],
    ["no default export", "no deadbeef export"],
    ["cannot find name defaced", "cannot find name accede"],
  ])("sees what the failure is about: %s", (one, other) => {
    expect(normalizeMessage(one)).not.toBe(normalizeMessage(other));
  });

  it("tells tools, rules and subjects apart", () => {
    const base = { tool: "eslint", rule: "no-undef", message: "x is not defined", subject: "src/a.js" };
    const signatures = [
      base,
      { ...base, tool: "biome" },
      { ...base, rule: "no-unused" },
      { ...base, subject: "src/b.js" },
    ].map(failureSignature);

    expect(new Set(signatures).size).toBe(4);
    expect(signatures.every((signature) => /^[0-9a-f]{16}$/.test(signature))).toBe(true);
  });
});
