import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { replaceFileDiff } from "../../src/text/replace-file.ts";

it.each<[string, string | null, string | null]>([
  ["a.txt", "one\ntwo\n", "one\n2\n"],
  ["no line end.txt", "one\ntwo", "one\ntwo\nthree"],
  ["to an end.txt", "one", "one\n"],
  ["new.txt", null, "first\n"],
  ["new and empty.txt", null, ""],
  ["gone.txt", "was\n", null],
  ["filled.txt", "", "now\n"],
  ["emptied.txt", "was\n", ""],
  ["returns.txt", "one\r\ntwo\r\n", "one\r\n2\r\n"],
  ['deep/down/Ü "quoted".txt', "ä\n", "ö\n"],
  ["looks like a diff.txt", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n", "diff --git a/x b/x\n"],
])("git applies the patch of %j", (name, before, after) => {
  const folder = mkdtempSync(path.join(tmpdir(), "replace-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  if (before !== null) writeFileSync(file, before);

  const patch = replaceFileDiff(name, before, after);
  execFileSync("git", ["apply", "--whitespace=nowarn", "-"], { cwd: folder, input: patch, stdio: "pipe" });

  expect(existsSync(file) ? readFileSync(file, "utf8") : null).toBe(after);
});

it("says nothing about a file that stays as it is", () => {
  expect([replaceFileDiff("a", "x\n", "x\n"), replaceFileDiff("a", null, null)]).toEqual(["", ""]);
});
