import { constants } from "node:fs";
import { copyFile, cp, lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { RepositoryFacts, WorkingCopy } from "../ports/git.ts";
import { type Moved, moveVirtualEnvironments } from "./move-virtual-environment.ts";

/** What became of one dependency folder of the clone. */
export interface LentFolder extends Moved {
  /** Relative to the root of the repository, in the clone as in the working copy. */
  readonly folder: string;
}

/**
 * Copies the clone's dependency folders to the same places in the working copy (design §9). A folder that git would not
 * ignore at this commit is left out: it would become part of the patch. Virtual environments are made to fit their new
 * place. The clone is only read. `facts` as `Git.inspect` gives them.
 */
export async function lendFolders(
  facts: Pick<RepositoryFacts, "root" | "dependencyFolders">,
  copy: WorkingCopy,
): Promise<readonly LentFolder[]> {
  const wanted = await Promise.all(
    facts.dependencyFolders.map(async (folder) => ({ folder, why: await whyNoPlace(copy.tree, folder) })),
  );
  const placed = wanted.filter(({ why }) => why === null).map(({ folder }) => folder);
  const ignored = await ignoredThere(facts.root, copy, placed);
  const lent: LentFolder[] = [];
  for (const { folder, why } of wanted) {
    if (why !== null) lent.push({ folder, notUsable: why, env: {} });
    else if (!ignored.has(folder)) lent.push({ folder, notUsable: "git does not ignore it at this commit", env: {} });
    else lent.push(await lendOne(facts.root, copy.tree, folder));
  }
  return lent;
}

async function lendOne(root: string, tree: string, folder: string): Promise<LentFolder> {
  const to = path.join(tree, folder);
  await cp(path.join(root, folder), to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    mode: constants.COPYFILE_FICLONE,
    filter: hasContent,
  });
  return { folder, ...(await moveVirtualEnvironments(root, tree, folder)) };
}

/** A tool may have left a socket or a pipe in there (a watcher, an editor): they cannot be copied, and nobody needs them. */
async function hasContent(from: string): Promise<boolean> {
  const found = await lstat(from);
  return found.isFile() || found.isDirectory() || found.isSymbolicLink();
}

/** Why the folder cannot be put there; null when it can. */
async function whyNoPlace(tree: string, folder: string): Promise<string | null> {
  const place = path.join(tree, folder);
  if ((await lstat(place).catch(() => null)) !== null) return "there is one in the repository itself";
  const parent = await realpath(path.dirname(place)).catch(() => null);
  if (parent === null) return "the folder it lies in is not there at this commit";
  // A link in the commit could lead the copy out of the tree.
  return parent === path.dirname(path.join(await realpath(tree), folder)) ? null : "the folder it lies in is a link";
}

/** Asks git with a small file in each place: copying ten thousand files to learn that they are not ignored takes long. */
async function ignoredThere(root: string, copy: WorkingCopy, folders: readonly string[]): Promise<ReadonlySet<string>> {
  if (folders.length === 0) return new Set();
  const before = await copy.snapshot();
  try {
    for (const folder of folders) {
      const place = path.join(copy.tree, folder);
      await mkdir(place, { recursive: true });
      await writeFile(path.join(place, "probe"), "");
      // A virtual environment ignores itself with a file of its own.
      await copyFile(path.join(root, folder, ".gitignore"), path.join(place, ".gitignore")).catch(ignoreMissing);
    }
    const shown = await copy.changedFiles(before, await copy.snapshot());
    return new Set(folders.filter((folder) => !shown.some((file) => file.startsWith(`${folder}/`))));
  } finally {
    for (const folder of folders) await rm(path.join(copy.tree, folder), { recursive: true, force: true });
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") throw error;
}
