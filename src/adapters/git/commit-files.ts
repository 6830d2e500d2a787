import { type CommitFiles, GitFailed } from "../../ports/git.ts";
import { findRepository, resolveCommit } from "./foreign-repository.ts";
import { decodeText, showPath, splitPaths } from "./path-bytes.ts";
import { gitOutput, type RunGit } from "./run-git.ts";

/** The files of a commit read straight out of the object store; nothing is checked out, nothing written. */
export async function commitFiles(run: RunGit, dir: string, revision: string): Promise<CommitFiles> {
  const { root } = await findRepository(run, dir);
  const commit = await resolveCommit(run, root, revision);
  if (commit === null) throw new GitFailed(`${dir} has no commit ${revision}`);
  const list = await gitOutput(run, { args: ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit], cwd: root });
  return {
    paths: splitPaths(list).map(showPath),
    read: async (path) => {
      const { exitCode, stdout } = await run({ args: ["cat-file", "blob", `${commit}:${path}`], cwd: root });
      if (exitCode !== 0 || stdout.includes(0)) return null;
      return decodeText(stdout);
    },
  };
}
