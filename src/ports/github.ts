import type { CiJob } from "../domain/ci-run.ts";
import type { PullRequest, Repository, WorkflowRun } from "../domain/repository.ts";

/** What we ask of GitHub for one installation. Methods reject with GitHubFailed; retries and pacing are the adapter's business. */
export interface GitHub {
  /** Our own login as it stands beside comments, e.g. `retrace[bot]`; null for a personal token. */
  botLogin(): Promise<string | null>;
  repository(owner: string, name: string): Promise<Repository>;

  run(repo: Repository, runId: number): Promise<WorkflowRun>;
  /** Newest attempt of every run on a commit. */
  runsOf(repo: Repository, headSha: string): Promise<readonly WorkflowRun[]>;
  /** Newest attempts of the runs of one workflow file, newest run first, at most `limit` (100). */
  runsOfWorkflow(repo: Repository, path: string, asked: RunFilter): Promise<readonly WorkflowRun[]>;
  /** Newest attempt of every run on a branch of this name, whatever repository it lies in. */
  runsOnBranch(repo: Repository, branch: string): Promise<readonly WorkflowRun[]>;
  jobs(repo: Repository, runId: number, attempt: number): Promise<readonly CiJob[]>;
  /** A job's log as it comes; `gone`: expired or deleted; `missing`: not there (yet). */
  jobLog(repo: Repository, jobId: number): Promise<LogAnswer>;
  annotations(repo: Repository, jobId: number): Promise<readonly Annotation[]>;
  /** `refused`: too old, re-run too often, or no permission. */
  rerunFailedJobs(repo: Repository, runId: number): Promise<"started" | "refused">;

  /** A file's text at a ref, null when it is not there. */
  file(repo: Repository, path: string, ref: string): Promise<string | null>;
  /** Paths of the files in a folder at a ref, [] when it is not there. */
  folder(repo: Repository, path: string, ref: string): Promise<readonly string[]>;
  /** The commit a branch points at, null when there is no such branch. */
  branchHead(repo: Repository, branch: string): Promise<string | null>;
  /** What `head` has that `base` has not since they parted: files changed, 300 at most. Null when either is not known there. */
  filesBetween(repo: Repository, base: string, head: string): Promise<readonly string[] | null>;
  isProtected(repo: Repository, branch: string): Promise<boolean>;
  deleteBranch(repo: Repository, branch: string): Promise<void>;

  pullRequest(repo: Repository, number: number): Promise<PullRequest>;
  /** Open pull requests whose head is this branch of this owner. */
  pullRequestsFrom(repo: Repository, headOwner: string, headBranch: string): Promise<readonly PullRequest[]>;
  /** Merged ones, newest first by their last change, at most `limit`. */
  mergedPullRequests(
    repo: Repository,
    asked: { readonly limit: number; readonly since: Date | null },
  ): Promise<readonly PullRequest[]>;
  createPullRequest(repo: Repository, wanted: NewPullRequest): Promise<PullRequest>;
  editPullRequest(
    repo: Repository,
    number: number,
    change: { readonly title?: string; readonly body?: string; readonly state?: "open" | "closed" },
  ): Promise<void>;
  markReady(pullRequest: PullRequest): Promise<void>;
  /** `git diff` text from where the pull request left its base to its head. */
  pullRequestDiff(repo: Repository, number: number): Promise<string>;
  reviews(repo: Repository, number: number): Promise<readonly Comment[]>;
  /** A review that only comments; rejects with 422 when a line is not part of the diff. */
  createReview(repo: Repository, number: number, review: NewReview): Promise<Comment>;
  addLabels(repo: Repository, number: number, labels: readonly string[]): Promise<void>;

  comments(repo: Repository, number: number): Promise<readonly Comment[]>;
  createComment(repo: Repository, number: number, body: string): Promise<Comment>;
  editComment(repo: Repository, commentId: number, body: string): Promise<void>;
  react(repo: Repository, commentId: number, content: "eyes" | "+1" | "confused"): Promise<void>;
  /** Asked live; `none` for strangers. */
  permission(repo: Repository, user: string): Promise<"admin" | "write" | "read" | "none">;

  createCheckRun(
    repo: Repository,
    check: CheckRunContent & { readonly headSha: string; readonly externalId: string },
  ): Promise<number>;
  /** Our check run of this external id on a commit, null when there is none yet. */
  findCheckRun(repo: Repository, headSha: string, externalId: string): Promise<number | null>;
  editCheckRun(repo: Repository, checkRunId: number, check: CheckRunContent): Promise<void>;

  /**
   * The `Authorization` header value for one git call, minted just before it; `write` only for a push. Never to be stored,
   * logged or handed to a sandbox.
   */
  gitAuthorization(repo: Repository, access: "read" | "write"): Promise<string>;
}

/** Where GitHub is reached for each installation of the App. */
export interface GitHubApp {
  forInstallation(installationId: number): Promise<GitHub>;
  /** The installation that covers a repository, null when there is none. */
  installationOf(owner: string, name: string): Promise<number | null>;
}

export interface RunFilter {
  readonly branch?: string;
  /** A status or a conclusion: the host has one filter for both. */
  readonly status?: "completed" | "success" | "failure";
  readonly limit: number;
}

export type LogAnswer =
  | { readonly kind: "log"; readonly chunks: AsyncIterable<Uint8Array> }
  | { readonly kind: "gone" }
  | { readonly kind: "missing"; readonly status: number };

export interface Annotation {
  readonly path: string;
  readonly line: number | null;
  readonly level: string;
  readonly title: string | null;
  readonly message: string;
}

export interface NewPullRequest {
  readonly title: string;
  readonly body: string;
  readonly head: string;
  readonly base: string;
  /** Ordinary where the host takes no drafts. */
  readonly draft: boolean;
}

export interface NewReview {
  readonly headSha: string;
  readonly body: string;
  /** On lines of the head. */
  readonly comments: readonly {
    readonly path: string;
    readonly startLine: number;
    readonly line: number;
    readonly body: string;
  }[];
}

export interface Comment {
  readonly id: number;
  readonly author: string;
  readonly body: string;
  readonly createdAt: string;
}

export interface CheckRunContent {
  readonly name: string;
  readonly status: "in_progress" | "completed";
  /** Never a failure: our check blocks nobody (design §10.3). */
  readonly conclusion: "success" | "neutral" | null;
  readonly title: string;
  readonly summary: string;
}

export class GitHubFailed extends Error {
  override readonly name = "GitHubFailed";
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
