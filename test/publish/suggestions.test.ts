import { describe, expect, it } from "vitest";
import { suggestionsOf } from "../../src/publish/suggestions.ts";

const diff = (path: string, ...hunks: readonly string[]): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunks.join("\n")}\n`;
const PULL = diff("bed.ts", "@@ -1,3 +1,4 @@\n one\n+two\n three\n four", "@@ -20 +21 @@\n-old\n+new");

describe("a patch as suggestions", () => {
  it.each([
    ["replaced lines", "@@ -2,2 +2,1 @@\n-two\n-three\n+both", { startLine: 2, line: 3, text: "both\n" }],
    ["a deleted line", "@@ -1,2 +1,1 @@\n one\n-two", { startLine: 2, line: 2, text: "" }],
    ["added lines behind another", "@@ -1,1 +1,2 @@\n one\n+more", { startLine: 1, line: 1, text: "one\nmore\n" }],
    ["added lines before the first", "@@ -1,1 +1,2 @@\n+zero\n one", { startLine: 1, line: 1, text: "zero\none\n" }],
    ["a line of another hunk", "@@ -21 +21 @@\n-new\n+newer", { startLine: 21, line: 21, text: "newer\n" }],
  ])("says %s", (_what, hunk, { startLine, line, text }) => {
    const body = `\`\`\`suggestion\n${text}\`\`\``;

    expect(suggestionsOf(diff("bed.ts", hunk), PULL)).toEqual([{ path: "bed.ts", startLine, line, body }]);
  });

  it("cannot be closed by the code in it", () => {
    const [suggestion] = suggestionsOf(diff("bed.ts", "@@ -2 +2 @@\n-two\n+```"), PULL) ?? [];

    expect(suggestion?.body).toBe("````suggestion\n```\n````");
  });

  it.each([
    ["a line that the pull request does not show", diff("bed.ts", "@@ -10 +10 @@\n-ten\n+TEN")],
    ["a line that is another one there", diff("bed.ts", "@@ -3 +3 @@\n-thirty\n+three")],
    ["a file that is not in it", diff("hose.ts", "@@ -2 +2 @@\n-two\n+TWO")],
    ["one change of two", diff("bed.ts", "@@ -2 +2 @@\n-two\n+TWO", "@@ -10 +10 @@\n-ten\n+TEN")],
    ["a new file", "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+x\n"],
    ["line ends", diff("bed.ts", "@@ -2 +2 @@\n-two\n+two\r")],
    ["lines across two hunks", diff("bed.ts", "@@ -4,1 +4,1 @@\n-four\n+4", "@@ -5 +5 @@\n-five\n+5")],
    ["two changes that need the same line", diff("bed.ts", "@@ -1,1 +1,3 @@\n+zero\n one\n+more")],
    ["nothing", ""],
    ["what is no diff", "@@ -1,9 +1,9 @@"],
  ])("is none for %s", (_what, patch) => {
    expect(suggestionsOf(patch, PULL)).toBeNull();
  });
});
