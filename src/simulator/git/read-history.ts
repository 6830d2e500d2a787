import { type Git, GitFailed } from "./run-git.ts";

export interface CommitFacts {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: Signature;
  readonly committer: Signature;
  readonly message: string;
}

export interface Signature {
  readonly name: string;
  readonly email: string;
  readonly date: string;
}

const FORMAT = "%H%x00%T%x00%P%x00%an%x00%ae%x00%aI%x00%cn%x00%ce%x00%cI%x00%B%x1e";

/** The commits that `git log <args>` lists, newest first. */
export async function readCommits(git: Git, args: readonly string[]): Promise<CommitFacts[]> {
  const text = await git(["log", `--format=${FORMAT}`, ...args, "--"]);
  return text
    .split("\x1e")
    .map((record) => record.replace(/^\n/, ""))
    .filter((record) => record !== "")
    .map(commitOf);
}

/** null when nothing by that name is a commit. */
export async function readCommit(git: Git, name: string): Promise<CommitFacts | null> {
  const sha = await resolve(git, `${name}^{commit}`);
  if (sha === null) return null;
  return (await readCommits(git, ["-1", sha]))[0] ?? null;
}

/** The full object id, null when there is none. */
export async function resolve(git: Git, name: string): Promise<string | null> {
  if (name.startsWith("-")) return null;
  try {
    return (await git(["rev-parse", "--verify", "--quiet", name])).trim();
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

/** Every ref with its object id. */
export async function readRefs(git: Git, under = "refs/"): Promise<Map<string, string>> {
  const text = await git(["for-each-ref", "--format=%(refname) %(objectname)", under]);
  const pairs = text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): [string, string] => [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)]);
  return new Map(pairs);
}

/** Whether `newer` contains `older`; a commit contains itself. */
export async function isAncestor(git: Git, older: string, newer: string): Promise<boolean> {
  return (await git(["rev-list", "-1", older, `^${newer}`])).trim() === "";
}

/** The best common ancestor, null for unrelated histories. */
export async function mergeBase(git: Git, a: string, b: string): Promise<string | null> {
  try {
    return (await git(["merge-base", a, b])).trim();
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

function commitOf(record: string): CommitFacts {
  const [sha = "", tree = "", parents = "", an = "", ae = "", ad = "", cn = "", ce = "", cd = "", message = ""] =
    record.split("\0");
  return {
    sha,
    tree,
    parents: parents.split(" ").filter((parent) => parent !== ""),
    author: { name: an, email: ae, date: utc(ad) },
    committer: { name: cn, email: ce, date: utc(cd) },
    message: message.replace(/\n+$/, ""),
  };
}

const utc = (date: string): string => new Date(date).toISOString().replace(/\.\d+Z$/, "Z");
