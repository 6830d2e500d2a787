import { expect, it } from "vitest";
import { namedFile } from "../../src/tools/named-file.ts";

it.each([
  ["No entry was found in docs/HISTORY.md.", "docs/HISTORY.md"],
  ["Forbidden import lib/core/secret.ts in lib/door.ts", "lib/door.ts"],
  ['cannot parse "config/app.yaml": line 3', "config/app.yaml"],
  ["/home/runner/work/app/app/src/a.rb is too long", "src/a.rb"],
  ["compare a/one.ts with b/two.ts", null],
  ["see https://example.invalid/docs/page.html for help", null],
  ["/usr/lib/libfoo.so is missing", null],
  ["node_modules/x/index.js failed", null],
  ["version 1.2/3.4 is not there", null],
  ["nothing here", null],
])("the file that a sentence names: %s", (sentence, file) => {
  expect(namedFile(sentence)?.file ?? null).toBe(file);
});

it("takes no time over a long line without an end", () => {
  expect(namedFile("a/".repeat(500_000))).toBeNull();
});
