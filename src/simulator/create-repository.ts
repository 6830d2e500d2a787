import { mkdir } from "node:fs/promises";
import path from "node:path";
import PQueue from "p-queue";
import { tellInstallation } from "./events/tell-app.ts";
import { gitIn, runGit } from "./git/run-git.ts";
import { type FileChange, writeCommit } from "./git/write-commit.ts";
import type { Installation, Repository, User } from "./state/nouns.ts";
import { type Simulation, userNamed } from "./state/simulation.ts";

export interface NewRepository {
  readonly owner: string;
  readonly name: string;
  /** Text by path: the first commit. */
  readonly files?: Readonly<Record<string, FileChange>>;
  /** YAML by file name, put into `.github/workflows/`. */
  readonly workflows?: Readonly<Record<string, string>>;
  /** A repository on this disk whose branches come along instead of a first commit. */
  readonly from?: string;
  readonly defaultBranch?: string;
  readonly private?: boolean;
  readonly organization?: boolean;
  readonly protectedBranches?: readonly string[];
  readonly drafts?: boolean;
  /** Whether the app is installed on the owner's account; default true. */
  readonly installed?: boolean;
}

/** Git settings of a bare repository that make it answer as GitHub does. */
const SETTINGS: Readonly<Record<string, string>> = {
  "http.receivepack": "true",
  "uploadpack.allowAnySHA1InWant": "true",
  "uploadpack.allowFilter": "true",
  // Objects that a request has just written must not vanish under it.
  "gc.auto": "0",
};

/** Makes a repository with its first commit, quietly: no push, no runs. Throws when the name is taken. */
export async function createRepository(simulation: Simulation, wish: NewRepository): Promise<Repository> {
  const owner = userNamed(simulation, wish.owner, wish.organization ? "Organization" : undefined);
  const repository = await addRepository(simulation, owner, wish, null);
  if (wish.from !== undefined) await repository.git(["fetch", "--quiet", wish.from, "+refs/heads/*:refs/heads/*"]);
  else await writeFirstCommit(simulation, repository, wish);
  if (wish.installed !== false) install(simulation, owner, [repository]);
  return repository;
}

/** A fork shares the branches of its parent; the app is not installed there unless its owner has it already. */
export async function createFork(simulation: Simulation, parent: Repository, login: string): Promise<Repository> {
  const owner = userNamed(simulation, login);
  const wish = { owner: login, name: parent.name, defaultBranch: parent.defaultBranch, private: parent.isPrivate };
  const fork = await addRepository(simulation, owner, wish, parent);
  await fork.git(["fetch", "--quiet", parent.folder, "+refs/heads/*:refs/heads/*"]);
  return fork;
}

/** Installs the app on an account, once; tells it so the first time. */
export function install(simulation: Simulation, account: User, repositories: readonly Repository[]): Installation {
  const known = simulation.installations.get(account.id);
  if (known !== undefined) return known;
  const installation = { id: simulation.nextId(), account, createdAt: simulation.clock.iso() };
  simulation.installations.set(account.id, installation);
  tellInstallation(simulation, installation, "created", repositories);
  return installation;
}

/** Takes the app off an account: its tokens end, and it is told. */
export function uninstall(simulation: Simulation, account: User): void {
  const installation = simulation.installations.get(account.id);
  if (installation === undefined) return;
  simulation.installations.delete(account.id);
  for (const [secret, token] of simulation.tokens)
    if (token.installation === installation) simulation.tokens.delete(secret);
  tellInstallation(simulation, installation, "deleted", []);
}

async function addRepository(
  simulation: Simulation,
  owner: User,
  wish: NewRepository,
  parent: Repository | null,
): Promise<Repository> {
  const { toolPath, clock, nextId } = simulation;
  const fullName = `${owner.login}/${wish.name}`;
  // Both become folders here.
  if (!/^\w[\w.-]*\/\w[\w.-]*$/.test(fullName)) throw new Error(`${fullName} is no name for a repository`);
  if (simulation.repositories.has(fullName.toLowerCase())) throw new Error(`the repository ${fullName} exists already`);
  const folder = path.join(simulation.folder, "repositories", owner.login, `${wish.name}.git`);
  const defaultBranch = wish.defaultBranch ?? "main";
  await mkdir(folder, { recursive: true });
  await runGit(folder, toolPath, ["init", "--quiet", "--bare", `--initial-branch=${defaultBranch}`, "."]);
  const git = gitIn(folder, toolPath);
  const turns = new PQueue({ concurrency: 1 });
  for (const [key, value] of Object.entries(SETTINGS)) await git(["config", key, value]);
  const repository: Repository = {
    id: nextId(),
    owner,
    name: wish.name,
    fullName,
    isPrivate: wish.private ?? false,
    defaultBranch,
    allowsDrafts: wish.drafts ?? true,
    folder,
    git,
    inTurn: async (work) => turns.add(work),
    parent,
    createdAt: clock.iso(),
    pushedAt: clock.iso(),
    collaborators: new Map(),
    protectedBranches: new Set(wish.protectedBranches),
    labels: new Map(),
    workflows: new Map(),
    pulls: [],
    runs: [],
    suites: [],
    checkRuns: [],
  };
  simulation.repositories.set(fullName.toLowerCase(), repository);
  return repository;
}

async function writeFirstCommit(
  simulation: Simulation,
  { git, owner, defaultBranch }: Repository,
  wish: NewRepository,
): Promise<void> {
  const workflows = Object.entries(wish.workflows ?? {}).map(([name, text]) => [`.github/workflows/${name}`, text]);
  const sha = await writeCommit(
    git,
    {
      parents: [],
      files: { ...wish.files, ...Object.fromEntries(workflows) },
      message: "Initial commit",
      author: { name: owner.login, email: `${owner.login}@users.noreply.github.com` },
      at: simulation.clock.now(),
    },
    simulation.folder,
  );
  await git(["update-ref", `refs/heads/${defaultBranch}`, sha]);
}
