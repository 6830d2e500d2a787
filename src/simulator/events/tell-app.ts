import { readCommit } from "../git/read-history.ts";
import { presentCheckRun, presentCheckSuite } from "../present/present-check.ts";
import { userOfSignature } from "../present/present-commit.ts";
import { presentAsIssue, presentComment, presentPull } from "../present/present-pull.ts";
import { presentInstallation, presentRepository, repositoryPage } from "../present/present-repository.ts";
import { presentRun, presentWorkflow } from "../present/present-run.ts";
import { presentUser } from "../present/present-user.ts";
import type {
  Attempt,
  CheckRun,
  CheckSuite,
  Comment,
  Installation,
  PullRequest,
  Repository,
  Run,
  User,
} from "../state/nouns.ts";
import { nodeId, type Simulation } from "../state/simulation.ts";
import { deliver } from "./deliver-webhook.ts";

/** Events that come to every app unasked, and those that an app with `checks: write` is subscribed to by itself. */
const UNASKED = ["installation", "installation_repositories"];
const WITH_CHECKS = ["check_run", "check_suite"];

/** The app's installation on the owner's account, null where it is not installed. */
export function installationOf(simulation: Simulation, repository: Repository): Installation | null {
  return simulation.installations.get(repository.owner.id) ?? null;
}

/** Sends the event if the app is installed there and subscribed to it. */
export function tellApp(
  simulation: Simulation,
  repository: Repository,
  sender: User,
  event: string,
  payload: Readonly<Record<string, unknown>>,
): void {
  const installation = installationOf(simulation, repository);
  if (installation === null || !hears(simulation, event)) return;
  const common = {
    repository: presentRepository(simulation, repository),
    sender: presentUser(simulation, sender),
    installation: { id: installation.id, node_id: nodeId("I", installation.id) },
  };
  deliver(simulation, event, { ...payload, ...common }, { repository, installation });
}

/** `workflow_run` */
export async function tellRun(
  simulation: Simulation,
  run: Run,
  attempt: Attempt,
  action: "requested" | "in_progress" | "completed",
): Promise<void> {
  const { repository, workflow, actor } = run;
  tellApp(simulation, repository, actor, "workflow_run", {
    action,
    workflow_run: await presentRun(simulation, run, attempt),
    workflow: presentWorkflow(simulation, repository, workflow),
  });
}

/** `check_run`; `more` holds the fields of one action only. */
export function tellCheckRun(
  simulation: Simulation,
  repository: Repository,
  run: CheckRun,
  action: "created" | "completed" | "rerequested" | "requested_action",
  sender: User,
  more: Readonly<Record<string, unknown>> = {},
): void {
  const shown = presentCheckRun(simulation, repository, run);
  const suite = { id: run.suite.id, head_branch: run.suite.headBranch, head_sha: run.suite.headSha, app: shown.app };
  const check_run = { ...shown, check_suite: { ...suite, pull_requests: shown.pull_requests } };
  tellApp(simulation, repository, sender, "check_run", { action, check_run, ...more });
}

/** `check_suite` */
export async function tellCheckSuite(
  simulation: Simulation,
  repository: Repository,
  suite: CheckSuite,
  action: "requested" | "completed",
  sender: User,
): Promise<void> {
  const check_suite = await presentCheckSuite(simulation, repository, suite);
  tellApp(simulation, repository, sender, "check_suite", { action, check_suite });
}

/** `pull_request`; `more` holds the fields of one action only. */
export async function tellPull(
  simulation: Simulation,
  repository: Repository,
  pull: PullRequest,
  action: string,
  sender: User,
  more: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const pull_request = await presentPull(simulation, repository, pull);
  tellApp(simulation, repository, sender, "pull_request", { action, number: pull.number, pull_request, ...more });
}

/** `issue_comment` */
export function tellComment(
  simulation: Simulation,
  repository: Repository,
  pull: PullRequest,
  comment: Comment,
  action: "created" | "edited" | "deleted",
  sender: User,
): void {
  tellApp(simulation, repository, sender, "issue_comment", {
    action,
    issue: presentAsIssue(simulation, repository, pull),
    comment: presentComment(simulation, repository, pull, comment),
  });
}

export interface Push {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly forced: boolean;
  /** Newest last, as the payload has them. */
  readonly commits: readonly string[];
}

/** `push` */
export async function tellPush(
  simulation: Simulation,
  repository: Repository,
  push: Push,
  sender: User,
): Promise<void> {
  const page = repositoryPage(simulation, repository);
  const shown = await Promise.all(push.commits.map((sha) => presentPushed(simulation, repository, sha)));
  tellApp(simulation, repository, sender, "push", {
    ref: push.ref,
    before: push.before,
    after: push.after,
    created: /^0+$/.test(push.before),
    deleted: /^0+$/.test(push.after),
    forced: push.forced,
    base_ref: null,
    compare: `${page}/compare/${push.before.slice(0, 12)}...${push.after.slice(0, 12)}`,
    commits: shown,
    head_commit: shown.at(-1) ?? null,
    pusher: { name: sender.login },
  });
}

/** `installation`, which comes to every app. */
export function tellInstallation(
  simulation: Simulation,
  installation: Installation,
  action: "created" | "deleted",
  repositories: readonly Repository[],
): void {
  deliver(
    simulation,
    "installation",
    {
      action,
      installation: presentInstallation(simulation, installation),
      repositories: repositories.map(({ id, name, fullName, isPrivate }) => ({
        id,
        node_id: nodeId("R", id),
        name,
        full_name: fullName,
        private: isPrivate,
      })),
      requester: null,
      sender: presentUser(simulation, installation.account),
    },
    { repository: null, installation },
  );
}

async function presentPushed(simulation: Simulation, repository: Repository, sha: string) {
  const commit = await readCommit(repository.git, sha);
  if (commit === null) return { id: sha };
  const person = (who: { name: string; email: string }) => {
    const user = userOfSignature(simulation, who);
    return { name: who.name, email: who.email, ...(user === null ? {} : { username: user.login }) };
  };
  return {
    id: sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${repositoryPage(simulation, repository)}/commit/${sha}`,
    author: person(commit.author),
    committer: person(commit.committer),
  };
}

function hears({ app }: Simulation, event: string): boolean {
  if (UNASKED.includes(event) || app.events.includes(event)) return true;
  return WITH_CHECKS.includes(event) && app.permissions.checks === "write";
}
