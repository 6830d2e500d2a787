import { expect, it } from "vitest";
import { plainWords } from "../../src/text/plain-words.ts";

it.each([
  ["Unused import `os` in src/app/main.py", "unused import in"],
  ["TS2345: Argument of type 'string'", "ts2345 argument of type string"],
  ["expected 3 to be 4.5", "expected to be"],
  ["test_sum[int-2] failed  twice", "test_sum[int-2] failed twice"],
  ["Cannot find ./a/b.test.ts:12:4, sorry!", "cannot find sorry"],
  ["node.js v20 is missing e.g. here", "v20 is missing e g here"],
  ["", ""],
])("%j is compared as %j", (text, expected) => {
  expect(plainWords(text).text).toBe(expected);
});

it("takes linear time on a hostile text", () => {
  const started = performance.now();

  plainWords(`${"@".repeat(200_000)}${"a.".repeat(100_000)}${"`".repeat(100_001)}`);

  expect(performance.now() - started).toBeLessThan(500);
});
