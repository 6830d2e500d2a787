import { describe, expect, it } from "vitest";
import { readLooseDiff } from "../../src/text/loose-diff.ts";
import { placeEdits } from "../../src/text/place-hunks.ts";

const CODE = `import { rate } from "./rate.js";

export function net(price) {
  const part = rate(price);
  return price - part;
}

export function gross(price) {
  const part = rate(price);
  return price - part; // wrong here
}
`;

function place(text: string, diff: string) {
  const [file] = readLooseDiff(diff);
  const { text: placed, placed: count, unplaced } = placeEdits(text, file?.edits ?? []);
  return { placed, count, unplaced: unplaced.map(({ why }) => why) };
}

describe("placing a model's edits", () => {
  it("ignores line numbers, counts, a fence and prose around the diff", () => {
    const diff = `Here it is:\n\`\`\`diff\n--- a/tax.js\n+++ b/tax.js\n@@ -900,1 +2,77 @@\n export function gross(price) {\n   const part = rate(price);\n-  return price - part;\n+  return price + part;\n }\n\`\`\`\nDone.`;

    expect(place(CODE, diff)).toEqual({
      placed: CODE.replace("return price - part; // wrong here", "return price + part;"),
      count: 1,
      unplaced: [],
    });
  });

  it("tells two equal lines apart by their neighbours", () => {
    const diff =
      "@@ @@\n export function net(price) {\n-  const part = rate(price);\n+  const part = rate(price) / 2;\n";

    expect(place(CODE, diff).placed).toBe(CODE.replace("rate(price);", "rate(price) / 2;"));
  });

  it("leaves out what could go to several places, and says so", () => {
    const diff = "@@ @@\n-  const part = rate(price);\n+  const part = 0;\n";

    expect(place(CODE, diff)).toEqual({ placed: CODE, count: 0, unplaced: ["several places look alike"] });
  });

  it("leaves out lines that are nowhere, and keeps the rest", () => {
    const diff =
      '@@ @@\n-import { rate } from "./rate.js";\n+import { rate } from "./rates.js";\n@@ @@\n-  return nothing;\n+  return 1;\n';

    expect(place(CODE, diff)).toEqual({
      placed: CODE.replace("./rate.js", "./rates.js"),
      count: 1,
      unplaced: ["no such lines"],
    });
  });

  it("inserts between the lines that stand around it, blank lines kept", () => {
    const diff =
      '@@ @@\n import { rate } from "./rate.js";\n+import { round } from "./round.js";\n \n export function net(price) {\n';

    expect(place(CODE, diff).placed).toBe(
      CODE.replace('"./rate.js";\n', '"./rate.js";\nimport { round } from "./round.js";\n'),
    );
  });

  it("takes over the indentation that is there", () => {
    const python = "class A:\n    def f(self):\n        return 1\n";
    const diff = "@@ @@\n def f(self):\n-    return 1\n+    if self:\n+        return 2\n+    return 1\n";

    expect(place(python, diff).placed).toBe(
      "class A:\n    def f(self):\n        if self:\n            return 2\n        return 1\n",
    );
  });

  it("places edits of one hunk in order, though the second's lines stand before the first too", () => {
    const text = "a\nx\nb\nx\nc\n";
    const diff = "@@ @@\n b\n-x\n+y\n c\n";

    expect(place(text, diff).placed).toBe("a\nx\nb\ny\nc\n");
  });

  it("fills an empty file, and reads a new and a deleted one", () => {
    expect(place("", "@@ @@\n+one\n")).toMatchObject({ placed: "one\n", count: 1 });
    expect(
      readLooseDiff("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+one\n--- a/old.txt\n+++ /dev/null\n").map(
        ({ path, kind }) => ({ path, kind }),
      ),
    ).toEqual([
      { path: "new.txt", kind: "new" },
      { path: "old.txt", kind: "deleted" },
    ]);
  });

  it("finds a line whose comment the model left out or made up", () => {
    const diff =
      "@@ @@\n export function gross(price) {\n   const part = rate(price);   // the part\n-  return price - part;\n+  return price + part;\n";

    expect(place(CODE, diff).count).toBe(1);
  });
});
