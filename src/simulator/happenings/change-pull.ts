import { tellPull } from "../events/tell-app.ts";
import { readDiff } from "../git/read-diff.ts";
import { isAncestor, mergeBase, resolve } from "../git/read-history.ts";
import { GitFailed } from "../git/run-git.ts";
import { writeCommitOfTree } from "../git/write-commit.ts";
import type { PullRequest, Repository, User } from "../state/nouns.ts";
import type { Simulation } from "../state/simulation.ts";
import { startRuns } from "./start-runs.ts";

export interface NewPull {
  readonly base: string;
  readonly head: { readonly repository: Repository; readonly ref: string };
  readonly title: string;
  readonly body: string | null;
  readonly draft: boolean;
  readonly user: User;
  readonly maintainerCanModify: boolean;
}

/** Why a pull request cannot be opened, as an entry of GitHub's `errors`. */
export interface PullRefusal {
  readonly resource: "PullRequest";
  readonly code: "invalid" | "custom";
  readonly field?: string;
  readonly message?: string;
}

/** Opens a pull request, or says why GitHub would not. */
export async function openPull(
  simulation: Simulation,
  repository: Repository,
  wish: NewPull,
): Promise<PullRequest | PullRefusal> {
  const base = await resolve(repository.git, `refs/heads/${wish.base}`);
  const head = await resolve(wish.head.repository.git, `refs/heads/${wish.head.ref}`);
  if (base === null) return { resource: "PullRequest", field: "base", code: "invalid" };
  if (head === null) return { resource: "PullRequest", field: "head", code: "invalid" };
  if (wish.head.repository !== repository) await fetchFork(repository, wish.head.repository, head);
  const isBehind = await isAncestor(repository.git, head, base);
  const label = `${wish.head.repository.owner.login}:${wish.head.ref}`;
  const isThere = repository.pulls.some(
    (pull) =>
      pull.state === "open" &&
      pull.base.ref === wish.base &&
      pull.head.ref === wish.head.ref &&
      pull.head.repository === wish.head.repository,
  );
  if (isThere) return custom(`A pull request already exists for ${label}.`);
  if (wish.draft && !repository.allowsDrafts)
    return custom("Draft pull requests are not supported in this repository.");
  if (isBehind) return custom(`No commits between ${wish.base} and ${wish.head.ref}`);

  const at = simulation.clock.iso();
  const pull: PullRequest = {
    id: simulation.nextId(),
    number: repository.pulls.length + 1,
    title: wish.title,
    body: wish.body,
    user: wish.user,
    draft: wish.draft,
    state: "open",
    base: { ref: wish.base, sha: base },
    head: { repository: wish.head.repository, ref: wish.head.ref, sha: head },
    labels: new Set(),
    maintainerCanModify: wish.maintainerCanModify,
    comments: [],
    reviews: [],
    createdAt: at,
    updatedAt: at,
    closedAt: null,
    mergedAt: null,
    mergedBy: null,
    mergeSha: null,
  };
  repository.pulls.push(pull);
  await refreshMerge(simulation, repository, pull);
  await tellPull(simulation, repository, pull, "opened", wish.user);
  await startPullRuns(simulation, repository, pull, "opened", wish.user);
  return pull;
}

/** Whether opening was refused. */
export const isRefusal = (answer: PullRequest | PullRefusal): answer is PullRefusal => "resource" in answer;

/** Brings `refs/pull/N/head` and `refs/pull/N/merge` up to date; a conflict leaves no merge. */
export async function refreshMerge(simulation: Simulation, repository: Repository, pull: PullRequest): Promise<void> {
  const { git } = repository;
  const { head } = pull;
  if (head.repository !== repository) await fetchFork(repository, head.repository, head.sha);
  await git(["update-ref", `refs/pull/${pull.number}/head`, head.sha]);
  if (pull.state === "closed") return;
  const tree = await mergedTree(repository, pull);
  const mergeRef = `refs/pull/${pull.number}/merge`;
  if (tree === null) {
    pull.mergeSha = null;
    await git(["update-ref", "-d", mergeRef]);
    return;
  }
  pull.mergeSha = await writeMerge(
    simulation,
    repository,
    pull,
    tree,
    `Merge ${head.sha} into ${pull.base.sha}`,
    pull.user,
  );
  await git(["update-ref", mergeRef, pull.mergeSha]);
}

/** Workflows run on the test merge; where there is none, GitHub runs none. */
export async function startPullRuns(
  simulation: Simulation,
  repository: Repository,
  pull: PullRequest,
  action: string,
  actor: User,
): Promise<void> {
  if (pull.mergeSha === null) return;
  const from = await mergeBase(repository.git, pull.base.sha, pull.head.sha);
  const changed = from === null ? [] : await readDiff(repository.git, from, pull.head.sha);
  const files = changed.map((file) => file.path);
  await startRuns(simulation, repository, {
    trigger: { event: "pull_request", action, branch: pull.base.ref, files },
    headSha: pull.head.sha,
    headBranch: pull.head.ref,
    headRepository: pull.head.repository,
    checkoutSha: pull.mergeSha,
    ref: `refs/pull/${pull.number}/merge`,
    pull,
    actor,
  });
}

/** Writes the merge commit; the caller moves the base branch to it. null when it conflicts or is not open. */
export async function mergeCommit(
  simulation: Simulation,
  repository: Repository,
  pull: PullRequest,
  by: User,
): Promise<string | null> {
  const tree = pull.state === "open" ? await mergedTree(repository, pull) : null;
  if (tree === null) return null;
  const title = `Merge pull request #${pull.number} from ${pull.head.repository.owner.login}/${pull.head.ref}`;
  return writeMerge(simulation, repository, pull, tree, `${title}\n\n${pull.title}`, by);
}

/** Closes a pull request whose commits have reached its base; `sha` is the commit that did it. */
export async function markMerged(
  simulation: Simulation,
  repository: Repository,
  pull: PullRequest,
  sha: string,
  by: User,
): Promise<void> {
  const at = simulation.clock.iso();
  Object.assign(pull, { state: "closed", closedAt: at, mergedAt: at, updatedAt: at, mergedBy: by, mergeSha: sha });
  await tellPull(simulation, repository, pull, "closed", by);
}

/** Closes or opens again; nothing happens when it already is so. */
export async function setPullState(
  simulation: Simulation,
  repository: Repository,
  pull: PullRequest,
  state: PullRequest["state"],
  by: User,
): Promise<void> {
  if (pull.state === state) return;
  const at = simulation.clock.iso();
  Object.assign(pull, { state, updatedAt: at, closedAt: state === "closed" ? at : null });
  await refreshMerge(simulation, repository, pull);
  await tellPull(simulation, repository, pull, state === "closed" ? "closed" : "reopened", by);
  if (state === "open") await startPullRuns(simulation, repository, pull, "reopened", by);
}

/** A fork's commits come into the base repository, as at GitHub, where both share one store. */
async function fetchFork({ git }: Repository, fork: Repository, sha: string): Promise<void> {
  await git(["fetch", "--quiet", "--no-tags", fork.folder, sha]);
}

async function mergedTree({ git }: Repository, pull: PullRequest): Promise<string | null> {
  try {
    return (await git(["merge-tree", "--write-tree", pull.base.sha, pull.head.sha])).trim();
  } catch (error) {
    if (error instanceof GitFailed) return null;
    throw error;
  }
}

function writeMerge(
  { clock }: Simulation,
  { git }: Repository,
  pull: PullRequest,
  tree: string,
  message: string,
  by: User,
): Promise<string> {
  return writeCommitOfTree(git, {
    tree,
    message,
    parents: [pull.base.sha, pull.head.sha],
    author: { name: by.login, email: `${by.id}+${by.login}@users.noreply.github.com` },
    committer: { name: "GitHub", email: "noreply@github.com" },
    at: clock.now(),
  });
}

const custom = (message: string): PullRefusal => ({ resource: "PullRequest", code: "custom", message });
