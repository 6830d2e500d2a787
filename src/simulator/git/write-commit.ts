import { rm } from "node:fs/promises";
import path from "node:path";
import type { Git } from "./run-git.ts";

/** A file's new text, null to delete it. Executables and links give their mode. */
export type FileChange = string | null | { readonly content: string; readonly mode: "100755" | "120000" };

export interface Person {
  readonly name: string;
  readonly email: string;
}

export interface NewCommit {
  readonly parents: readonly string[];
  readonly files: Readonly<Record<string, FileChange>>;
  readonly message: string;
  readonly author: Person;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Writes a commit on top of the first parent's tree; moves no ref. */
export async function writeCommit(git: Git, commit: NewCommit, scratch: string): Promise<string> {
  const [parent] = commit.parents;
  const entries: TreeEntry[] = [];
  for (const [file, change] of Object.entries(commit.files)) entries.push(await entryOf(git, file, change));
  const tree = await writeTree(git, parent ?? null, entries, scratch);
  return writeCommitOfTree(git, { ...commit, tree });
}

export interface TreeEntry {
  readonly path: string;
  readonly mode: string;
  /** null removes the path. */
  readonly sha: string | null;
}

let indexNumber = 0;

/** Writes the tree that `base` (a commit or tree) becomes with these entries. */
export async function writeTree(
  git: Git,
  base: string | null,
  entries: readonly TreeEntry[],
  scratch: string,
): Promise<string> {
  indexNumber += 1;
  const index = path.join(scratch, `index-${indexNumber}`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await git(base === null ? ["read-tree", "--empty"] : ["read-tree", base], { env });
    const lines = entries.map(({ path: file, mode, sha }) =>
      sha === null ? `0 ${"0".repeat(40)}\t${file}` : `${mode} ${sha}\t${file}`,
    );
    if (lines.length > 0) await git(["update-index", "--index-info"], { env, input: `${lines.join("\n")}\n` });
    return (await git(["write-tree"], { env })).trim();
  } finally {
    await rm(index, { force: true });
  }
}

/** Writes a commit of a tree that is there; moves no ref. The committer is the author unless given. */
export async function writeCommitOfTree(
  git: Git,
  commit: Omit<NewCommit, "files"> & { readonly tree: string; readonly committer?: Person },
): Promise<string> {
  const when = `${Math.floor(commit.at / 1000)} +0000`;
  const committer = commit.committer ?? commit.author;
  const parents = commit.parents.flatMap((parent) => ["-p", parent]);
  const sha = await git(["commit-tree", commit.tree, ...parents, "-F", "-"], {
    input: commit.message,
    env: {
      GIT_AUTHOR_NAME: commit.author.name,
      GIT_AUTHOR_EMAIL: commit.author.email,
      GIT_AUTHOR_DATE: when,
      GIT_COMMITTER_NAME: committer.name,
      GIT_COMMITTER_EMAIL: committer.email,
      GIT_COMMITTER_DATE: when,
    },
  });
  return sha.trim();
}

async function entryOf(git: Git, file: string, change: FileChange): Promise<TreeEntry> {
  if (change === null) return { path: file, mode: "0", sha: null };
  const content = typeof change === "string" ? change : change.content;
  const sha = await git(["hash-object", "-w", "--stdin"], { input: content });
  return { path: file, mode: typeof change === "string" ? "100644" : change.mode, sha: sha.trim() };
}
