import type { Octokit } from "@octokit/rest";
import type { CiJob } from "../../domain/ci-run.ts";
import type { PullRequest, Repository, WorkflowRun } from "../../domain/repository.ts";
import { type Comment, type GitHub, GitHubFailed, type LogAnswer } from "../../ports/github.ts";

/** What we use of an Octokit, so that Probot's own and a plain one both serve. */
export type OctokitLike = Pick<Octokit, "rest" | "request" | "graphql" | "paginate">;

export interface OctokitGitHubOptions {
  readonly octokit: OctokitLike;
  readonly botLogin: () => Promise<string | null>;
  readonly gitAuthorization: GitHub["gitAuthorization"];
}

const PER_PAGE = 100; // the most GitHub gives a page

/** GitHub over REST and GraphQL through Octokit; pacing and retries are the client's plug-ins. */
export function octokitGitHub({ octokit, botLogin, gitAuthorization }: OctokitGitHubOptions): GitHub {
  const { rest } = octokit;
  const at = (repo: Repository) => ({ owner: repo.owner, repo: repo.name });
  return {
    botLogin,
    gitAuthorization,

    repository: (owner, name) =>
      asked(async () => {
        const { data } = await rest.repos.get({ owner, repo: name });
        return {
          id: data.id,
          owner: data.owner.login,
          name: data.name,
          cloneUrl: data.clone_url,
          htmlUrl: data.html_url,
          defaultBranch: data.default_branch,
          private: data.private,
        };
      }),

    run: (repo, runId) =>
      asked(async () => toRun((await rest.actions.getWorkflowRun({ ...at(repo), run_id: runId })).data)),

    runsOf: (repo, headSha) =>
      asked(async () => {
        const parameters = { ...at(repo), head_sha: headSha, per_page: PER_PAGE };
        return (await octokit.paginate(rest.actions.listWorkflowRunsForRepo, parameters)).map(toRun);
      }),

    runsOfWorkflow: (repo, path, { branch, status, limit }) =>
      asked(async () => {
        const { data } = await rest.actions.listWorkflowRuns({
          ...at(repo),
          workflow_id: path.split("/").at(-1) ?? "",
          per_page: Math.min(limit, PER_PAGE),
          ...(branch === undefined ? {} : { branch }),
          ...(status === undefined ? {} : { status }),
        });
        return data.workflow_runs.map(toRun);
      }),

    runsOnBranch: (repo, branch) =>
      asked(async () => {
        const parameters = { ...at(repo), branch, per_page: PER_PAGE };
        return (await octokit.paginate(rest.actions.listWorkflowRunsForRepo, parameters)).map(toRun);
      }),

    jobs: (repo, runId, attempt) =>
      asked(async () => {
        const parameters = { ...at(repo), run_id: runId, attempt_number: attempt, per_page: PER_PAGE };
        return (await octokit.paginate(rest.actions.listJobsForWorkflowRunAttempt, parameters)).map(toJob);
      }),

    jobLog: (repo, jobId) => downloadLog(octokit, repo, jobId),

    annotations: (repo, jobId) =>
      asked(async () => {
        // An Actions job is a check run of the same number (`check_run_url`).
        const parameters = { ...at(repo), check_run_id: jobId, per_page: PER_PAGE };
        const found = await octokit.paginate(rest.checks.listAnnotations, parameters);
        return found.map((annotation) => ({
          path: annotation.path,
          line: annotation.start_line ?? null,
          level: annotation.annotation_level ?? "notice",
          title: annotation.title ?? null,
          message: annotation.message ?? "",
        }));
      }),

    rerunFailedJobs: async (repo, runId) => {
      try {
        await rest.actions.reRunWorkflowFailedJobs({ ...at(repo), run_id: runId });
        return "started";
      } catch (error) {
        // 403: too old, re-run too often, or not permitted; 404: gone.
        if ([403, 404, 410].includes(statusOf(error))) return "refused";
        throw failed(error);
      }
    },

    file: (repo, path, ref) =>
      orNull(async () => {
        const { data } = await rest.repos.getContent({ ...at(repo), path, ref });
        if (Array.isArray(data) || data.type !== "file" || !("content" in data)) return null;
        if (data.content !== "" || data.size === 0) return Buffer.from(data.content, "base64").toString("utf8");
        // Between 1 and 100 MB the content comes only raw.
        const raw = await rest.repos.getContent({ ...at(repo), path, ref, mediaType: { format: "raw" } });
        return String(raw.data);
      }),

    folder: async (repo, path, ref) => {
      const found = await orNull(async () => (await rest.repos.getContent({ ...at(repo), path, ref })).data);
      return Array.isArray(found) ? found.filter((entry) => entry.type === "file").map((entry) => entry.path) : [];
    },

    branchHead: (repo, branch) =>
      orNull(async () => (await rest.git.getRef({ ...at(repo), ref: `heads/${branch}` })).data.object.sha),

    filesBetween: (repo, base, head) =>
      orNull(async () => {
        // One page: the files of a comparison all stand on the first.
        const { data } = await rest.repos.compareCommitsWithBasehead({
          ...at(repo),
          basehead: `${base}...${head}`,
          per_page: 1,
        });
        return (data.files ?? []).flatMap(({ filename, previous_filename: before }) =>
          before === undefined ? [filename] : [filename, before],
        );
      }),

    isProtected: async (repo, branch) =>
      (await orNull(async () => (await rest.repos.getBranch({ ...at(repo), branch })).data.protected)) ?? false,

    deleteBranch: async (repo, branch) => {
      try {
        await rest.git.deleteRef({ ...at(repo), ref: `heads/${branch}` });
      } catch (error) {
        // 422: the reference does not exist any more.
        if (![404, 422].includes(statusOf(error))) throw failed(error);
      }
    },

    pullRequest: (repo, number) =>
      asked(async () => toPullRequest((await rest.pulls.get({ ...at(repo), pull_number: number })).data)),

    pullRequestsFrom: (repo, headOwner, headBranch) =>
      asked(async () => {
        const parameters = {
          ...at(repo),
          head: `${headOwner}:${headBranch}`,
          state: "open" as const,
          per_page: PER_PAGE,
        };
        const { data } = await rest.pulls.list(parameters);
        // A host that does not know the filter answers with all of them.
        return data.map(toPullRequest).filter((pull) => pull.headBranch === headBranch);
      }),

    mergedPullRequests: (repo, { limit, since }) =>
      asked(async () => {
        const found: PullRequest[] = [];
        const parameters = {
          ...at(repo),
          state: "closed",
          sort: "updated",
          direction: "desc",
          per_page: PER_PAGE,
        } as const;
        for await (const { data } of octokit.paginate.iterator(rest.pulls.list, parameters)) {
          for (const pull of data) {
            if (since !== null && new Date(pull.updated_at) < since) return found;
            const late = since === null || (pull.merged_at !== null && new Date(pull.merged_at) >= since);
            if (pull.merged_at !== null && late) found.push(toPullRequest(pull));
            if (found.length >= limit) return found;
          }
        }
        return found;
      }),

    createPullRequest: (repo, wanted) =>
      asked(async () => {
        try {
          return toPullRequest((await rest.pulls.create({ ...at(repo), ...wanted })).data);
        } catch (error) {
          if (!wanted.draft || statusOf(error) !== 422) throw error;
          return toPullRequest((await rest.pulls.create({ ...at(repo), ...wanted, draft: false })).data);
        }
      }),

    editPullRequest: (repo, number, change) =>
      asked(async () => {
        await rest.pulls.update({ ...at(repo), pull_number: number, ...change });
      }),

    markReady: ({ nodeId }) =>
      asked(async () => {
        await octokit.graphql(
          "mutation ($id: ID!) { markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } } }",
          { id: nodeId },
        );
      }),

    pullRequestDiff: (repo, number) =>
      asked(async () => {
        const asDiff = { ...at(repo), pull_number: number, mediaType: { format: "diff" } };
        return String((await rest.pulls.get(asDiff)).data);
      }),

    reviews: (repo, number) =>
      asked(async () => {
        const parameters = { ...at(repo), pull_number: number, per_page: PER_PAGE };
        return (await octokit.paginate(rest.pulls.listReviews, parameters)).map(toReview);
      }),

    createReview: (repo, number, { headSha, body, comments }) =>
      asked(async () => {
        const wanted = {
          ...at(repo),
          pull_number: number,
          commit_id: headSha,
          body,
          event: "COMMENT" as const,
          comments: comments.map(({ path, startLine, line, body: text }) => ({
            path,
            body: text,
            line,
            side: "RIGHT",
            // GitHub refuses a start that is the end.
            ...(startLine < line ? { start_line: startLine, start_side: "RIGHT" } : {}),
          })),
        };
        return toReview((await rest.pulls.createReview(wanted)).data);
      }),

    addLabels: (repo, number, labels) =>
      asked(async () => {
        if (labels.length > 0) await rest.issues.addLabels({ ...at(repo), issue_number: number, labels: [...labels] });
      }),

    comments: (repo, number) =>
      asked(async () => {
        const parameters = { ...at(repo), issue_number: number, per_page: PER_PAGE };
        return (await octokit.paginate(rest.issues.listComments, parameters)).map(toComment);
      }),

    createComment: (repo, number, body) =>
      asked(async () => toComment((await rest.issues.createComment({ ...at(repo), issue_number: number, body })).data)),

    editComment: (repo, commentId, body) =>
      asked(async () => {
        await rest.issues.updateComment({ ...at(repo), comment_id: commentId, body });
      }),

    react: (repo, commentId, content) =>
      asked(async () => {
        await rest.reactions.createForIssueComment({ ...at(repo), comment_id: commentId, content });
      }),

    permission: async (repo, user) => {
      const level = await orNull(
        async () => (await rest.repos.getCollaboratorPermissionLevel({ ...at(repo), username: user })).data.permission,
      );
      return level === "admin" || level === "write" || level === "read" ? level : "none";
    },

    createCheckRun: (repo, { headSha, externalId, name, status, conclusion, title, summary }) =>
      asked(async () => {
        const output = { title, summary };
        const ended = conclusion === null ? {} : { conclusion };
        const parameters = { ...at(repo), head_sha: headSha, external_id: externalId, name, status, output, ...ended };
        return (await rest.checks.create(parameters)).data.id;
      }),

    findCheckRun: (repo, headSha, externalId) =>
      asked(async () => {
        const parameters = { ...at(repo), ref: headSha, per_page: PER_PAGE };
        const found = await octokit.paginate(rest.checks.listForRef, parameters);
        return found.find((check) => check.external_id === externalId)?.id ?? null;
      }),

    editCheckRun: (repo, checkRunId, { name, status, conclusion, title, summary }) =>
      asked(async () => {
        const output = { title, summary };
        const ended = conclusion === null ? {} : { conclusion };
        await rest.checks.update({ ...at(repo), check_run_id: checkRunId, name, status, output, ...ended });
      }),
  };
}

/** The log through GitHub's redirect: the link lives a minute and must not get our authorization. */
async function downloadLog(octokit: OctokitLike, repo: Repository, jobId: number): Promise<LogAnswer> {
  let location: string;
  try {
    const answer = await octokit.request("GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs", {
      owner: repo.owner,
      repo: repo.name,
      job_id: jobId,
      request: { redirect: "manual" },
    });
    if (answer.headers.location === undefined) return { kind: "log", chunks: oneChunk(answer.data) };
    location = answer.headers.location;
  } catch (error) {
    const status = statusOf(error);
    if (status === 410) return { kind: "gone" };
    if (status === 404 || status >= 500 || status === 0) return { kind: "missing", status };
    throw failed(error);
  }
  try {
    const answer = await fetch(location);
    if (!answer.ok || answer.body === null) {
      await answer.body?.cancel();
      return answer.status === 410 ? { kind: "gone" } : { kind: "missing", status: answer.status };
    }
    return { kind: "log", chunks: answer.body };
  } catch {
    return { kind: "missing", status: 0 };
  }
}

async function* oneChunk(data: unknown): AsyncIterable<Uint8Array> {
  if (typeof data === "string") yield Buffer.from(data, "utf8");
  else if (data instanceof ArrayBuffer) yield new Uint8Array(data);
}

interface RunData {
  readonly id: number;
  readonly run_attempt?: number;
  readonly name?: string | null;
  readonly path: string;
  readonly event: string;
  readonly status: string | null;
  readonly conclusion: string | null;
  readonly head_sha: string;
  readonly head_branch: string | null;
  readonly head_repository?: { readonly full_name: string } | null;
  readonly actor?: { readonly login: string } | null;
  readonly created_at: string;
  readonly html_url: string;
}

function toRun(data: RunData): WorkflowRun {
  return {
    id: data.id,
    attempt: data.run_attempt ?? 1,
    name: data.name ?? "",
    path: data.path.split("@")[0] ?? "",
    event: data.event,
    status: data.status ?? "",
    conclusion: data.conclusion,
    headSha: data.head_sha,
    headBranch: data.head_branch ?? "",
    headRepository: data.head_repository?.full_name ?? null,
    actor: data.actor?.login ?? "",
    createdAt: data.created_at,
    htmlUrl: data.html_url,
  };
}

interface JobData {
  readonly id: number;
  readonly name: string;
  readonly conclusion: string | null;
  readonly labels?: readonly string[];
  readonly steps?: readonly {
    readonly number: number;
    readonly name: string;
    readonly conclusion: string | null;
    readonly started_at?: string | null;
    readonly completed_at?: string | null;
  }[];
}

function toJob(data: JobData): CiJob {
  return {
    id: data.id,
    name: data.name,
    conclusion: data.conclusion,
    labels: data.labels ?? [],
    steps: (data.steps ?? []).map((step) => ({
      number: step.number,
      name: step.name,
      conclusion: step.conclusion,
      startedAt: step.started_at ?? null,
      completedAt: step.completed_at ?? null,
    })),
  };
}

interface PullData {
  readonly number: number;
  readonly state: string;
  readonly merged_at?: string | null;
  readonly draft?: boolean | undefined;
  readonly title: string;
  readonly body: string | null;
  readonly user: { readonly login: string } | null;
  readonly head: { readonly sha: string; readonly ref: string; readonly repo?: { readonly full_name: string } | null };
  readonly base: { readonly ref: string };
  readonly labels: readonly { readonly name?: string }[];
  readonly html_url: string;
  readonly node_id: string;
}

function toPullRequest(data: PullData): PullRequest {
  return {
    number: data.number,
    state: data.state === "closed" ? "closed" : "open",
    merged: (data.merged_at ?? null) !== null,
    draft: data.draft ?? false,
    title: data.title,
    body: data.body ?? "",
    author: data.user?.login ?? "",
    headSha: data.head.sha,
    headBranch: data.head.ref,
    headRepository: data.head.repo?.full_name ?? null,
    baseBranch: data.base.ref,
    labels: data.labels.flatMap((label) => label.name ?? []),
    htmlUrl: data.html_url,
    nodeId: data.node_id,
  };
}

function toReview(data: {
  readonly id: number;
  readonly user: { readonly login: string } | null;
  readonly body?: string | null;
  readonly submitted_at?: string | undefined;
}): Comment {
  const { id, user, body, submitted_at } = data;
  return { id, author: user?.login ?? "", body: body ?? "", createdAt: submitted_at ?? "" };
}

function toComment(data: {
  readonly id: number;
  readonly user: { readonly login: string } | null;
  readonly body?: string;
  readonly created_at: string;
}): Comment {
  return { id: data.id, author: data.user?.login ?? "", body: data.body ?? "", createdAt: data.created_at };
}

async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw failed(error);
  }
}

async function orNull<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw failed(error);
  }
}

function statusOf(error: unknown): number {
  return typeof error === "object" && error !== null && "status" in error && typeof error.status === "number"
    ? error.status
    : 0;
}

function failed(error: unknown): GitHubFailed {
  if (error instanceof GitHubFailed) return error;
  const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  return new GitHubFailed(statusOf(error), `GitHub: ${message}`);
}
