import { copyFile, mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { GitFailed, type WorkingCopy } from "../../ports/git.ts";
import { makeBinaryView } from "./diff-trees.ts";
import {
  copyIfThere,
  type ForeignRepository,
  findRepository,
  repositoryConfig,
  resolveCommit,
  tagsInHistory,
  withStandIn,
} from "./foreign-repository.ts";
import { OUR_ATTRIBUTES, writeAttributes } from "./our-attributes.ts";
import { showPath, splitPaths } from "./path-bytes.ts";
import { firstComplaint, gitLine, gitOutput, type RunGit } from "./run-git.ts";
import { submodules } from "./stage-files.ts";
import { BASE_INDEX, putThrowAwayRepository } from "./throw-away-repository.ts";
import { workingCopy } from "./working-copy.ts";

/** Makes a working copy (see the port). Leaves no folder behind when it fails. */
export async function checkout(
  run: RunGit,
  tempFolder: string,
  from: string,
  revision: string,
  folder: string,
): Promise<WorkingCopy> {
  const repository = await findRepository(run, from);
  const commit = await resolveCommit(run, from, revision);
  if (commit === null) throw new GitFailed(`${from} has no commit ${revision}`);
  const workshop = path.resolve(folder);
  await makeFolder(workshop);
  try {
    return await fillWorkshop(run, tempFolder, repository, commit, workshop);
  } catch (error) {
    await rm(workshop, { recursive: true, force: true });
    throw error;
  }
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(path.dirname(folder), { recursive: true });
  await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
    throw error.code === "EEXIST" ? new GitFailed(`${folder} exists already`) : error;
  });
}

async function fillWorkshop(
  run: RunGit,
  tempFolder: string,
  repository: ForeignRepository,
  commit: string,
  workshop: string,
): Promise<WorkingCopy> {
  const gitDir = path.join(workshop, "git");
  const tree = path.join(workshop, "tree");
  const tags = await tagsInHistory(run, repository.root, commit);
  await mkdir(tree);
  await makeOurRepository(repository, commit, gitDir);
  const partial = await isPartial(run, repository);
  await withStandIn(run, repository, tempFolder, (standIn) =>
    packHistory(run, standIn, [commit, ...tags.values()], gitDir, partial),
  );
  const here = { cwd: tree, gitDir, workTree: tree };
  const written = await run({ args: ["read-tree", "--reset", "-u", commit], ...here });
  if (written.exitCode !== 0) {
    const cure = partial ? ": the clone is partial; a full one is needed" : "";
    throw new GitFailed(`${firstComplaint(written.stderr) ?? `${commit} could not be checked out`}${cure}`);
  }
  await copyFile(path.join(gitDir, "index"), path.join(gitDir, BASE_INDEX));
  const parts = {
    tree,
    gitDir,
    workshop,
    commit,
    tags,
    objectFormat: repository.objectFormat,
    base: await gitLine(run, { args: ["rev-parse", `${commit}^{tree}`], ...here }),
    notFilled: {
      submodules: [...(await submodules(run, { tree, gitDir }))].map(showPath),
      lfs: await lfsPointers(run, tree, gitDir),
    },
  };
  await putThrowAwayRepository(parts);
  return workingCopy(run, parts);
}

async function makeOurRepository(repository: ForeignRepository, commit: string, gitDir: string): Promise<void> {
  for (const folder of ["refs", "info", "objects/info", "objects/pack"]) {
    await mkdir(path.join(gitDir, folder), { recursive: true });
  }
  await writeFile(path.join(gitDir, "HEAD"), `${commit}\n`);
  await writeFile(path.join(gitDir, "config"), `${repositoryConfig(repository.objectFormat)}\n`);
  await writeAttributes(gitDir, OUR_ATTRIBUTES);
  await makeBinaryView(gitDir, repository.objectFormat);
  // What the clone ignores for itself (a lent folder, say) must not become part of a patch.
  await copyIfThere(path.join(repository.commonDir, "info/exclude"), path.join(gitDir, "info/exclude"));
  await copyIfThere(path.join(repository.commonDir, "shallow"), path.join(gitDir, "shallow"));
}

/**
 * Copies everything reachable from the revisions into one pack of ours. No alternates: writing an object that the other
 * repository has touches the times of its packs, and its owner may prune while we work. Nothing else of the clone comes
 * along, so that what was committed later cannot be found in the copy.
 */
async function packHistory(
  run: RunGit,
  standIn: string,
  revisions: readonly string[],
  gitDir: string,
  partial: boolean,
): Promise<void> {
  // No search for better deltas: the copy lives for one repair.
  const plain = ["pack-objects", "--revs", "--quiet", "--window=0", "--delta-base-offset"];
  const args = partial ? [...plain, "--missing=allow-any"] : plain;
  const input = `${revisions.join("\n")}\n`;
  await gitOutput(run, {
    args: [...args, path.join(gitDir, "objects/pack/pack")],
    cwd: standIn,
    gitDir: standIn,
    input,
  });
}

/** A clone that has left objects at its remote (`git clone --filter`). They stay there: we fetch nothing in its name. */
async function isPartial(run: RunGit, { root }: ForeignRepository): Promise<boolean> {
  const keys = "^(extensions\\.partialclone|remote\\..*\\.promisor)$";
  return (await run({ args: ["config", "--get-regexp", keys], cwd: root })).exitCode === 0;
}

async function lfsPointers(run: RunGit, tree: string, gitDir: string): Promise<readonly string[]> {
  const args = ["ls-files", "-z", "--", ":(attr:filter=lfs)"];
  const env = { GIT_LITERAL_PATHSPECS: "0" };
  return splitPaths(await gitOutput(run, { args, cwd: tree, gitDir, workTree: tree, env })).map(showPath);
}
