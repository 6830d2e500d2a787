import { createFork, createRepository, install, type NewRepository, uninstall } from "./create-repository.ts";
import { tellCheckRun } from "./events/tell-app.ts";
import { resolve } from "./git/read-history.ts";
import { NO_COMMIT } from "./git/ref-change.ts";
import { type FileChange, writeCommit } from "./git/write-commit.ts";
import { moveBranch } from "./happenings/after-push.ts";
import { isRefusal, mergeCommit, openPull, setPullState } from "./happenings/change-pull.ts";
import { addLabel } from "./happenings/label-pull.ts";
import { rerun, startRuns } from "./happenings/start-runs.ts";
import { addComment } from "./routes/issue-routes.ts";
import { known, knownPull, knownRepository } from "./state/known.ts";
import type { CheckRun, Repository, Role, User } from "./state/nouns.ts";
import { repositoryNamed, type Simulation, userNamed } from "./state/simulation.ts";

/** What people do at GitHub. Repositories are `owner/name`; pull requests numbers; who is not named is the owner. */
export interface People {
  createRepository(wish: NewRepository): Promise<string>;
  createFork(repository: string, owner: string): Promise<string>;
  install(owner: string): number;
  /** Takes the app off an account: its tokens end and it is told. */
  uninstall(owner: string): void;
  addCollaborator(repository: string, user: string, role: Role): void;
  /** Commits on a branch, which is made from the default branch when missing, and pushes. The new commit's id. */
  pushCommit(
    repository: string,
    branch: string,
    files: Readonly<Record<string, FileChange>>,
    by?: Committer,
  ): Promise<string>;
  /** Makes a branch point elsewhere, with everything that follows from a push; null deletes it. */
  moveBranch(repository: string, branch: string, sha: string | null, user?: string): Promise<void>;
  /** Rejects with GitHub's reason when it would refuse. */
  openPullRequest(repository: string, wish: PullWish): Promise<number>;
  comment(repository: string, pull: number, user: string, body: string): number;
  label(repository: string, pull: number, name: string, user?: string): Promise<void>;
  mergePullRequest(repository: string, pull: number, user?: string): Promise<string>;
  closePullRequest(repository: string, pull: number, user?: string): Promise<void>;
  /** Starts the workflows that listen to this event (`push`, `schedule`, `workflow_dispatch`) on a branch's commit. */
  runWorkflows(repository: string, branch: string, event?: string): Promise<readonly number[]>;
  rerun(repository: string, run: number, what?: "all" | "failed"): Promise<void>;
  /** Asks for a check run of the app again. */
  rerequestCheck(repository: string, checkRun: number, user?: string): void;
  /** Presses a button of a check run of the app. */
  requestAction(repository: string, checkRun: number, identifier: string, user?: string): void;
}

export interface Committer {
  readonly author?: string;
  readonly message?: string;
}

export interface PullWish {
  /** `branch`, or `owner:branch` of a fork. */
  readonly head: string;
  readonly base?: string;
  readonly title?: string;
  readonly body?: string;
  readonly user?: string;
  readonly draft?: boolean;
  readonly maintainerCanModify?: boolean;
}

/** The acts of people on this simulation. Names that do not exist are an Error. */
export function peopleOf(simulation: Simulation): People {
  const repositoryOf = (name: string): Repository => knownRepository(simulation, name);
  const person = (repository: Repository, login?: string): User =>
    login === undefined ? repository.owner : userNamed(simulation, login);
  const ownCheck = ({ checkRuns }: Repository, id: number): CheckRun =>
    known(
      checkRuns.find((one) => one.id === id && one.suite.app === simulation.app),
      `check run ${id} of the app`,
    );
  const follow = <T>(work: Promise<T>): Promise<T> => {
    simulation.work.track(work.catch(() => {})); // the caller gets the rejection
    return work;
  };
  return {
    createRepository: async (wish) => (await createRepository(simulation, wish)).fullName,
    createFork: async (name, owner) => (await createFork(simulation, repositoryOf(name), owner)).fullName,
    install: (owner) => {
      const account = userNamed(simulation, owner);
      const own = [...simulation.repositories.values()].filter((repository) => repository.owner === account);
      return install(simulation, account, own).id;
    },
    uninstall: (owner) => uninstall(simulation, userNamed(simulation, owner)),
    addCollaborator: (name, login, role) => {
      const user = userNamed(simulation, login);
      repositoryOf(name).collaborators.set(user.login.toLowerCase(), role);
    },
    pushCommit: (name, branch, files, by = {}) => {
      const repository = repositoryOf(name);
      return follow(pushCommit(simulation, repository, branch, files, person(repository, by.author), by.message));
    },
    moveBranch: (name, branch, sha, login) => {
      const repository = repositoryOf(name);
      return follow(moveBranch(simulation, repository, branch, sha ?? NO_COMMIT, person(repository, login)));
    },
    openPullRequest: (name, wish) => {
      const repository = repositoryOf(name);
      return follow(openPullRequest(simulation, repository, wish, person(repository, wish.user)));
    },
    comment: (name, number, login, body) => {
      const repository = repositoryOf(name);
      const by = { user: userNamed(simulation, login), byApp: false, body };
      return addComment(simulation, repository, knownPull(repository, number), by).id;
    },
    label: (name, number, label, login) => {
      const repository = repositoryOf(name);
      return follow(addLabel(simulation, repository, knownPull(repository, number), label, person(repository, login)));
    },
    mergePullRequest: async (name, number, login) => {
      const repository = repositoryOf(name);
      const pull = knownPull(repository, number);
      const by = person(repository, login);
      const sha = known(await mergeCommit(simulation, repository, pull, by), `way to merge pull request ${number}`);
      await follow(moveBranch(simulation, repository, pull.base.ref, sha, by));
      return sha;
    },
    closePullRequest: (name, number, login) => {
      const repository = repositoryOf(name);
      return follow(
        setPullState(simulation, repository, knownPull(repository, number), "closed", person(repository, login)),
      );
    },
    runWorkflows: (name, branch, event = "push") => follow(runWorkflows(simulation, repositoryOf(name), branch, event)),
    rerun: async (name, id, what = "all") => {
      const run = known(
        repositoryOf(name).runs.find((one) => one.id === id),
        `run ${id}`,
      );
      if (!(await follow(rerun(simulation, run, what)))) throw new Error(`the run ${id} has not ended yet`);
    },
    rerequestCheck: (name, id, login) => {
      const repository = repositoryOf(name);
      tellCheckRun(simulation, repository, ownCheck(repository, id), "rerequested", person(repository, login));
    },
    requestAction: (name, id, identifier, login) => {
      const repository = repositoryOf(name);
      const more = { requested_action: { identifier } };
      tellCheckRun(
        simulation,
        repository,
        ownCheck(repository, id),
        "requested_action",
        person(repository, login),
        more,
      );
    },
  };
}

async function pushCommit(
  simulation: Simulation,
  repository: Repository,
  branch: string,
  files: Readonly<Record<string, FileChange>>,
  author: User,
  message = "Change files",
): Promise<string> {
  const { git, defaultBranch } = repository;
  const parent = (await resolve(git, `refs/heads/${branch}`)) ?? (await resolve(git, `refs/heads/${defaultBranch}`));
  const sha = await writeCommit(
    git,
    {
      parents: parent === null ? [] : [parent],
      files,
      message,
      author: { name: author.login, email: `${author.login}@users.noreply.github.com` },
      at: simulation.clock.now(),
    },
    simulation.folder,
  );
  await moveBranch(simulation, repository, branch, sha, author);
  return sha;
}

async function openPullRequest(
  simulation: Simulation,
  repository: Repository,
  wish: PullWish,
  user: User,
): Promise<number> {
  const [owner, branch] = wish.head.split(":");
  const isFork = owner !== undefined && branch !== undefined;
  const head = isFork
    ? known(repositoryNamed(simulation, `${owner}/${repository.name}`), `fork of ${owner}`)
    : repository;
  const pull = await openPull(simulation, repository, {
    base: wish.base ?? repository.defaultBranch,
    head: { repository: head, ref: isFork ? branch : wish.head },
    title: wish.title ?? `Merge ${wish.head}`,
    body: wish.body ?? null,
    draft: wish.draft ?? false,
    user,
    maintainerCanModify: wish.maintainerCanModify ?? true,
  });
  if (isRefusal(pull)) throw new Error(pull.message ?? `the pull request's ${pull.field} is invalid`);
  return pull.number;
}

async function runWorkflows(
  simulation: Simulation,
  repository: Repository,
  branch: string,
  event: string,
): Promise<number[]> {
  const sha = known(await resolve(repository.git, `refs/heads/${branch}`), `branch ${branch}`);
  const files = (await repository.git(["ls-tree", "-r", "--name-only", sha])).split("\n").filter((file) => file !== "");
  const runs = await startRuns(simulation, repository, {
    trigger: { event, action: null, branch, files },
    headSha: sha,
    headBranch: branch,
    headRepository: repository,
    checkoutSha: sha,
    ref: `refs/heads/${branch}`,
    pull: null,
    actor: repository.owner,
  });
  return runs.map((run) => run.id);
}
