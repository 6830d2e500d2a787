import type { Git } from "./run-git.ts";

export interface FileDiff {
  readonly path: string;
  readonly previousPath: string | null;
  readonly status: "added" | "removed" | "modified" | "renamed";
  readonly sha: string;
  readonly additions: number;
  readonly deletions: number;
  /** From the first hunk on; null for a binary file or a pure rename. */
  readonly patch: string | null;
}

const STATUS: Readonly<Record<string, FileDiff["status"]>> = { A: "added", D: "removed", R: "renamed", C: "added" };

/** What changed between two trees, in git's order. */
export async function readDiff(git: Git, from: string, to: string): Promise<FileDiff[]> {
  const raw = (await git(["diff", "-M", "--raw", "--no-abbrev", "-z", from, to])).split("\0");
  const patches = (await git(["diff", "-M", "--no-color", "--no-ext-diff", from, to])).split(/^(?=diff --git )/m);
  const files: FileDiff[] = [];
  for (let at = 0; at + 1 < raw.length; ) {
    const [, , oldSha = "", newSha = "", letters = ""] = (raw[at] ?? "").split(" ");
    const kind = letters.slice(0, 1);
    const isMove = kind === "R" || kind === "C";
    const patch = patches[files.length] ?? "";
    const firstHunk = patch.search(/^@@/m);
    const hunks = firstHunk < 0 ? null : patch.slice(firstHunk).replace(/\n$/, "");
    files.push({
      path: raw[at + (isMove ? 2 : 1)] ?? "",
      previousPath: isMove ? (raw[at + 1] ?? null) : null,
      status: STATUS[kind] ?? "modified",
      sha: kind === "D" ? oldSha : newSha,
      additions: countLines(hunks, "+"),
      deletions: countLines(hunks, "-"),
      patch: hunks,
    });
    at += isMove ? 3 : 2;
  }
  return files;
}

function countLines(hunks: string | null, sign: string): number {
  return (hunks ?? "").split("\n").filter((line) => line.startsWith(sign)).length;
}
