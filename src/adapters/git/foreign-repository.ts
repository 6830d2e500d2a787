import { copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { GitFailed } from "../../ports/git.ts";
import { gitLine, gitOutput, type RunGit } from "./run-git.ts";

/** A clone that is not ours: somebody works in it. */
export interface ForeignRepository {
  /** Work tree, or the git directory of a bare repository. */
  readonly root: string;
  readonly bare: boolean;
  /** Of this work tree: HEAD and index lie here. */
  readonly gitDir: string;
  /** Shared by all work trees: objects, refs and configuration lie here. */
  readonly commonDir: string;
  readonly objectFormat: string;
}

/** Finds the repository that `dir` is, or lies in. Rejects with GitFailed when there is none, or its work tree lies apart from it. */
export async function findRepository(run: RunGit, dir: string): Promise<ForeignRepository> {
  const questions = ["--git-dir", "--git-common-dir", "--show-object-format", "--is-bare-repository"];
  const found = await run({ args: ["rev-parse", "--path-format=absolute", ...questions], cwd: dir });
  const [gitDir, commonDir, objectFormat, bare] = found.stdout.toString("utf8").split("\n");
  if (found.exitCode !== 0 || !gitDir || !commonDir || !objectFormat) {
    throw new GitFailed(`${dir} is no git repository`);
  }
  if (bare === "true") return { root: gitDir, bare: true, gitDir, commonDir, objectFormat };
  const root = await gitLine(run, { args: ["rev-parse", "--path-format=absolute", "--show-toplevel"], cwd: dir });
  // With core.worktree a clone can name any folder of the machine: its files would be lent to code we do not trust.
  const there = await run({ args: ["rev-parse", "--path-format=absolute", "--git-dir"], cwd: root });
  if (there.stdout.toString("utf8").trim() !== gitDir) {
    throw new GitFailed(`${dir} has its work tree elsewhere, in ${root}: core.worktree is not followed`);
  }
  return { root, bare: false, gitDir, commonDir, objectFormat };
}

/** Settings that say how files of the clone became what they are; none of them names a program. */
const FILE_SETTINGS =
  "^core\\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|trustctime|checkstat|protectntfs|protecthfs)$";

/**
 * Does `work` with a git directory made for the moment that stands for the clone's: its objects (by alternates), a copy of
 * its index and excludes, but a configuration of ours. Commands that look at files run with this one: with the clone's own,
 * filters and monitors named in its configuration would run, and the index could be written.
 */
export async function withStandIn<T>(
  run: RunGit,
  repository: ForeignRepository,
  tempFolder: string,
  work: (gitDir: string) => Promise<T>,
): Promise<T> {
  const gitDir = await mkdtemp(path.join(tempFolder, "retrace-git-"));
  try {
    await fillStandIn(run, repository, gitDir);
    return await work(gitDir);
  } finally {
    await rm(gitDir, { recursive: true, force: true });
  }
}

async function fillStandIn(run: RunGit, repository: ForeignRepository, gitDir: string): Promise<void> {
  for (const folder of ["refs", "info", "objects/info"]) await mkdir(path.join(gitDir, folder), { recursive: true });
  const head = await run({ args: ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], cwd: repository.root });
  const headText = head.exitCode === 0 ? head.stdout : "ref: refs/heads/unborn\n";
  await writeFile(path.join(gitDir, "HEAD"), headText);
  await writeFile(path.join(gitDir, "config"), await standInConfig(run, repository));
  await writeFile(path.join(gitDir, "objects/info/alternates"), `${path.join(repository.commonDir, "objects")}\n`);
  await copyIfThere(path.join(repository.commonDir, "info/exclude"), path.join(gitDir, "info/exclude"));
  await copyIfThere(path.join(repository.commonDir, "shallow"), path.join(gitDir, "shallow"));
  const indexFiles = (await readdir(repository.gitDir)).filter((name) => /^(?:index$|sharedindex\.)/.test(name));
  for (const name of indexFiles) await copyIfThere(path.join(repository.gitDir, name), path.join(gitDir, name));
}

/** Makes an empty folder a git directory that only borrows the clone's objects: no index, no HEAD, no setting of the clone. */
export async function borrowObjects(run: RunGit, dir: string, gitDir: string): Promise<void> {
  const questions = ["--git-common-dir", "--show-object-format"];
  const found = await run({ args: ["rev-parse", "--path-format=absolute", ...questions], cwd: dir });
  const [commonDir, objectFormat] = found.stdout.toString("utf8").split("\n");
  if (found.exitCode !== 0 || !commonDir || !objectFormat) throw new GitFailed(`${dir} is no git repository`);
  for (const folder of ["refs", "info", "objects/info"]) await mkdir(path.join(gitDir, folder), { recursive: true });
  await writeFile(path.join(gitDir, "HEAD"), "ref: refs/heads/none\n");
  await writeFile(path.join(gitDir, "config"), `${repositoryConfig(objectFormat)}\n`);
  await writeFile(path.join(gitDir, "objects/info/alternates"), `${path.join(commonDir, "objects")}\n`);
  await copyIfThere(path.join(commonDir, "shallow"), path.join(gitDir, "shallow"));
}

async function standInConfig(run: RunGit, repository: ForeignRepository): Promise<string> {
  const found = await run({ args: ["config", "-z", "--get-regexp", FILE_SETTINGS], cwd: repository.root });
  const settings = found.stdout
    .toString("utf8")
    .split("\0")
    .map((entry) => /^core\.(\w+)\n(\w+)$/.exec(entry))
    .flatMap((match) => (match === null ? [] : [`\t${match[1]} = ${match[2]}`]));
  return [repositoryConfig(repository.objectFormat), "[core]", ...settings, ""].join("\n");
}

/** The part of a configuration that says how objects are named. */
export function repositoryConfig(objectFormat: string): string {
  if (objectFormat === "sha1") return "[core]\n\trepositoryformatversion = 0\n\tbare = false";
  return `[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectformat = ${objectFormat}`;
}

/** Copies a file that need not exist. */
export async function copyIfThere(from: string, to: string): Promise<void> {
  await copyFile(from, to).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });
}

/** A revision as a full commit id, or null. */
export async function resolveCommit(run: RunGit, dir: string, revision: string): Promise<string | null> {
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${revision}^{commit}`];
  const found = await run({ args, cwd: dir });
  if (found.exitCode !== 0) return null;
  const id = found.stdout.toString("utf8").trim();
  // rev-parse takes any full id at its word; the object must be there.
  const there = await run({ args: ["cat-file", "-e", id], cwd: dir });
  return there.exitCode === 0 ? id : null;
}

/** Tags whose commit is in the history of `commit`, by name. */
export async function tagsInHistory(run: RunGit, dir: string, commit: string): Promise<ReadonlyMap<string, string>> {
  const args = ["for-each-ref", "--format=%(refname) %(objectname)", `--merged=${commit}`, "refs/tags"];
  const lines = (await gitOutput(run, { args, cwd: dir })).toString("utf8").split("\n");
  return new Map(
    lines.flatMap((line) => {
      const [name, id] = line.split(" ");
      return name && id ? [[name, id] as const] : [];
    }),
  );
}
