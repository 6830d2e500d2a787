import { copyFile } from "node:fs/promises";
import path from "node:path";
import PQueue from "p-queue";
import type { TreeId, WorkingCopy } from "../../ports/git.ts";
import { removeTree } from "../remove-tree.ts";
import { diffTrees } from "./diff-trees.ts";
import { type BytePath, decodeText, showPath, splitPaths } from "./path-bytes.ts";
import { firstComplaint, gitLine, gitOutput, type RunGit } from "./run-git.ts";
import { type StagedTree, stageFiles } from "./stage-files.ts";
import { putThrowAwayRepository, type ThrowAwayParts } from "./throw-away-repository.ts";

export interface WorkingCopyParts extends ThrowAwayParts {
  readonly base: TreeId;
  readonly notFilled: WorkingCopy["notFilled"];
}

/** A working copy over a folder that `checkout` has filled. Calls take turns: they share one index. */
export function workingCopy(run: RunGit, parts: WorkingCopyParts): WorkingCopy {
  const turns = new PQueue({ concurrency: 1 });
  const { tree, gitDir, commit, base, notFilled } = parts;
  const at: StagedTree = { tree, gitDir };
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => turns.add(work);
  return {
    tree,
    commit,
    gitDir,
    base,
    notFilled,
    snapshot: () => inTurn(() => snapshot(run, at)),
    restore: (id) => inTurn(() => restore(run, parts, id)),
    diff: (from, to) => diffTrees(run, gitDir, from, to),
    changedFiles: (from, to) => changedFiles(run, gitDir, from, to),
    apply: (patch) => inTurn(() => applyPatch(run, parts, patch)),
    listFiles: () => listFiles(run, gitDir, base),
    read: (id, file) => readFileOf(run, gitDir, id, file),
    remove: () => removeTree(parts.workshop),
  };
}

async function snapshot(run: RunGit, at: StagedTree): Promise<TreeId> {
  await stageFiles(run, at);
  return gitLine(run, { args: ["write-tree"], cwd: at.tree, gitDir: at.gitDir, workTree: at.tree });
}

async function restore(run: RunGit, parts: ThrowAwayParts, id: TreeId): Promise<void> {
  const here = { cwd: parts.tree, gitDir: parts.gitDir, workTree: parts.tree };
  // What is not in the index would stay: first everything goes in, then git removes what `id` does not have.
  await stageFiles(run, parts);
  await gitOutput(run, { args: ["read-tree", "--reset", "-u", id], ...here });
  // A rule that ignored files and is gone now lets them show.
  await gitOutput(run, { args: ["clean", "-ffdq"], ...here });
  await putThrowAwayRepository(parts);
}

/** The patch is put onto the snapshot in the object store, so that the files are touched only when all of it fits. */
async function applyPatch(run: RunGit, parts: ThrowAwayParts, patch: string): Promise<string | null> {
  if (patch === "") return null;
  const here = { cwd: parts.tree, gitDir: parts.gitDir, workTree: parts.tree };
  // The index knows which files are as they were written; a copy takes the patch, so that ours still does afterwards.
  const indexFile = path.join(parts.gitDir, "patched-index");
  await stageFiles(run, parts);
  await copyFile(path.join(parts.gitDir, "index"), indexFile);
  // Models forget the last line end, which git takes for a cut patch.
  const input = patch.endsWith("\n") ? patch : `${patch}\n`;
  const args = ["apply", "--cached", "--whitespace=nowarn", "-"];
  const applied = await run({ args, input, indexFile, ...here });
  if (applied.exitCode !== 0) return firstComplaint(applied.stderr) ?? "the patch does not apply";
  const patched = await gitLine(run, { args: ["write-tree"], indexFile, ...here });
  await gitOutput(run, { args: ["read-tree", "--reset", "-u", patched], ...here });
  return null;
}

async function changedFiles(run: RunGit, gitDir: string, from: TreeId, to: TreeId): Promise<readonly string[]> {
  const args = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", from, to];
  return splitPaths(await gitOutput(run, { args, cwd: gitDir, gitDir })).map(showPath);
}

interface TreeEntry {
  readonly mode: string;
  readonly id: string;
  readonly name: BytePath;
}

async function listTree(run: RunGit, gitDir: string, args: readonly string[]): Promise<TreeEntry[]> {
  const entries = splitPaths(await gitOutput(run, { args: ["ls-tree", "-z", ...args], cwd: gitDir, gitDir }));
  return entries.map((entry) => {
    const [mode = "", , id = ""] = entry.slice(0, entry.indexOf("\t")).split(" ");
    return { mode, id, name: entry.slice(entry.indexOf("\t") + 1) };
  });
}

async function listFiles(run: RunGit, gitDir: string, tree: TreeId): Promise<readonly string[]> {
  const entries = await listTree(run, gitDir, ["-r", tree]);
  return entries.filter(({ mode }) => mode !== "160000").map(({ name }) => showPath(name));
}

async function readFileOf(run: RunGit, gitDir: string, tree: TreeId, file: string): Promise<string | null> {
  const name = path.posix.normalize(file);
  if (name === ".." || name.startsWith("../") || name.startsWith("/")) return null;
  const byName = await listTree(run, gitDir, [tree, "--", name]);
  // A name that is no UTF-8 cannot be an argument; it comes here as `changedFiles` shows it.
  const entries = byName.length === 0 && name.startsWith('"') ? await listTree(run, gitDir, ["-r", tree]) : byName;
  const entry = entries.find((one) => showPath(one.name) === name && one.mode.startsWith("100"));
  if (entry === undefined) return null;
  const bytes = await gitOutput(run, { args: ["cat-file", "blob", entry.id], cwd: gitDir, gitDir });
  return bytes.includes(0) ? null : decodeText(bytes);
}
