import type { FileDiff } from "../git/read-diff.ts";
import type { CommitFacts, Signature } from "../git/read-history.ts";
import type { Repository, User } from "../state/nouns.ts";
import { nodeId, type Simulation } from "../state/simulation.ts";
import { repositoryPage, repositoryUrl } from "./present-repository.ts";
import { presentUser } from "./present-user.ts";

const UNVERIFIED = { verified: false, reason: "unsigned", signature: null, payload: null, verified_at: null };

/** `commit` */
export function presentCommit(simulation: Simulation, repository: Repository, commit: CommitFacts) {
  const url = `${repositoryUrl(simulation, repository)}/commits/${commit.sha}`;
  return {
    sha: commit.sha,
    node_id: nodeId("C", commit.sha),
    url,
    html_url: `${repositoryPage(simulation, repository)}/commit/${commit.sha}`,
    comments_url: `${url}/comments`,
    commit: {
      url: `${repositoryUrl(simulation, repository)}/git/commits/${commit.sha}`,
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      comment_count: 0,
      tree: treeOf(simulation, repository, commit.tree),
      verification: UNVERIFIED,
    },
    author: presentSigner(simulation, commit.author),
    committer: presentSigner(simulation, commit.committer),
    parents: commit.parents.map((sha) => parentOf(simulation, repository, sha, "commits")),
  };
}

/** `git-commit` */
export function presentGitCommit(simulation: Simulation, repository: Repository, commit: CommitFacts) {
  return {
    sha: commit.sha,
    node_id: nodeId("C", commit.sha),
    url: `${repositoryUrl(simulation, repository)}/git/commits/${commit.sha}`,
    html_url: `${repositoryPage(simulation, repository)}/commit/${commit.sha}`,
    author: commit.author,
    committer: commit.committer,
    message: commit.message,
    tree: treeOf(simulation, repository, commit.tree),
    parents: commit.parents.map((sha) => parentOf(simulation, repository, sha, "git/commits")),
    verification: UNVERIFIED,
  };
}

/** `simple-commit`, as runs and suites carry it */
export function presentHeadCommit(commit: CommitFacts) {
  return {
    id: commit.sha,
    tree_id: commit.tree,
    message: commit.message,
    timestamp: commit.committer.date,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
  };
}

/** `diff-entry` */
export function presentFile(simulation: Simulation, repository: Repository, head: string, file: FileDiff) {
  const page = repositoryPage(simulation, repository);
  const name = encodeURI(file.path);
  return {
    sha: file.sha,
    filename: file.path,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${page}/blob/${head}/${name}`,
    raw_url: `${page}/raw/${head}/${name}`,
    contents_url: `${repositoryUrl(simulation, repository)}/contents/${name}?ref=${head}`,
    ...(file.patch === null ? {} : { patch: file.patch }),
    ...(file.previousPath === null ? {} : { previous_filename: file.previousPath }),
  };
}

/** The user behind a signature, by GitHub's no-reply addresses; null for anyone else. */
export function userOfSignature(simulation: Simulation, { email }: Pick<Signature, "email">): User | null {
  const login = /^(?:\d+\+)?(.+)@users\.noreply\.github\.com$/.exec(email)?.[1];
  return login === undefined ? null : (simulation.users.get(login.toLowerCase()) ?? null);
}

function presentSigner(simulation: Simulation, signature: Signature) {
  const user = userOfSignature(simulation, signature);
  return user === null ? null : presentUser(simulation, user);
}

function treeOf(simulation: Simulation, repository: Repository, sha: string) {
  return { sha, url: `${repositoryUrl(simulation, repository)}/git/trees/${sha}` };
}

function parentOf(simulation: Simulation, repository: Repository, sha: string, kind: string) {
  return {
    sha,
    url: `${repositoryUrl(simulation, repository)}/${kind}/${sha}`,
    html_url: `${repositoryPage(simulation, repository)}/commit/${sha}`,
  };
}
