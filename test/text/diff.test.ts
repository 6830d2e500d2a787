import { describe, expect, it } from "vitest";
import { addedLines, BadDiff, countLines, parseDiff, pathOf } from "../../src/text/diff.ts";

const facts = (text: string) => parseDiff(text).map(({ hunks: _hunks, ...file }) => file);

describe("parseDiff", () => {
  it("reads a hunk with line numbers for each side", () => {
    const text = [
      "diff --git a/src/sum.ts b/src/sum.ts",
      "index 1111111..2222222 100644",
      "--- a/src/sum.ts",
      "+++ b/src/sum.ts",
      "@@ -10,3 +10,4 @@ export function sum",
      " keep",
      "-old",
      "+new",
      "+more",
      " last",
      "\\ No newline at end of file",
      "",
    ].join("\n");

    expect(parseDiff(text)).toEqual([
      {
        oldPath: "src/sum.ts",
        newPath: "src/sum.ts",
        status: "modified",
        oldMode: "100644",
        newMode: "100644",
        binary: false,
        hunks: [
          {
            oldStart: 10,
            oldLines: 3,
            newStart: 10,
            newLines: 4,
            section: "export function sum",
            lines: [
              { kind: "context", text: "keep", oldLine: 10, newLine: 10, noNewline: false },
              { kind: "removed", text: "old", oldLine: 11, newLine: null, noNewline: false },
              { kind: "added", text: "new", oldLine: null, newLine: 11, noNewline: false },
              { kind: "added", text: "more", oldLine: null, newLine: 12, noNewline: false },
              { kind: "context", text: "last", oldLine: 12, newLine: 13, noNewline: true },
            ],
          },
        ],
      },
    ]);
  });

  it.each([
    {
      name: "a rename without changes",
      text: "diff --git a/a b.txt b/c d.txt\nsimilarity index 100%\nrename from a b.txt\nrename to c d.txt\n",
      file: { oldPath: "a b.txt", newPath: "c d.txt", status: "renamed", oldMode: null, newMode: null, binary: false },
    },
    {
      name: "a copy",
      text: "diff --git a/a b/c\nsimilarity index 90%\ncopy from a\ncopy to c\n",
      file: { oldPath: "a", newPath: "c", status: "copied", oldMode: null, newMode: null, binary: false },
    },
    {
      name: "a change of mode of a file with blanks in its name",
      text: "diff --git a/run me b/run me\nold mode 100644\nnew mode 100755\n",
      file: {
        oldPath: "run me",
        newPath: "run me",
        status: "modified",
        oldMode: "100644",
        newMode: "100755",
        binary: false,
      },
    },
    {
      name: "an empty new file",
      text: "diff --git a/x b/x\nnew file mode 100644\nindex 0000000..e69de29\n",
      file: { oldPath: null, newPath: "x", status: "added", oldMode: null, newMode: "100644", binary: false },
    },
    {
      name: "a deleted file",
      text: "diff --git a/x b/x\ndeleted file mode 100644\nindex 1111111..0000000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
      file: { oldPath: "x", newPath: null, status: "deleted", oldMode: "100644", newMode: null, binary: false },
    },
    {
      name: "a path in quotes",
      text: 'diff --git "a/\\303\\274\\"\\t.txt" "b/\\303\\274\\"\\t.txt"\nold mode 100644\nnew mode 100755\n',
      file: {
        oldPath: 'ü"\t.txt',
        newPath: 'ü"\t.txt',
        status: "modified",
        oldMode: "100644",
        newMode: "100755",
        binary: false,
      },
    },
    {
      name: "a binary file named only",
      text: "diff --git a/p.png b/p.png\nindex 1111111..2222222 100644\nBinary files a/p.png and b/p.png differ\n",
      file: {
        oldPath: "p.png",
        newPath: "p.png",
        status: "modified",
        oldMode: "100644",
        newMode: "100644",
        binary: true,
      },
    },
    {
      name: "a binary patch",
      text: "diff --git a/p.png b/p.png\nindex 1111111..2222222 100644\nGIT binary patch\nliteral 3\nKcmZQzU|?Vb0000\n\nliteral 0\nHcmV?d00001\n\n",
      file: {
        oldPath: "p.png",
        newPath: "p.png",
        status: "modified",
        oldMode: "100644",
        newMode: "100644",
        binary: true,
      },
    },
    {
      name: "a plain diff without git's header",
      text: "--- a/x.py\t2026-01-01\n+++ b/x.py\t2026-01-02\n@@ -1 +1 @@\n-a\n+b\n",
      file: { oldPath: "x.py", newPath: "x.py", status: "modified", oldMode: null, newMode: null, binary: false },
    },
  ])("reads $name", ({ text, file }) => {
    expect(facts(text)).toEqual([file]);
  });

  it("does not take a removed line that begins with two dashes for a header", () => {
    const text =
      "diff --git a/q.sql b/q.sql\n--- a/q.sql\n+++ b/q.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ b comment\n select 1\n";

    const [file] = parseDiff(text);

    expect(file?.hunks[0]?.lines.map(({ kind, text: line }) => [kind, line])).toEqual([
      ["removed", "-- a comment"],
      ["added", "++ b comment"],
      ["context", "select 1"],
    ]);
  });

  it("skips words around the diff and counts over all files", () => {
    const text =
      "From: someone\n\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n+c\ntrailing words\n--- a/y\n+++ /dev/null\n@@ -1 +0,0 @@\n-z\n";

    const files = parseDiff(text);

    expect(files.map(pathOf)).toEqual(["x", "y"]);
    expect(countLines(files)).toEqual({ added: 2, removed: 2 });
    expect(files.flatMap(addedLines).map((line) => line.newLine)).toEqual([1, 2]);
  });

  it.each([
    { name: "is cut off", text: "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n" },
    { name: "holds more of one side than counted", text: "--- a/x\n+++ b/x\n@@ -1,1 +1,2 @@\n-a\n-b\n+c\n+d\n" },
  ])("refuses a hunk that $name", ({ text }) => {
    expect(() => parseDiff(text)).toThrow(BadDiff);
  });

  it("reads no text as no files", () => {
    expect(parseDiff("")).toEqual([]);
  });
});
