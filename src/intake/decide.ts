import { isRed, type Repository, type WorkflowRun } from "../domain/repository.ts";
import { type Command, readCommand } from "./command.ts";
import {
  InstallationEvent,
  InstallationRepositoriesEvent,
  IssueCommentEvent,
  PullRequestEvent,
  toRepository,
  toWorkflowRun,
  WorkflowRunEvent,
} from "./payloads.ts";

/** What a delivery is to us. Nothing is asked of anybody to decide it. */
export type Decision =
  /** A run failed that may be repaired. */
  | {
      readonly kind: "failed-run";
      readonly at: Place;
      readonly run: WorkflowRun;
      readonly pullRequests: readonly number[];
    }
  /** A failed run that may only be explained. */
  | {
      readonly kind: "explain-run";
      readonly at: Place;
      readonly run: WorkflowRun;
      readonly pullRequests: readonly number[];
    }
  /** A run on one of our own branches moved. */
  | { readonly kind: "own-run"; readonly at: Place; readonly run: WorkflowRun }
  /** A run turned green: what it once failed may be mended otherwise. */
  | { readonly kind: "green-run"; readonly at: Place; readonly run: WorkflowRun }
  | {
      readonly kind: "command";
      readonly at: Place;
      readonly command: Command;
      readonly pullRequest: number;
      readonly commentId: number;
      readonly user: string;
    }
  | { readonly kind: "pull-request-closed"; readonly at: Place; readonly number: number; readonly merged: boolean }
  | { readonly kind: "pull-request-moved"; readonly at: Place; readonly number: number; readonly headSha: string }
  | { readonly kind: "pull-request-labeled"; readonly at: Place; readonly number: number; readonly label: string }
  /** `repositoryIds` and `names`: of these only; null for all of the installation. `account`: whose it was, null when unsaid. */
  | {
      readonly kind: "uninstalled";
      readonly installationId: number;
      readonly account: string | null;
      readonly repositoryIds: readonly number[] | null;
      readonly names: readonly string[] | null;
    }
  /** The app is new to these repositories (`owner/name`). */
  | { readonly kind: "installed"; readonly installationId: number; readonly names: readonly string[] }
  | { readonly kind: "ignore"; readonly why: string };

export interface Place {
  readonly installationId: number;
  readonly repository: Repository;
}

// design §6: never pull_request_target, whose runs hold secrets; a merge queue's branch is read-only.
const REPAIRED_EVENTS = ["push", "pull_request", "schedule", "workflow_dispatch"];
const EXPLAINED_EVENTS = ["merge_group"];

/** Whether a red run is ours to look at. */
export function isRepairable(run: Pick<WorkflowRun, "conclusion" | "event">): boolean {
  return isRed(run) && [...REPAIRED_EVENTS, ...EXPLAINED_EVENTS].includes(run.event);
}

/** Reads a delivery. `ownBranch` tells whether a branch name is one of ours. */
export function decide(event: string, payload: unknown, ownBranch: (branch: string) => boolean): Decision {
  if (event === "workflow_run") return decideRun(payload, ownBranch);
  if (event === "issue_comment") return decideComment(payload);
  if (event === "pull_request") return decidePullRequest(payload);
  if (event === "installation") return decideInstallation(payload);
  if (event === "installation_repositories") return decideRepositories(payload);
  return ignore(`the event ${event} asks nothing of us`);
}

function decideRun(payload: unknown, ownBranch: (branch: string) => boolean): Decision {
  const parsed = WorkflowRunEvent.safeParse(payload);
  if (!parsed.success) return ignore("the workflow_run payload is not understood");
  const run = toWorkflowRun(parsed.data);
  const repository = toRepository(parsed.data.repository);
  const at = { installationId: parsed.data.installation.id, repository };
  const fromFork = run.headRepository !== `${repository.owner}/${repository.name}`;
  // A fork may name its branches as it likes; only ours lie in the repository itself.
  if (ownBranch(run.headBranch) && !fromFork) return { kind: "own-run", at, run };
  if (parsed.data.action !== "completed") return ignore(`the run is ${parsed.data.action}`);
  if (run.conclusion === "success") return { kind: "green-run", at, run };
  if (!isRed(run)) return ignore(`the run ended as ${run.conclusion}`);
  const pullRequests = (parsed.data.workflow_run.pull_requests ?? []).map((pull) => pull.number);
  if (REPAIRED_EVENTS.includes(run.event)) return { kind: "failed-run", at, run, pullRequests };
  if (EXPLAINED_EVENTS.includes(run.event)) return { kind: "explain-run", at, run, pullRequests };
  return ignore(`runs started by ${run.event} are not ours to repair`);
}

function decideComment(payload: unknown): Decision {
  const parsed = IssueCommentEvent.safeParse(payload);
  if (!parsed.success) return ignore("the issue_comment payload is not understood");
  const { action, issue, comment, repository, installation } = parsed.data;
  // An edit could put a command under a name that others have trusted already.
  if (action !== "created") return ignore("only new comments are read");
  if (issue.pull_request === undefined || issue.pull_request === null)
    return ignore("the comment is not on a pull request");
  if (comment.user.type === "Bot" || (comment.performed_via_github_app ?? null) !== null)
    return ignore("a bot's comment");
  const command = readCommand(comment.body ?? "");
  if (command === null) return ignore("the comment holds no command");
  const at = { installationId: installation.id, repository: toRepository(repository) };
  return { kind: "command", at, command, pullRequest: issue.number, commentId: comment.id, user: comment.user.login };
}

function decidePullRequest(payload: unknown): Decision {
  const parsed = PullRequestEvent.safeParse(payload);
  if (!parsed.success) return ignore("the pull_request payload is not understood");
  const { action, pull_request: pull, label, repository, installation } = parsed.data;
  const at = { installationId: installation.id, repository: toRepository(repository) };
  if (action === "closed")
    return { kind: "pull-request-closed", at, number: pull.number, merged: pull.merged === true };
  if (action === "synchronize") return { kind: "pull-request-moved", at, number: pull.number, headSha: pull.head.sha };
  if (action === "labeled" && label)
    return { kind: "pull-request-labeled", at, number: pull.number, label: label.name };
  return ignore(`a pull request was ${action}`);
}

function decideInstallation(payload: unknown): Decision {
  const parsed = InstallationEvent.safeParse(payload);
  if (!parsed.success) return ignore("the installation payload is not understood");
  const { action, installation, repositories } = parsed.data;
  const names = namesOf(repositories);
  if (action === "created" && names.length > 0) return { kind: "installed", installationId: installation.id, names };
  if (action !== "deleted") return ignore(`the installation was ${action}`);
  const account = installation.account?.login ?? null;
  return { kind: "uninstalled", installationId: installation.id, account, repositoryIds: null, names: null };
}

function decideRepositories(payload: unknown): Decision {
  const parsed = InstallationRepositoriesEvent.safeParse(payload);
  if (!parsed.success) return ignore("the installation_repositories payload is not understood");
  const { installation, repositories_added: added, repositories_removed: removed } = parsed.data;
  const installationId = installation.id;
  if (removed.length > 0) {
    const account = installation.account?.login ?? null;
    const repositoryIds = removed.map(({ id }) => id);
    return { kind: "uninstalled", installationId, account, repositoryIds, names: namesOf(removed) };
  }
  const names = namesOf(added);
  return names.length > 0 ? { kind: "installed", installationId, names } : ignore("no repository is named");
}

function namesOf(repositories: readonly { readonly full_name?: string | undefined }[]): readonly string[] {
  return repositories.flatMap(({ full_name: name }) => name ?? []);
}

function ignore(why: string): Decision {
  return { kind: "ignore", why };
}
