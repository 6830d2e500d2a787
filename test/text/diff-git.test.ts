import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type FileDiff, parseDiff } from "../../src/text/diff.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "diff-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** `git diff` exits with 1 when the files differ. */
function gitDiff(before: string, after: string): string {
  writeFileSync(path.join(folder, "before"), before);
  writeFileSync(path.join(folder, "after"), after);
  const args = ["diff", "--no-index", "--no-color", "--text", "before", "after"];
  try {
    return execFileSync("git", args, { cwd: folder, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    if (error instanceof Error && "status" in error && error.status === 1 && "stdout" in error)
      return String(error.stdout);
    throw error;
  }
}

/** Line n of each side as the diff tells it, put over the old text: what `git apply` would leave. */
function applied(before: string, file: FileDiff): string {
  const lines = before.split("\n");
  const parts: string[] = [];
  let done = 0;
  for (const hunk of file.hunks) {
    const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
    parts.push(...lines.slice(done, start).map((line) => `${line}\n`));
    for (const line of hunk.lines)
      if (line.kind !== "removed") parts.push(line.noNewline ? line.text : `${line.text}\n`);
    done = start + hunk.oldLines;
  }
  return parts.join("") + lines.slice(done).join("\n");
}

const line = fc.constantFrom(
  "",
  "a",
  "b",
  "  c",
  "-- d",
  "++ e",
  "@@ -1 +1 @@",
  "\\ f",
  "diff --git a/x b/x",
  "ü",
  "g\r",
);
const text = fc
  .tuple(fc.array(line, { maxLength: 30 }), fc.boolean())
  .map(([lines, ended]) => (ended && lines.length > 0 ? `${lines.join("\n")}\n` : lines.join("\n")));

describe("parseDiff on what git really writes", () => {
  it("agrees with both files about every line", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const [file] = parseDiff(gitDiff(before, after));
        if (file === undefined) {
          expect(after).toBe(before);
          return;
        }

        const oldLines = before.split("\n");
        const newLines = after.split("\n");
        for (const { lines } of file.hunks) {
          for (const each of lines) {
            if (each.oldLine !== null) expect(each.text).toBe(oldLines[each.oldLine - 1]);
            if (each.newLine !== null) expect(each.text).toBe(newLines[each.newLine - 1]);
          }
        }
        expect(applied(before, file)).toBe(after);
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});
