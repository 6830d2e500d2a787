import { type Incident, isEnded, isPublished } from "../domain/incident.ts";
import type { PullRequest, Repository, WorkflowRun } from "../domain/repository.ts";
import { type Decision, decide, type Place } from "../intake/decide.ts";
import { BRANCH_PREFIX } from "../publish/branch.ts";
import { answerCommand } from "./answer-command.ts";
import { backFillJob, forgetRepositories, learnJob } from "./app-learning.ts";
import { endIncident, removeWork, UNINSTALLED } from "./end-incident.ts";
import { type AppParts, after, followJob, GREEN_AGAIN, incidentJob, noted, tellJob } from "./incident-parts.ts";
import { incidentKey, newIncident } from "./new-incident.ts";
import { readPolicy } from "./read-policy.ts";
import { merged } from "./repair-incident.ts";

/** What a kept delivery sets in motion. Safe to do again: everything it opens is looked up first. */
export async function handleDelivery(guid: string, parts: AppParts): Promise<void> {
  const delivery = await parts.store.delivery(guid);
  // GitHub sends what it sent before when somebody asks for it: what was carried out is not done again.
  if (delivery === null || !(await parts.store.unhandledDeliveries()).includes(guid)) return;
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
      if (decision.merged) await parts.queue.put(learnJob(mergedPull(decision.at, decision.number), parts.world.now()));
      return pullRequestClosed(decision.at.repository, decision.number, decision.merged, parts);
    case "pull-request-moved":
      return pullRequestMoved(decision.at.repository, decision.number, decision.headSha, parts);
    case "pull-request-labeled":
      return pullRequestLabeled(decision.at.repository, decision.number, decision.label, parts);
    case "uninstalled":
      if (decision.account !== null) await forgetRepositories(decision.account, decision.names, parts);
      return uninstalled(decision.installationId, decision.repositoryIds, parts);
    case "installed":
      for (const name of decision.names) {
        await parts.queue.put(backFillJob(decision.installationId, name, parts.world.now()));
      }
      return;
    case "ignore":
      return;
  }
}

/** Every merged pull request is learned from (papers §13.2). */
function mergedPull({ installationId, repository: { owner, name } }: Place, pullRequest: number) {
  return { installationId, owner, name, pullRequest, asked: null };
}

/** A failed run joins the incident of its head, or opens it; the collect window starts with the first. */
async function joinIncident(
  at: Place,
  run: WorkflowRun,
  pullRequests: readonly number[],
  parts: AppParts,
): Promise<void> {
  const { store, queue, world } = parts;
  const { repository } = at;
  // With `mode: push` our commit lies on a branch of theirs: it is followed, never repaired anew (design §10.6).
  if ((await store.incidentByCommit(repository.id, run.headSha)) !== null) return heardOfOurs(repository, run, parts);
  const key = incidentKey(repository, run.headSha);
  const pull = await findPullRequest(at, run, pullRequests, parts);
  // Told late of a head that is gone: it must not take the place of the newer one.
  if ((await store.incidentByKey(key)) === null && (await isGone(at, run, pull, parts))) return;
  const pullRequest = pull?.number ?? null;
  const now = world.now();
  const { headSha, headBranch, headRepository } = run;
  const opening = {
    ...at,
    headSha,
    headBranch,
    headRepository,
    pullRequest,
    runs: [run],
    trigger: { by: "ci" },
  } as const;
  const { incident, isNew } = await store.openIncident(key, () => newIncident(world.id("inc"), opening, now));
  const joined = isNew
    ? incident
    : await store.updateIncident(incident.id, (known) => withJoined(known, run, pullRequest, now));
  // Also when it is not new: a kill may have come between opening it and this.
  await supersedeOlder(joined, parts);
  if (joined.state === "collecting") await queue.put(incidentJob(joined, now));
  // Opened for this head after its first run had failed: there is somebody to tell now.
  else if (joined.pullRequest !== null && joined.commentId === null) await queue.put(tellJob(joined, now));
}

function withJoined(incident: Incident, run: WorkflowRun, pullRequest: number | null, now: Date): Incident {
  const joined = {
    ...incident,
    runs: merged(incident.runs, [run]),
    pullRequest: incident.pullRequest ?? pullRequest,
  };
  if (!isReopenedBy(incident, run)) return joined;
  return { ...noted(joined, now, `${run.name} failed`), state: "collecting", openedAt: now.toISOString(), why: null };
}

/** A sibling that fails late is looked at too, and what failed again after weather: this time the code may be to blame. */
function isReopenedBy({ state, publication, runs }: Incident, run: WorkflowRun): boolean {
  if (publication !== null) return false;
  const before = runs.find(({ id }) => id === run.id);
  if (before === undefined)
    return state === "gave_up" || state === "not_code" || state === "done" || state === "ignored";
  return (state === "not_code" || state === "done") && run.attempt > before.attempt;
}

/** The payload names none for forks, and not always the right one (platform facts §3.4): the head decides. */
async function findPullRequest(
  { installationId, repository }: Place,
  run: WorkflowRun,
  named: readonly number[],
  parts: AppParts,
): Promise<PullRequest | null> {
  const github = await parts.app.forInstallation(installationId);
  const owner = run.headRepository?.split("/")[0] ?? repository.owner;
  const open = await github.pullRequestsFrom(repository, owner, run.headBranch);
  const fits = open.filter((pull) => pull.headRepository === null || pull.headRepository === run.headRepository);
  return fits.find((pull) => pull.headSha === run.headSha) ?? fits.find((pull) => named.includes(pull.number)) ?? null;
}

/** Whether a branch or a pull request has another head by now. */
async function isGone(
  { installationId, repository }: Place,
  run: WorkflowRun,
  pull: PullRequest | null,
  parts: AppParts,
): Promise<boolean> {
  if (pull !== null) return pull.headSha !== run.headSha;
  // A fork's branch without a pull request is nobody's business here.
  if (run.headRepository !== `${repository.owner}/${repository.name}`) return true;
  const github = await parts.app.forInstallation(installationId);
  return (await github.branchHead(repository, run.headBranch)) !== run.headSha;
}

/** Older incidents of the same pull request or branch are about a head that is gone. */
async function supersedeOlder(incident: Incident, parts: AppParts): Promise<void> {
  const { repository, pullRequest, headBranch } = incident;
  if (isEnded(incident)) return;
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
  return !isEnded(incident) || isPublished(incident);
}

/** Our commit is judged by CI: once nothing new was heard for the length of the window, the verdict is taken. */
async function heardOfOurs(repository: Repository, run: WorkflowRun, parts: AppParts): Promise<void> {
  const incident = await parts.store.incidentByCommit(repository.id, run.headSha);
  if (incident === null || incident.publication === null) return;
  const now = parts.world.now();
  const heard = await parts.store.updateIncident(incident.id, (known) => withHeard(known, run, now));
  if (heard.state === "awaiting_ci") await parts.queue.put(followJob(heard, after(now, parts.collectMs)));
}

/** Given up for want of a run, or of somebody's approval, it is waited for again as soon as a run goes on. */
function withHeard(incident: Incident, run: WorkflowRun, now: Date): Incident {
  const { publication, state } = incident;
  if (publication === null) return incident;
  const stuck = publication.ci.state === "none_seen" || publication.ci.state === "blocked";
  const again = state === "gave_up" && !publication.withdrawn && stuck && run.conclusion !== "action_required";
  const ci = { ...publication.ci, lastHeardAt: now.toISOString() };
  if (!again) return { ...incident, publication: { ...publication, ci } };
  return {
    ...incident,
    state: "awaiting_ci",
    why: null,
    publication: { ...publication, ci: { ...ci, state: "waiting", why: null } },
  };
}

/** Green on the same head by a re-run, or on a newer one by somebody's own repair: ours is not needed any more. */
async function heardGreen(repository: Repository, run: WorkflowRun, parts: AppParts): Promise<void> {
  if ((await parts.store.incidentByCommit(repository.id, run.headSha)) !== null)
    return heardOfOurs(repository, run, parts);
  for (const incident of await parts.store.incidentsByBranch(repository.id, run.headBranch)) {
    const rerun = !isAlive(incident) && mayTurnGreen(incident) && incident.headSha === run.headSha;
    if (rerun && incident.why?.endsWith(GREEN_AGAIN)) continue; // said already
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
    const how = run.headSha === incident.headSha ? GREEN_AGAIN : `${run.headSha.slice(0, 8)} is green`;
    const wasWeather = rerun && incident.state === "not_code";
    await endIncident(
      incident,
      wasWeather ? "not_code" : "done",
      wasWeather ? `${incident.why ?? ""}; ${how}` : how,
      parts,
    );
  }
}

/** Ended without a repair: green on the same commit by a mere re-run is worth saying, and remembered for what is flaky. */
function mayTurnGreen({ state }: Incident): boolean {
  return state === "not_code" || state === "gave_up" || state === "done";
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
    // With `mode: push` it is our own commit that moves the head.
    const byUs = incident.publication?.commit === headSha;
    const about = incident.pullRequest === number && incident.headSha !== headSha && !byUs;
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

async function uninstalled(
  installationId: number,
  repositoryIds: readonly number[] | null,
  parts: AppParts,
): Promise<void> {
  const { store, queue, world } = parts;
  for (const incident of await store.recentIncidents(UNINSTALL_INCIDENTS)) {
    const gone = repositoryIds === null || repositoryIds.includes(incident.repository.id);
    if (incident.installationId !== installationId || !gone || isEnded(incident)) continue;
    // Our access is gone with the installation: nothing can be closed or told any more, only work is ended.
    await store.updateIncident(incident.id, (known) =>
      noted({ ...known, state: "stopped", why: UNINSTALLED }, world.now(), UNINSTALLED),
    );
    for (const kind of ["incident", "follow", "tell"]) await queue.cancel(`${kind}:${incident.id}`);
    await removeWork(incident.id, parts);
  }
}

// More than could be open at once under any setting of `repairs-per-day`.
const UNINSTALL_INCIDENTS = 10_000;
