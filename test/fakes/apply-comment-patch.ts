import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A file's text after git applied the one `diff` block of a comment to it. */
export function applyCommentPatch(comment: string, file: string, before: string): string {
  const patch = /```diff\n([\s\S]*?)\n```/.exec(comment)?.[1] ?? "";
  const folder = mkdtempSync(path.join(tmpdir(), "applied-"));
  try {
    writeFileSync(path.join(folder, file), before);
    execFileSync("git", ["apply", "-"], { cwd: folder, input: `${patch}\n` });
    return readFileSync(path.join(folder, file), "utf8");
  } finally {
    rmSync(folder, { recursive: true });
  }
}
