import { readDiff } from "../git/read-diff.ts";
import { mergeBase } from "../git/read-history.ts";
import type { Comment, PullRequest, Reaction, Repository } from "../state/nouns.ts";
import { nodeId, type Simulation } from "../state/simulation.ts";
import { presentLabel, presentRepository, repositoryPage, repositoryUrl } from "./present-repository.ts";
import { presentApp, presentUser } from "./present-user.ts";

/** `pull-request-simple`, as lists and webhooks carry it */
export function presentPullSimple(simulation: Simulation, repository: Repository, pull: PullRequest) {
  const url = `${repositoryUrl(simulation, repository)}/pulls/${pull.number}`;
  const issueUrl = `${repositoryUrl(simulation, repository)}/issues/${pull.number}`;
  const page = `${repositoryPage(simulation, repository)}/pull/${pull.number}`;
  const statuses = `${repositoryUrl(simulation, repository)}/statuses/${pull.head.sha}`;
  const labels = [...pull.labels].flatMap((name) => repository.labels.get(name.toLowerCase()) ?? []);
  return {
    id: pull.id,
    node_id: nodeId("PR", pull.id),
    number: pull.number,
    url,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issueUrl,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${repositoryUrl(simulation, repository)}/pulls/comments{/number}`,
    comments_url: `${issueUrl}/comments`,
    statuses_url: statuses,
    state: pull.state,
    locked: false,
    draft: pull.draft,
    title: pull.title,
    body: pull.body,
    user: presentUser(simulation, pull.user),
    labels: labels.map((label) => presentLabel(simulation, repository, label)),
    milestone: null,
    assignee: null,
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeSha,
    head: side(simulation, pull.head.repository, pull.head),
    base: side(simulation, repository, pull.base),
    author_association: "CONTRIBUTOR",
    auto_merge: null,
    active_lock_reason: null,
    _links: {
      self: { href: url },
      html: { href: page },
      issue: { href: issueUrl },
      comments: { href: `${issueUrl}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${repositoryUrl(simulation, repository)}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
  };
}

/** `pull-request` */
export async function presentPull(simulation: Simulation, repository: Repository, pull: PullRequest) {
  const { git } = repository;
  const from = await mergeBase(git, pull.base.sha, pull.head.sha);
  const files = from === null ? [] : await readDiff(git, from, pull.head.sha);
  const commits = from === null ? 0 : Number(await git(["rev-list", "--count", `${from}..${pull.head.sha}`]));
  const isOpen = pull.state === "open";
  return {
    ...presentPullSimple(simulation, repository, pull),
    merged: pull.mergedAt !== null,
    mergeable: isOpen ? pull.mergeSha !== null : null,
    rebaseable: isOpen ? pull.mergeSha !== null : null,
    mergeable_state: mergeableState(pull),
    merged_by: pull.mergedBy === null ? null : presentUser(simulation, pull.mergedBy),
    comments: pull.comments.length,
    review_comments: 0,
    maintainer_can_modify: pull.maintainerCanModify,
    commits,
    additions: files.reduce((sum, file) => sum + file.additions, 0),
    deletions: files.reduce((sum, file) => sum + file.deletions, 0),
    changed_files: files.length,
  };
}

/** `pull-request-minimal`, as runs and check runs carry it */
export function presentPullMinimal(simulation: Simulation, repository: Repository, pull: PullRequest) {
  const point = (of: Repository, { ref, sha }: { ref: string; sha: string }) => ({
    ref,
    sha,
    repo: { id: of.id, url: repositoryUrl(simulation, of), name: of.name },
  });
  return {
    id: pull.id,
    number: pull.number,
    url: `${repositoryUrl(simulation, repository)}/pulls/${pull.number}`,
    head: point(pull.head.repository, pull.head),
    base: point(repository, pull.base),
  };
}

/** `issue-comment` */
export function presentComment(simulation: Simulation, repository: Repository, pull: PullRequest, comment: Comment) {
  const url = `${repositoryUrl(simulation, repository)}/issues/comments/${comment.id}`;
  const count = (content: string) => comment.reactions.filter((reaction) => reaction.content === content).length;
  const contents = ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"];
  return {
    id: comment.id,
    node_id: nodeId("IC", comment.id),
    url,
    html_url: `${repositoryPage(simulation, repository)}/pull/${pull.number}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrl(simulation, repository)}/issues/${pull.number}`,
    body: comment.body,
    user: presentUser(simulation, comment.user),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: "NONE",
    performed_via_github_app: comment.byApp ? presentApp(simulation, simulation.app) : null,
    reactions: {
      url: `${url}/reactions`,
      total_count: comment.reactions.length,
      ...Object.fromEntries(contents.map((content) => [content, count(content)])),
    },
  };
}

/** `reaction` */
export function presentReaction(simulation: Simulation, reaction: Reaction) {
  return {
    id: reaction.id,
    node_id: nodeId("REA", reaction.id),
    user: presentUser(simulation, reaction.user),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}

/** What an `issue_comment` webhook calls the issue: a pull request seen as one. */
export function presentAsIssue(simulation: Simulation, repository: Repository, pull: PullRequest) {
  const simple = presentPullSimple(simulation, repository, pull);
  const { url, html_url, diff_url, patch_url, merged_at } = simple;
  return {
    id: pull.id,
    node_id: simple.node_id,
    number: pull.number,
    url: simple.issue_url,
    repository_url: repositoryUrl(simulation, repository),
    comments_url: simple.comments_url,
    html_url,
    title: pull.title,
    body: pull.body,
    user: simple.user,
    labels: simple.labels,
    state: pull.state,
    locked: false,
    draft: pull.draft,
    comments: pull.comments.length,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    author_association: simple.author_association,
    pull_request: { url, html_url, diff_url, patch_url, merged_at },
  };
}

function side(simulation: Simulation, repository: Repository, { ref, sha }: { ref: string; sha: string }) {
  return {
    label: `${repository.owner.login}:${ref}`,
    ref,
    sha,
    user: presentUser(simulation, repository.owner),
    repo: presentRepository(simulation, repository),
  };
}

function mergeableState(pull: PullRequest): string {
  if (pull.state === "closed") return "unknown";
  if (pull.mergeSha === null) return "dirty";
  return pull.draft ? "draft" : "clean";
}
