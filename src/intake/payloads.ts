import { z } from "zod";
import type { Repository, WorkflowRun } from "../domain/repository.ts";

// Only the fields we use (GitHub webhook payloads); a payload without them is not ours to guess at.

const Account = z.object({ login: z.string(), type: z.string().optional() });

const RepositoryPayload = z.object({
  id: z.number(),
  name: z.string(),
  owner: Account,
  clone_url: z.string(),
  html_url: z.string(),
  default_branch: z.string(),
  private: z.boolean(),
});

const Installation = z.object({ id: z.number() });

export const WorkflowRunEvent = z.object({
  action: z.string(),
  workflow_run: z.object({
    id: z.number(),
    run_attempt: z.number().default(1),
    name: z.string().nullish(),
    path: z.string().default(""),
    event: z.string(),
    status: z.string().nullish(),
    conclusion: z.string().nullish(),
    head_sha: z.string(),
    head_branch: z.string().nullish(),
    head_repository: z.object({ full_name: z.string() }).nullish(),
    actor: Account.nullish(),
    created_at: z.string(),
    html_url: z.string(),
    pull_requests: z.array(z.object({ number: z.number() })).nullish(),
  }),
  repository: RepositoryPayload,
  installation: Installation,
});
export type WorkflowRunEvent = z.infer<typeof WorkflowRunEvent>;

export const IssueCommentEvent = z.object({
  action: z.string(),
  issue: z.object({ number: z.number(), pull_request: z.unknown().optional() }),
  comment: z.object({
    id: z.number(),
    body: z.string().nullish(),
    user: Account,
    performed_via_github_app: z.object({ id: z.number() }).nullish(),
  }),
  repository: RepositoryPayload,
  installation: Installation,
});

export const PullRequestEvent = z.object({
  action: z.string(),
  pull_request: z.object({
    number: z.number(),
    merged: z.boolean().nullish(),
    head: z.object({ sha: z.string(), ref: z.string() }),
  }),
  label: z.object({ name: z.string() }).nullish(),
  repository: RepositoryPayload,
  installation: Installation,
});

const InstallationOf = Installation.extend({ account: z.object({ login: z.string() }).nullish() });
const Named = z.object({ id: z.number(), full_name: z.string().optional() });

export const InstallationEvent = z.object({
  action: z.string(),
  installation: InstallationOf,
  repositories: z.array(Named).default([]),
});

export const InstallationRepositoriesEvent = z.object({
  installation: InstallationOf,
  repositories_added: z.array(Named).default([]),
  repositories_removed: z.array(Named).default([]),
});

export function toRepository(payload: z.infer<typeof RepositoryPayload>): Repository {
  return {
    id: payload.id,
    owner: payload.owner.login,
    name: payload.name,
    cloneUrl: payload.clone_url,
    htmlUrl: payload.html_url,
    defaultBranch: payload.default_branch,
    private: payload.private,
  };
}

export function toWorkflowRun({ workflow_run: run }: WorkflowRunEvent): WorkflowRun {
  return {
    id: run.id,
    attempt: run.run_attempt,
    name: run.name ?? "",
    // The path may carry the ref it was read at.
    path: run.path.split("@")[0] ?? "",
    event: run.event,
    status: run.status ?? "completed",
    conclusion: run.conclusion ?? null,
    headSha: run.head_sha,
    headBranch: run.head_branch ?? "",
    headRepository: run.head_repository?.full_name ?? null,
    actor: run.actor?.login ?? "",
    createdAt: run.created_at,
    htmlUrl: run.html_url,
  };
}
