import { constants } from "node:fs";
import { copyFile, lstat, mkdir, readdir, rename, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { removeTree } from "../remove-tree.ts";
import { copyIfThere, repositoryConfig } from "./foreign-repository.ts";

/** What the throw-away `.git` of a working copy is made of. */
export interface ThrowAwayParts {
  /** The tree it goes into. */
  readonly tree: string;
  /** Our git directory; only read. */
  readonly gitDir: string;
  /** A folder beside the tree where it is put together. */
  readonly workshop: string;
  readonly objectFormat: string;
  readonly commit: string;
  readonly tags: ReadonlyMap<string, string>;
}

/** Index of the base commit as first checked out, kept in our git directory. */
export const BASE_INDEX = "base-index";

/**
 * Puts a `.git` into the tree for whoever works there: detached at the commit, with its history and tags, no remote. We
 * never run git with it. Its packs are copies, not hard links: what the sandbox does to them must not reach ours.
 */
export async function putThrowAwayRepository(parts: ThrowAwayParts): Promise<void> {
  const made = path.join(parts.workshop, "throw-away");
  const old = path.join(parts.tree, ".git");
  await removeTree(made);
  for (const folder of ["refs/heads", "refs/tags", "info", "objects/info", "objects/pack"]) {
    await mkdir(path.join(made, folder), { recursive: true });
  }
  await writeFile(path.join(made, "HEAD"), `${parts.commit}\n`);
  await writeFile(path.join(made, "config"), throwAwayConfig(parts.objectFormat));
  await writeFile(path.join(made, "packed-refs"), packedRefs(parts.tags));
  await copyIfThere(path.join(parts.gitDir, "info/exclude"), path.join(made, "info/exclude"));
  await copyIfThere(path.join(parts.gitDir, "shallow"), path.join(made, "shallow"));
  await copyFile(path.join(parts.gitDir, BASE_INDEX), path.join(made, "index"));
  await supplyPacks(path.join(parts.gitDir, "objects/pack"), path.join(old, "objects/pack"), `${made}/objects/pack`);
  await removeTree(old);
  await rename(made, old);
}

function throwAwayConfig(objectFormat: string): string {
  // A name, so that a commit made in there works without a HOME.
  return `${repositoryConfig(objectFormat)}\n[user]\n\tname = sandbox\n\temail = sandbox@localhost\n[gc]\n\tauto = 0\n`;
}

function packedRefs(tags: ReadonlyMap<string, string>): string {
  return [...tags].map(([name, id]) => `${id} ${name}\n`).join("");
}

/** Moves the packs of the former throw-away repository where they look untouched (large ones cost seconds), else copies. */
async function supplyPacks(ours: string, old: string, made: string): Promise<void> {
  const former = await realFolder(old, "objects", "pack");
  for (const name of await readdir(ours)) {
    const from = path.join(ours, name);
    const to = path.join(made, name);
    if (former !== null && (await moveUntouched(from, path.join(former, name), to))) continue;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
    const { atime, mtime } = await lstat(from);
    await utimes(to, atime, mtime);
  }
}

/** The folder below `base`, or null when any part of the way is a link: it could lead into somebody else's repository. */
async function realFolder(base: string, ...names: readonly string[]): Promise<string | null> {
  let folder = base;
  for (const name of [".", ...names]) {
    folder = path.join(folder, name);
    const found = await lstat(folder).catch(() => null);
    if (found?.isDirectory() !== true) return null;
  }
  return folder;
}

/** Size and time can be forged from within the sandbox; it would only harm its own copy. */
async function moveUntouched(ours: string, theirs: string, to: string): Promise<boolean> {
  const [mine, its] = await Promise.all([lstat(ours), lstat(theirs).catch(() => null)]);
  if (its?.isFile() !== true || its.nlink !== 1 || its.size !== mine.size) return false;
  // Copying a time through a float loses its last digits.
  if (Math.abs(its.mtimeMs - mine.mtimeMs) > 1) return false;
  return rename(theirs, to).then(
    () => true,
    () => false,
  );
}
