import type { Git } from "../git/run-git.ts";

/** What the stand-in GitHub remembers. Mutable on purpose: this is a server's state, kept in memory. */

export interface User {
  readonly id: number;
  readonly login: string;
  readonly type: "User" | "Bot" | "Organization";
}

export type Role = "admin" | "maintain" | "write" | "triage" | "read";

export interface Repository {
  readonly id: number;
  readonly owner: User;
  readonly name: string;
  readonly fullName: string;
  readonly isPrivate: boolean;
  readonly defaultBranch: string;
  /** Private repositories of a free plan know no drafts and answer 422. */
  readonly allowsDrafts: boolean;
  /** The bare repository on disk. */
  readonly folder: string;
  readonly git: Git;
  /** What follows from pushes happens in their order. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  readonly parent: Repository | null;
  readonly createdAt: string;
  pushedAt: string;
  readonly collaborators: Map<string, Role>;
  readonly protectedBranches: Set<string>;
  readonly labels: Map<string, Label>;
  readonly workflows: Map<string, Workflow>;
  readonly pulls: PullRequest[];
  readonly runs: Run[];
  readonly suites: CheckSuite[];
  readonly checkRuns: CheckRun[];
}

export interface Label {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
}

/** A workflow file that has been seen in the repository. */
export interface Workflow {
  readonly id: number;
  readonly path: string;
  name: string;
  readonly createdAt: string;
  runCount: number;
}

export interface PullRequest {
  readonly id: number;
  readonly number: number;
  title: string;
  body: string | null;
  readonly user: User;
  draft: boolean;
  state: "open" | "closed";
  readonly base: { ref: string; sha: string };
  readonly head: { readonly repository: Repository; readonly ref: string; sha: string };
  readonly labels: Set<string>;
  readonly maintainerCanModify: boolean;
  readonly comments: Comment[];
  readonly reviews: Review[];
  readonly createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  mergedAt: string | null;
  mergedBy: User | null;
  /** The test merge while open (`refs/pull/N/merge`), null when it conflicts; the merge itself afterwards. */
  mergeSha: string | null;
}

export interface Comment {
  readonly id: number;
  body: string;
  readonly user: User;
  readonly byApp: boolean;
  readonly createdAt: string;
  updatedAt: string;
  readonly reactions: Reaction[];
}

/** A review that was sent off, with its comments on lines of the head. */
export interface Review {
  readonly id: number;
  readonly user: User;
  readonly body: string;
  readonly commitSha: string;
  readonly submittedAt: string;
  readonly comments: readonly ReviewComment[];
}

export interface ReviewComment {
  readonly path: string;
  readonly startLine: number | null;
  readonly line: number;
  readonly body: string;
}

export interface Reaction {
  readonly id: number;
  readonly user: User;
  readonly content: string;
  readonly createdAt: string;
}

export type Status = "queued" | "in_progress" | "completed" | "waiting";
export type Conclusion =
  | "success"
  | "failure"
  | "neutral"
  | "cancelled"
  | "skipped"
  | "timed_out"
  | "action_required"
  | "startup_failure";

export interface CheckSuite {
  readonly id: number;
  readonly app: App;
  readonly headSha: string;
  readonly headBranch: string | null;
  readonly before: string | null;
  readonly createdAt: string;
  updatedAt: string;
  /** Set for a suite of GitHub Actions, whose state is its run's; an app's suite follows its check runs. */
  run: Run | null;
}

export interface CheckRun {
  readonly id: number;
  readonly suite: CheckSuite;
  name: string;
  readonly headSha: string;
  status: Status;
  conclusion: Conclusion | null;
  startedAt: string | null;
  completedAt: string | null;
  externalId: string;
  detailsUrl: string | null;
  output: { title: string | null; summary: string | null; text: string | null };
  readonly annotations: Annotation[];
  actions: readonly CheckAction[];
}

export interface Annotation {
  readonly path: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_column: number | null;
  readonly end_column: number | null;
  readonly annotation_level: string;
  readonly title: string | null;
  readonly message: string;
  readonly raw_details: string | null;
}

export interface CheckAction {
  readonly label: string;
  readonly description: string;
  readonly identifier: string;
}

/** A workflow run; a re-run is a further attempt of the same run. */
export interface Run {
  readonly id: number;
  readonly repository: Repository;
  readonly workflow: Workflow;
  readonly name: string;
  readonly displayTitle: string;
  readonly event: string;
  /** For a pull request its head; what is checked out is `checkoutSha`. */
  readonly headSha: string;
  readonly headBranch: string;
  readonly headRepository: Repository;
  readonly checkoutSha: string;
  /** As `GITHUB_REF` says it, e.g. `refs/pull/3/merge`. */
  readonly ref: string;
  readonly pull: PullRequest | null;
  readonly actor: User;
  readonly number: number;
  readonly suite: CheckSuite;
  readonly createdAt: string;
  readonly attempts: Attempt[];
}

export interface Attempt {
  readonly number: number;
  readonly startedAt: string;
  updatedAt: string;
  status: Status;
  conclusion: Conclusion | null;
  jobs: Job[];
  /** Aborted by a cancel request. */
  readonly stop: AbortController;
}

export interface Job {
  /** Also the id of its check run, as at GitHub. */
  readonly id: number;
  /** The job's key in the workflow file. */
  readonly key: string;
  readonly name: string;
  readonly labels: readonly string[];
  readonly checkRun: CheckRun;
  readonly createdAt: string;
  startedAt: string;
  completedAt: string | null;
  status: Status;
  conclusion: Conclusion | null;
  /** What dependants are told: the conclusion, or success where `continue-on-error` forgives it. */
  result: Conclusion | null;
  outputs: Readonly<Record<string, string>>;
  readonly steps: Step[];
  runnerName: string | null;
}

export interface Step {
  readonly number: number;
  readonly name: string;
  status: Status;
  conclusion: Conclusion | null;
  startedAt: string | null;
  completedAt: string | null;
  /** Lines with their timestamps, as in the log. */
  readonly log: string[];
}

export interface App {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly owner: User;
  readonly createdAt: string;
  readonly permissions: Readonly<Record<string, Access>>;
  readonly events: readonly string[];
}

export type Access = "read" | "write";

export interface Installation {
  readonly id: number;
  readonly account: User;
  readonly createdAt: string;
}

export interface Token {
  readonly installation: Installation;
  /** null: every repository of the installation. */
  readonly repositoryIds: ReadonlySet<number> | null;
  readonly permissions: Readonly<Record<string, Access>>;
  readonly expiresAt: number;
}

export interface Delivery {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly action: string | null;
  readonly payload: unknown;
  readonly deliveredAt: string;
  readonly redelivery: boolean;
  readonly installationId: number | null;
  readonly repositoryId: number | null;
  /** null while in flight; 0 when no answer came. */
  statusCode: number | null;
  /** As GitHub writes it: `OK`, `Invalid HTTP Response: 500`, `timed out`, `failed to connect to host`. */
  status: string;
  ms: number | null;
}
