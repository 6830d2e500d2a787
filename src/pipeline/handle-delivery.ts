import { ENDED_STATES, type Incident } from "../domain/incident.ts";
import type { Repository, WorkflowRun } from "../domain/repository.ts";
import { type Decision, decide, type Place } from "../intake/decide.ts";
import { BRANCH_PREFIX } from "../publish/branch.ts";
import { answerCommand } from "./answer-command.ts";
import { endIncident } from "./end-incident.ts";
import { type AppParts, after, followJob, incidentJob, noted } from "./incident-parts.ts";
import { readPolicy } from "./read-policy.ts";

/** What a kept delivery sets in motion. Safe to do again: everything it opens is looked up first. */
export async function handleDelivery(guid: string, parts: AppParts): Promise<void> {
  const delivery = await parts.store.delivery(guid);
  if (delivery === null) return;
  const decision = decide(delivery.event, JSON.parse(delivery.payload), (branch) => branch.startsWith(BRANCH_PREFIX));
  parts.log("delivery", { guid, event: delivery.event, decision: decision.kind });
  await follow(decision, parts);
  await parts.store.deliveryHandled(guid);
}

async function follow(decision: Decision, parts: AppParts): Promise<void> {
  switch (decision.kind) {
    case "failed-run":
    case "explain-run":
      return joinIncident(decision.at, decision.run, decision.pullRequests, parts);
    case "own-run":
      return heardOfOurs(decision.at.repository, decision.run, parts);
    case "green-run":
      return heardGreen(decision.at.repository, decision.run, parts);
    case "command":
      return answerCommand(decision, parts);
    case "pull-request-closed":
      return pullRequestClosed(decision.at.repository, decision.number, decision.merged, parts);
    case "pull-request-moved":
      return pullRequestMoved(decision.at.repository, decision.number, decision.headSha, parts);
    case "pull-request-labeled":
      return pullRequestLabeled(decision.at.repository, decision.number, decision.label, parts);
    case "uninstalled":
      return uninstalled(decision.installationId, parts);
    case "ignore":
      return;
  }
}

/** A failed run joins the incident of its head, or opens it; the collect window starts with the first. */
export async function joinIncident(
  at: Place,
  run: WorkflowRun,
  pullRequests: readonly number[],
  parts: AppParts,
): Promise<void> {
  // With `mode: push` our commit lies on a branch of theirs: it is followed, never repaired anew (design §10.6).
  if ((await parts.store.incidentByCommit(at.repository.id, run.headSha)) !== null)
    return heardOfOurs(at.repository, run, parts);
  const key = `${at.repository.id}:${run.headSha}`;
  const pullRequest = await findPullRequest(at, run, pullRequests, parts);
  const now = parts.world.now();
  const { incident, isNew } = await parts.store.openIncident(key, () =>
    freshIncident(parts.world.id("inc"), key, at, run, pullRequest, now),
  );
  if (isNew) {
    await supersedeOlder(incident, parts);
    await parts.queue.put(incidentJob(incident, now));
    return;
  }
  const joined = await parts.store.updateIncident(incident.id, (known) => withJoined(known, run));
  if (joined.state !== "collecting") return; // repairing: the worker sees the newcomer; ended: it stays ended
  // A kill may have come between opening and this.
  await supersedeOlder(joined, parts);
  await parts.queue.put(incidentJob(joined, now));
}

/** A re-run that failed again after weather is looked at anew: this time the code may be to blame. */
function withJoined(incident: Incident, run: WorkflowRun): Incident {
  const before = incident.runs.find(({ id }) => id === run.id);
  const again = incident.state === "not_code" && before !== undefined && run.attempt > before.attempt;
  return {
    ...incident,
    runs: withRun(incident.runs, run),
    ...(again ? { state: "collecting" as const, why: null } : {}),
  };
}

function freshIncident(
  id: string,
  key: string,
  at: Place,
  run: WorkflowRun,
  pullRequest: number | null,
  now: Date,
): Incident {
  const { repository } = at;
  const own = `${repository.owner}/${repository.name}`;
  return {
    id,
    key,
    installationId: at.installationId,
    repository,
    headSha: run.headSha,
    headBranch: run.headBranch,
    headRepository: run.headRepository,
    isFork: run.headRepository !== null && run.headRepository !== own,
    pullRequest,
    runs: [run],
    state: "collecting",
    openedAt: now.toISOString(),
    trigger: { by: "ci" },
    why: null,
    explanation: null,
    outcome: null,
    publication: null,
    commentId: null,
    checkRunId: null,
    rerunAt: null,
    notes: [],
    history: [{ at: now.toISOString(), what: `${run.name} failed` }],
  };
}

/** A newer attempt of a run replaces the older one. */
export function withRun(runs: readonly WorkflowRun[], run: WorkflowRun): readonly WorkflowRun[] {
  const known = runs.find(({ id }) => id === run.id);
  if (known === undefined) return [...runs, run];
  return known.attempt > run.attempt ? runs : runs.map((one) => (one.id === run.id ? run : one));
}

/** The payload names none for forks, and not always the right one (platform facts §3.4): the head decides. */
async function findPullRequest(
  { installationId, repository }: Place,
  run: WorkflowRun,
  named: readonly number[],
  parts: AppParts,
): Promise<number | null> {
  const github = await parts.app.forInstallation(installationId);
  const owner = run.headRepository?.split("/")[0] ?? repository.owner;
  const open = await github.pullRequestsFrom(repository, owner, run.headBranch);
  const fits = open.filter((pull) => pull.headRepository === null || pull.headRepository === run.headRepository);
  const exact = fits.find((pull) => pull.headSha === run.headSha) ?? fits.find((pull) => named.includes(pull.number));
  return exact?.number ?? null;
}

/** Older incidents of the same pull request or branch are about a head that is gone. */
async function supersedeOlder(incident: Incident, parts: AppParts): Promise<void> {
  const { repository, pullRequest, headBranch } = incident;
  const same =
    pullRequest === null
      ? (await parts.store.incidentsByBranch(repository.id, headBranch)).filter((one) => one.pullRequest === null)
      : (await parts.store.incidentsByPullRequest(repository.id, pullRequest)).filter(
          (one) => one.pullRequest === pullRequest,
        );
  for (const older of same.filter((one) => one.id !== incident.id && one.headRepository === incident.headRepository)) {
    if (isAlive(older))
      await endIncident(older, "superseded", `a newer head, ${incident.headSha.slice(0, 8)}, failed`, parts);
  }
}

/** Not ended, or ended with a pull request of ours still open. */
function isAlive(incident: Incident): boolean {
  const { publication } = incident;
  return (
    !ENDED_STATES.includes(incident.state) || (publication !== null && publication.pushed && !publication.withdrawn)
  );
}

async function heardOfOurs(repository: Repository, run: WorkflowRun, parts: AppParts): Promise<void> {
  const incident = await parts.store.incidentByCommit(repository.id, run.headSha);
  if (incident === null || incident.publication === null) return;
  const now = parts.world.now();
  const heard = await parts.store.updateIncident(incident.id, (known) =>
    known.publication === null
      ? known
      : {
          ...known,
          publication: { ...known.publication, ci: { ...known.publication.ci, lastHeardAt: now.toISOString() } },
        },
  );
  // The verdict is taken once nothing new was heard for the length of the window.
  if (heard.state === "awaiting_ci") await parts.queue.put(followJob(heard, after(now, parts.collectMs)));
}

/** Green on the same head by a re-run, or on a newer one by somebody's own repair: ours is not needed any more. */
async function heardGreen(repository: Repository, run: WorkflowRun, parts: AppParts): Promise<void> {
  if ((await parts.store.incidentByCommit(repository.id, run.headSha)) !== null)
    return heardOfOurs(repository, run, parts);
  for (const incident of await parts.store.incidentsByBranch(repository.id, run.headBranch)) {
    const rerun = incident.state === "not_code" && incident.rerunAt !== null && incident.headSha === run.headSha;
    if ((!isAlive(incident) && !rerun) || incident.headRepository !== run.headRepository) continue;
    if (!incident.runs.some((one) => one.path === run.path)) {
      if (incident.state === "collecting") await parts.queue.put(incidentJob(incident, parts.world.now()));
      continue;
    }
    const github = await parts.app.forInstallation(incident.installationId);
    const head = incident.isFork ? run.headSha : await github.branchHead(repository, run.headBranch);
    if (head !== run.headSha) continue;
    const newest = await github.runsOf(repository, run.headSha);
    const paths = new Set(incident.runs.map(({ path }) => path));
    const green = [...paths].every((path) => {
      const ran = newest.filter((one) => one.path === path);
      return ran.length > 0 && ran.every((one) => one.conclusion === "success");
    });
    if (!green) continue;
    const how =
      run.headSha === incident.headSha
        ? "the failed runs are green on a re-run"
        : `${run.headSha.slice(0, 8)} is green`;
    await endIncident(incident, rerun ? "not_code" : "done", rerun ? `${incident.why ?? ""}; ${how}` : how, parts);
  }
}

async function pullRequestClosed(
  repository: Repository,
  number: number,
  merged: boolean,
  parts: AppParts,
): Promise<void> {
  for (const incident of await parts.store.incidentsByPullRequest(repository.id, number)) {
    if (!isAlive(incident)) continue;
    const ours = incident.publication?.pullRequest === number;
    const what = `${ours ? "our pull request" : "the pull request"} was ${merged ? "merged" : "closed"}`;
    await endIncident(incident, ours && !merged ? "stopped" : "done", what, parts);
  }
}

async function pullRequestMoved(
  repository: Repository,
  number: number,
  headSha: string,
  parts: AppParts,
): Promise<void> {
  for (const incident of await parts.store.incidentsByPullRequest(repository.id, number)) {
    const about = incident.pullRequest === number && incident.headSha !== headSha;
    // What is published stays until CI has judged the new head: it may still be what mends it.
    const working =
      incident.state === "collecting" || incident.state === "repairing" || incident.state === "publishing";
    if (about && working) await endIncident(incident, "superseded", `the head moved to ${headSha.slice(0, 8)}`, parts);
  }
}

async function pullRequestLabeled(
  repository: Repository,
  number: number,
  label: string,
  parts: AppParts,
): Promise<void> {
  for (const incident of await parts.store.incidentsByPullRequest(repository.id, number)) {
    if (!isAlive(incident) || incident.pullRequest !== number) continue;
    const { policy } = await readPolicy(incident, parts);
    if (label === policy.skipLabel) await endIncident(incident, "stopped", `the label ${label} was set`, parts);
  }
}

async function uninstalled(installationId: number, parts: AppParts): Promise<void> {
  for (const incident of await parts.store.recentIncidents(UNINSTALL_INCIDENTS)) {
    if (incident.installationId !== installationId || ENDED_STATES.includes(incident.state)) continue;
    // Our access is gone with the installation: nothing can be closed any more, only work is ended.
    await parts.queue.cancel(`incident:${incident.id}`);
    await parts.queue.cancel(`follow:${incident.id}`);
    await parts.store.updateIncident(incident.id, (known) =>
      noted(
        { ...known, state: "stopped", why: "the App was uninstalled" },
        parts.world.now(),
        "the App was uninstalled",
      ),
    );
  }
}

// More than could be open at once under any setting of `repairs-per-day`.
const UNINSTALL_INCIDENTS = 10_000;
