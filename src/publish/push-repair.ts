import type { Incident, Publication } from "../domain/incident.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Policy } from "../domain/policy.ts";
import type { PullRequest } from "../domain/repository.ts";
import type { GitHub } from "../ports/github.ts";
import type { RemoteGit } from "../ports/remote-git.ts";
import { redact } from "../text/redact.ts";
import { BRANCH_PREFIX } from "./branch.ts";
import { pullRequestBody, pullRequestTitle } from "./message.ts";
import { isRefused } from "./refused.ts";

export type Pushed =
  | {
      readonly ended: "published" /** Null where the failing branch itself was pushed to. */;
      readonly pullRequest: PullRequest | null;
    }
  | { readonly ended: "refused"; readonly why: string };

/**
 * Pushes the prepared commit and opens the draft pull request. Each step is looked up before it is done: after a kill the
 * same commit is pushed again, and the pull request of the branch found instead of opened twice.
 */
export async function pushRepair(
  github: GitHub,
  remoteGit: RemoteGit,
  incident: Incident,
  publication: Publication,
  outcome: Outcome,
  policy: Policy,
): Promise<Pushed> {
  const { repository } = incident;
  const authorization = await github.gitAuthorization(repository, "write");
  const remote = { url: repository.cloneUrl, authorization };
  const ours = publication.branch.startsWith(BRANCH_PREFIX);
  const expected = ours ? null : incident.headSha;
  const answer = await remoteGit.push(publication.copyFolder, publication.commit, remote, publication.branch, expected);
  if (!answer.pushed) return { ended: "refused", why: `the push was ${answer.because}: ${answer.message}` };
  if (!ours) return { ended: "published", pullRequest: null };
  const pullRequest =
    (await findPullRequest(github, incident, publication)) ??
    (await openPullRequest(github, incident, publication, outcome, policy));
  if (typeof pullRequest === "string") return { ended: "refused", why: pullRequest };
  await github.addLabels(repository, pullRequest.number, policy.labels).catch(() => {
    // A label that cannot be set is no reason to lose the repair.
  });
  return { ended: "published", pullRequest };
}

/** Ours from this branch, once it is open. */
async function findPullRequest(
  github: GitHub,
  { repository }: Pick<Incident, "repository">,
  { branch, base }: Publication,
): Promise<PullRequest | null> {
  const open = await github.pullRequestsFrom(repository, repository.owner, branch);
  return open.find((pull) => pull.baseBranch === base) ?? null;
}

/** The draft, or why the host takes none. */
async function openPullRequest(
  github: GitHub,
  incident: Incident,
  publication: Publication,
  outcome: Outcome,
  policy: Policy,
): Promise<PullRequest | string> {
  try {
    return await github.createPullRequest(incident.repository, {
      title: redact(pullRequestTitle(outcome, policy.commit.prefix)),
      body: redact(pullRequestBody(incident, outcome)),
      head: publication.branch,
      base: publication.base,
      draft: true,
    });
  } catch (error) {
    // 422: the base is gone, or holds the change by now; 403: a rule of the repository. Trying again helps neither.
    if (isRefused(error, [403, 422])) return `the pull request was refused: ${error.message}`;
    throw error;
  }
}

/** Brings our pull request's text up to what the incident is now. */
export async function editOurPullRequest(github: GitHub, incident: Incident): Promise<void> {
  const { publication, outcome, repository } = incident;
  if (publication?.pullRequest == null || outcome === null) return;
  await github.editPullRequest(repository, publication.pullRequest, {
    body: redact(pullRequestBody(incident, outcome)),
  });
}

/** Closes our pull request and deletes our branch; what is gone already stays gone. Never touches anything but ours. */
export async function withdraw(github: GitHub, incident: Incident): Promise<void> {
  const { publication, repository, outcome } = incident;
  // With `mode: push` the branch is theirs.
  if (publication === null || !publication.branch.startsWith(BRANCH_PREFIX)) return;
  // Looked up: a kill may have come after it was opened and before its number was written down.
  const ours = await findPullRequest(github, incident, publication);
  if (ours !== null) {
    const body = outcome === null ? {} : { body: redact(pullRequestBody(incident, outcome)) };
    await github.editPullRequest(repository, ours.number, { ...body, state: "closed" });
  }
  if ((await github.branchHead(repository, publication.branch)) === publication.commit) {
    await github.deleteBranch(repository, publication.branch);
  }
}
