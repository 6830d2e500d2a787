import type { RepositoryFacts } from "../../ports/git.ts";
import { dependencyFoldersOf, wholeFolders } from "./dependency-folders.ts";
import { type ForeignRepository, findRepository, resolveCommit, withStandIn } from "./foreign-repository.ts";
import { originName } from "./origin-name.ts";
import { showPath, splitPaths } from "./path-bytes.ts";
import { type GitCall, gitOutput, type RunGit } from "./run-git.ts";

/** Facts about a clone (see the port). Looks at its files through a stand-in, so that nothing of the clone runs or changes. */
export async function inspect(run: RunGit, tempFolder: string, dir: string): Promise<RepositoryFacts> {
  const repository = await findRepository(run, dir);
  const answer = async (args: readonly string[]): Promise<string | null> => {
    const { exitCode, stdout } = await run({ args, cwd: repository.root });
    return exitCode === 0 ? stdout.toString("utf8").trim() : null;
  };
  const origin = await answer(["config", "--get", "remote.origin.url"]);
  const facts = {
    root: repository.root,
    bare: repository.bare,
    head: await resolveCommit(run, repository.root, "HEAD"),
    branch: await answer(["symbolic-ref", "--quiet", "--short", "HEAD"]),
    origin: origin === null ? null : originName(origin),
  };
  if (repository.bare) return { ...facts, uncommitted: [], dependencyFolders: [] };
  return withStandIn(run, repository, tempFolder, async (standIn) => ({
    ...facts,
    ...(await lookAtFiles(run, repository, standIn)),
  }));
}

async function lookAtFiles(
  run: RunGit,
  repository: ForeignRepository,
  gitDir: string,
): Promise<Pick<RepositoryFacts, "uncommitted" | "dependencyFolders">> {
  const here: Pick<GitCall, "cwd" | "gitDir" | "workTree"> = {
    cwd: repository.root,
    gitDir,
    workTree: repository.root,
  };
  const list = async (...args: string[]): Promise<string[]> =>
    splitPaths(await gitOutput(run, { args, ...here })).map(showPath);
  const status = await list("status", "--porcelain=v1", "-z", "--no-renames", "--ignore-submodules=all");
  const uncommitted = status.map((line) => line.slice("XY ".length));
  const tracked = await list("ls-files", "-z");
  const ignored = await list("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory");
  const folders = dependencyFoldersOf(ignored);
  // A virtual environment may ignore itself from within: then git names its parts, and the folder is whole all the same.
  const dependencyFolders = wholeFolders(folders, [...tracked, ...uncommitted]);
  return { uncommitted, dependencyFolders };
}
