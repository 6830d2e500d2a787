import { readRefs } from "./git/read-history.ts";
import { latestRuns } from "./present/present-check.ts";
import { jobLogText } from "./runner/run-job.ts";
import type {
  CheckRun,
  Comment,
  Conclusion,
  Job,
  PullRequest,
  Repository,
  Review,
  ReviewComment,
  Run,
  Status,
} from "./state/nouns.ts";

/** What a test or a demo sees of the state: plain copies, few fields. */

export interface PullSnapshot {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly user: string;
  readonly state: "open" | "closed";
  readonly draft: boolean;
  readonly merged: boolean;
  /** `owner:branch` */
  readonly head: string;
  readonly headSha: string;
  readonly base: string;
  readonly labels: readonly string[];
}

export interface CommentSnapshot {
  readonly id: number;
  readonly user: string;
  readonly body: string;
  /** The content of each reaction, oldest first. */
  readonly reactions: readonly string[];
}

export interface ReviewSnapshot {
  readonly user: string;
  readonly body: string;
  readonly comments: readonly ReviewComment[];
}

export interface CheckRunSnapshot {
  readonly id: number;
  readonly app: string;
  readonly name: string;
  readonly headSha: string;
  readonly status: Status;
  readonly conclusion: Conclusion | null;
  readonly externalId: string;
  readonly title: string | null;
  readonly summary: string | null;
  readonly text: string | null;
  readonly annotations: number;
  readonly actions: readonly string[];
}

export interface RunSnapshot {
  readonly id: number;
  readonly name: string;
  readonly event: string;
  readonly headSha: string;
  readonly headBranch: string;
  readonly attempt: number;
  readonly status: Status;
  readonly conclusion: Conclusion | null;
  readonly jobs: readonly JobSnapshot[];
}

export interface JobSnapshot {
  readonly id: number;
  readonly name: string;
  readonly conclusion: Conclusion | null;
  /** Step names with their conclusions, in order. */
  readonly steps: readonly (readonly [string, Conclusion | null])[];
  readonly log: string;
}

/** One pull request. */
export function snapshotPull(pull: PullRequest): PullSnapshot {
  return {
    number: pull.number,
    title: pull.title,
    body: pull.body,
    user: pull.user.login,
    state: pull.state,
    draft: pull.draft,
    merged: pull.mergedAt !== null,
    head: `${pull.head.repository.owner.login}:${pull.head.ref}`,
    headSha: pull.head.sha,
    base: pull.base.ref,
    labels: [...pull.labels],
  };
}

/** One comment. */
export function snapshotComment({ id, user, body, reactions }: Comment): CommentSnapshot {
  return { id, user: user.login, body, reactions: reactions.map((reaction) => reaction.content) };
}

export function snapshotReview({ user, body, comments }: Review): ReviewSnapshot {
  return { user: user.login, body, comments };
}

/** The newest check run of each name and suite, oldest first. */
export function snapshotCheckRuns({ checkRuns }: Repository): CheckRunSnapshot[] {
  return latestRuns(checkRuns).map(snapshotCheckRun);
}

/** One run as its latest attempt stands. */
export function snapshotRun(run: Run): RunSnapshot {
  const { id, name, event, headSha, headBranch } = run;
  const last = run.attempts.at(-1);
  return {
    id,
    name,
    event,
    headSha,
    headBranch,
    attempt: run.attempts.length,
    status: last?.status ?? "queued",
    conclusion: last?.conclusion ?? null,
    jobs: (last?.jobs ?? []).map(snapshotJob),
  };
}

/** The commit of each branch, by name. */
export async function snapshotBranches({ git }: Repository): Promise<Record<string, string>> {
  const refs = await readRefs(git, "refs/heads/");
  return Object.fromEntries([...refs].map(([ref, sha]) => [ref.slice("refs/heads/".length), sha]));
}

function snapshotJob({ id, name, conclusion, steps }: Job): JobSnapshot {
  return {
    id,
    name,
    conclusion,
    steps: steps.map((step) => [step.name, step.conclusion] as const),
    log: jobLogText(steps),
  };
}

function snapshotCheckRun(run: CheckRun): CheckRunSnapshot {
  const { id, name, headSha, status, conclusion, externalId, output } = run;
  return {
    id,
    app: run.suite.app.slug,
    name,
    headSha,
    status,
    conclusion,
    externalId,
    ...output,
    annotations: run.annotations.length,
    actions: run.actions.map((action) => action.identifier),
  };
}
