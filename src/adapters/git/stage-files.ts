import { lstat } from "node:fs/promises";
import path from "node:path";
import { GitFailed } from "../../ports/git.ts";
import { OUR_ATTRIBUTES, withAttributes } from "./our-attributes.ts";
import { type BytePath, decodeText, joinPaths, pathBytes, splitPaths } from "./path-bytes.ts";
import { gitOutput, type RunGit } from "./run-git.ts";

/** A tree under our own git directory. */
export interface StagedTree {
  readonly tree: string;
  readonly gitDir: string;
}

/**
 * Brings our index up to what lies in the tree. Not `git add -A`: that looks into submodules by running git in them, with
 * the configuration that whoever works in the tree has written there, and it stops at a repository inside the tree. Here
 * submodules stay as they are and the files of an inner repository are files.
 */
export async function stageFiles(run: RunGit, at: StagedTree): Promise<void> {
  try {
    await stageOnce(run, at);
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    // Attributes written in the tree can name an encoding that its files are not in, at which git stops.
    await withAttributes(at.gitDir, `${OUR_ATTRIBUTES}* -working-tree-encoding\n`, () => stageOnce(run, at));
  }
}

async function stageOnce(run: RunGit, at: StagedTree): Promise<void> {
  const [changed, others, links] = await Promise.all([
    changedTracked(run, at),
    untracked(run, at, ""),
    submodules(run, at),
  ]);
  const gone: BytePath[] = [];
  const there: BytePath[] = [];
  for (const { name, deleted } of changed) {
    if (links.has(name)) continue;
    (deleted || !(await isStorable(at.tree, name)) ? gone : there).push(name);
  }
  await updateIndex(run, at, ["--force-remove"], gone);
  await updateIndex(run, at, ["--add", "--remove", "--replace"], [...there, ...others]);
}

async function updateIndex(
  run: RunGit,
  at: StagedTree,
  how: readonly string[],
  names: readonly BytePath[],
): Promise<void> {
  if (names.length === 0) return;
  const args = ["update-index", "-z", ...how, "--stdin"];
  await gitOutput(run, { args, cwd: at.tree, gitDir: at.gitDir, workTree: at.tree, input: joinPaths(names) });
}

/** Tracked files that differ from the index, or may. A file behind a folder that became a link counts as deleted. */
async function changedTracked(run: RunGit, at: StagedTree): Promise<{ name: BytePath; deleted: boolean }[]> {
  const args = ["diff-files", "-z", "--name-status", "--ignore-submodules=all"];
  const words = splitPaths(await gitOutput(run, { args, cwd: at.tree, gitDir: at.gitDir, workTree: at.tree }));
  const changed = [];
  for (let at = 0; at + 1 < words.length; at += 2)
    changed.push({ name: words[at + 1] ?? "", deleted: words[at] === "D" });
  return changed;
}

/** Paths of submodules in the index. */
export async function submodules(run: RunGit, at: StagedTree): Promise<ReadonlySet<BytePath>> {
  const args = ["ls-files", "-z", "--stage"];
  const entries = splitPaths(await gitOutput(run, { args, cwd: at.tree, gitDir: at.gitDir, workTree: at.tree }));
  return new Set(
    entries.filter((entry) => entry.startsWith("160000 ")).map((entry) => entry.slice(entry.indexOf("\t") + 1)),
  );
}

/** Files below `folder` ("" or ending in "/") neither tracked nor ignored, those of inner repositories too. */
async function untracked(run: RunGit, at: StagedTree, folder: BytePath): Promise<BytePath[]> {
  const listed = await listOthers(run, at, folder);
  const files = listed.filter((name) => !name.endsWith("/"));
  for (const inner of listed.filter((name) => name.endsWith("/"))) {
    files.push(...(await notIgnored(run, at, await untracked(run, at, inner))));
  }
  return files;
}

/** What git lists below a folder when it takes the folder for the work tree; an inner repository is one name ending in "/". */
async function listOthers(run: RunGit, at: StagedTree, folder: BytePath): Promise<BytePath[]> {
  // The folder goes into an environment variable, which is text here. An inner repository named otherwise is left out.
  const relative = decodeText(pathBytes(folder));
  if (relative === null) return [];
  const workTree = path.join(at.tree, relative);
  const args = ["ls-files", "-z", "--others", "--exclude-standard"];
  const ownIndex = folder === "" ? {} : { indexFile: path.join(at.gitDir, "no-index") };
  const names = splitPaths(await gitOutput(run, { args, cwd: workTree, gitDir: at.gitDir, workTree, ...ownIndex }));
  return names.map((name) => folder + name);
}

/** Those of the names that the rules of the outer tree do not ignore. */
async function notIgnored(run: RunGit, at: StagedTree, names: readonly BytePath[]): Promise<readonly BytePath[]> {
  if (names.length === 0) return names;
  const args = ["check-ignore", "-z", "--stdin", "--no-index"];
  // Exit code 1 says that none is ignored.
  const found = await run({ args, cwd: at.tree, gitDir: at.gitDir, workTree: at.tree, input: joinPaths(names) });
  const ignored = new Set(splitPaths(found.stdout));
  return names.filter((name) => !ignored.has(name));
}

/** Sockets, pipes and folders have no content to store. */
async function isStorable(tree: string, name: BytePath): Promise<boolean> {
  const found = await lstat(Buffer.concat([Buffer.from(`${tree}/`), pathBytes(name)])).catch(() => null);
  return found !== null && (found.isFile() || found.isSymbolicLink());
}
