import { GitFailed, type NewCommit } from "../../ports/git.ts";
import type { World } from "../../ports/world.ts";
import { findRepository, resolveCommit } from "./foreign-repository.ts";
import { gitLine, gitOutput, type RunGit } from "./run-git.ts";

export interface Identity {
  readonly name: string;
  readonly email: string;
}

/** Makes the commits and, last of all, the branch: a call that fails has changed nothing anybody can name. */
export async function commitOnBranch(
  run: RunGit,
  by: Identity,
  world: Pick<World, "now">,
  dir: string,
  branch: string,
  base: string,
  commits: readonly NewCommit[],
): Promise<readonly string[]> {
  const complaint = await branchComplaint(run, dir, branch);
  if (complaint !== null) throw new GitFailed(complaint);
  const { root, objectFormat } = await findRepository(run, dir);
  const ref = `refs/heads/${branch}`;
  const start = await resolveCommit(run, root, base);
  if (start === null) throw new GitFailed(`${dir} has no commit ${base}`);
  const env = authorship(by, world);
  const made: string[] = [];
  for (const { copy, tree, message } of commits) {
    const parent = made.at(-1) ?? start;
    await bringTree(run, copy.gitDir, tree, start, root);
    const args = ["commit-tree", "-p", parent, "-F", "-", tree];
    made.push(await gitLine(run, { args, cwd: root, input: message, env }));
  }
  const none = "0".repeat(objectFormat === "sha256" ? 64 : 40);
  await gitOutput(run, { args: ["update-ref", "-m", "branch: made", ref, made.at(-1) ?? start, none], cwd: root, env });
  return made;
}

/** Why no branch of this name can be made in the clone, one line, or null. */
export async function branchComplaint(run: RunGit, dir: string, branch: string): Promise<string | null> {
  const { root } = await findRepository(run, dir);
  const named = await run({ args: ["check-ref-format", "--branch", branch], cwd: root });
  if (named.exitCode !== 0 || branch.startsWith("@{")) return `${branch} is no name for a branch`;
  // Git keeps refs like files: beside a branch `a` there is no `a/b`, and beside `a/b` no `a`.
  const parts = branch.split("/");
  for (const name of parts.map((_, at) => parts.slice(0, at + 1).join("/"))) {
    const taken = await run({ args: ["show-ref", "--verify", "--quiet", `refs/heads/${name}`], cwd: root });
    if (taken.exitCode === 0) return `the branch ${name} exists already`;
  }
  const below = await gitLine(run, { args: ["for-each-ref", "--count=1", `refs/heads/${branch}/`], cwd: root });
  return below === "" ? null : `${branch} cannot be made beside the branches below ${branch}/`;
}

function authorship(by: Identity, world: Pick<World, "now">): Record<string, string> {
  const date = `@${Math.floor(world.now().getTime() / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: by.name,
    GIT_AUTHOR_EMAIL: by.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: by.name,
    GIT_COMMITTER_EMAIL: by.email,
    GIT_COMMITTER_DATE: date,
  };
}

/** Brings the objects of a tree that the base does not have from our repository into the clone. */
async function bringTree(run: RunGit, gitDir: string, tree: string, base: string, root: string): Promise<void> {
  // Without the base in our repository there is nothing to leave out.
  const known = await run({ args: ["cat-file", "-e", `${base}^{commit}`], cwd: gitDir, gitDir });
  const input = `${tree}\n${known.exitCode === 0 ? `^${base}\n` : ""}`;
  const pack = await gitOutput(run, {
    args: ["pack-objects", "--revs", "--quiet", "--stdout"],
    cwd: gitDir,
    gitDir,
    input,
  });
  await gitOutput(run, { args: ["unpack-objects", "-q"], cwd: root, input: pack });
}
