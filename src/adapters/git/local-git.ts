import { tmpdir } from "node:os";
import { type Git, GitFailed } from "../../ports/git.ts";
import type { World } from "../../ports/world.ts";
import { checkout } from "./checkout.ts";
import { commitFiles } from "./commit-files.ts";
import { branchComplaint, commitOnBranch, type Identity } from "./commit-on-branch.ts";
import { findRepository, resolveCommit, withStandIn } from "./foreign-repository.ts";
import { inspect } from "./inspect.ts";
import { firstComplaint, gitRunner } from "./run-git.ts";

export interface LocalGitOptions {
  readonly world: Pick<World, "now">;
  /** Author and committer of the commits we make. */
  readonly identity: Identity;
  /** PATH on which git is looked for; the usual places without it. */
  readonly path?: string;
  /** Where short-lived folders go; the system's own without it. */
  readonly tempFolder?: string;
}

/** Git on this machine, as the `git` program (2.36 or later). */
export function localGit({ world, identity, path, tempFolder = tmpdir() }: LocalGitOptions): Git {
  const run = gitRunner(path);
  return {
    inspect: (dir) => inspect(run, tempFolder, dir),
    resolve: async (dir, revision) => {
      await findRepository(run, dir);
      return resolveCommit(run, dir, revision);
    },
    resolveTree: async (dir, revision) => {
      const { root } = await findRepository(run, dir);
      const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{tree}`];
      const answer = await run({ args, cwd: root });
      return answer.exitCode === 0 ? answer.stdout.toString("utf8").trim() : null;
    },
    files: (dir, commit) => commitFiles(run, dir, commit),
    checkout: (from, commit, folder) => checkout(run, tempFolder, from, commit, folder),
    commitOnBranch: (dir, branch, base, commits) => commitOnBranch(run, identity, world, dir, branch, base, commits),
    branchComplaint: (dir, branch) => branchComplaint(run, dir, branch),
    applyToWorkTree: async (dir, patch) => {
      if (patch === "") return;
      const repository = await findRepository(run, dir);
      if (repository.bare) throw new GitFailed(`${dir} has no work tree`);
      await withStandIn(run, repository, tempFolder, async (gitDir) => {
        // The clone's own git directory could name filters, which `git apply` runs.
        const here = { cwd: repository.root, gitDir, workTree: repository.root };
        const applied = await run({ args: ["apply", "--whitespace=nowarn", "-"], input: patch, ...here });
        if (applied.exitCode !== 0) throw new GitFailed(firstComplaint(applied.stderr) ?? "the patch does not apply");
      });
    },
  };
}
