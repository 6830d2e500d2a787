import { rm } from "node:fs/promises";
import path from "node:path";
import { isWeather } from "../domain/category.ts";
import { ENDED_STATES, type Incident, type Publication } from "../domain/incident.ts";
import type { Policy } from "../domain/policy.ts";
import type { PullRequest } from "../domain/repository.ts";
import { PRODUCT_SWITCHES } from "../domain/switches.ts";
import { whyNotAllowed } from "../intake/trust.ts";
import type { CommitFiles } from "../ports/git.ts";
import type { GitHub } from "../ports/github.ts";
import { repairBranch } from "../publish/branch.ts";
import { pushRepair } from "../publish/push-repair.ts";
import { collectRuns } from "./collect-run.ts";
import { removeWork, tellAndKeep } from "./end-incident.ts";
import { type AppParts, after, followJob, noted } from "./incident-parts.ts";
import { readPolicy, settingsNote } from "./read-policy.ts";
import { type Repaired, repairRun } from "./repair-run.ts";
import { whyOverLimit } from "./spending.ts";

export type JobEnd = { readonly end: "finished" } | { readonly end: "again"; readonly at: Date; readonly why: string };

const FINISHED: JobEnd = { end: "finished" };

/**
 * Moves an incident from its first failed run to a pull request waiting for CI, or to the reason why there is none. Each
 * step is written down before the next begins: after a kill it goes on from the last one.
 */
export async function workIncident(id: string, parts: AppParts): Promise<JobEnd> {
  let incident = await parts.store.incident(id);
  if (incident === null) return FINISHED;
  if (incident.state === "awaiting_ci" || ENDED_STATES.includes(incident.state)) return tellAgain(incident, parts);
  if (incident.state === "collecting") {
    const wait = await waitForRuns(incident, parts);
    if (wait !== null) return wait;
    incident = await parts.store.updateIncident(id, (known) => ({ ...known, state: "repairing" }));
  }
  if (incident.state === "repairing") incident = await repairCollected(incident, parts);
  if (incident.state === "publishing") await publish(incident, parts);
  return FINISHED;
}

/** A kill came between writing an end down and telling people of it. */
async function tellAgain(incident: Incident, parts: AppParts): Promise<JobEnd> {
  if (incident.state === "awaiting_ci") await awaitCi(incident, parts);
  else if (incident.state !== "ignored") await tellAndKeep(incident, parts);
  if (ENDED_STATES.includes(incident.state)) await removeWork(incident.id, parts);
  return FINISHED;
}

/** Until every known run of the head is complete, or the collect window has passed (design §6). */
async function waitForRuns(incident: Incident, parts: AppParts): Promise<JobEnd | null> {
  const until = after(new Date(incident.openedAt), parts.collectMs);
  if (incident.trigger.by === "command" || parts.world.now() >= until) return null;
  const github = await parts.app.forInstallation(incident.installationId);
  const runs = await github.runsOf(incident.repository, incident.headSha);
  if (runs.length > 0 && runs.every((run) => run.status === "completed")) return null;
  return { end: "again", at: until, why: "runs of this head are still going on" };
}

async function repairCollected(incident: Incident, parts: AppParts): Promise<Incident> {
  const github = await parts.app.forInstallation(incident.installationId);
  const settings = await readPolicy(incident, parts);
  const { policy } = settings;
  const pull =
    incident.pullRequest === null ? null : await github.pullRequest(incident.repository, incident.pullRequest);
  const runs = await newestRuns(github, incident);
  const byPerson = incident.trigger.by === "command";
  const barred = byPerson ? null : whyNotAllowed(policy, incident.runs, incident.headBranch, pull);
  if (barred !== null) return ignoreQuietly(incident, barred, parts);
  if (runs.length === 0) return finish(incident, "done", "the failed runs are green by now", parts);
  const note = settingsNote(settings);
  let current = await parts.store.updateIncident(incident.id, (known) => ({
    ...known,
    notes: note === null ? [] : [note],
  }));

  // A fork's code is cloned to be run only when a person who may write here asks for it (design §10.5).
  const mayClone = !incident.isFork || byPerson;
  const source = mayClone ? await fetchSource(github, current, parts) : null;
  const collected = await collectRuns(github, current, runs, source?.files ?? null, parts);
  current = await parts.store.updateIncident(current.id, (known) => ({
    ...known,
    explanation: collected.explanation,
    notes: [...known.notes, ...collected.notes],
  }));
  const weather =
    collected.evidence.failures.length > 0 && collected.evidence.failures.every(({ category }) => isWeather(category));
  if (weather) return afterWeather(github, current, runs, policy, parts);
  if (source === null)
    return finish(
      current,
      "gave_up",
      "the run is a fork's: explained only, until a maintainer comments /retrace",
      parts,
    );
  if (runs.every((run) => run.event === "merge_group") || wantsExplanation(current))
    return finish(current, "done", "explained, as asked", parts);
  const over = byPerson ? null : await whyOverLimit(github, current, policy, parts);
  if (over !== null) return finish(current, "gave_up", over, parts);
  current = await tellAndKeep(current, parts);

  const repaired = await repairRun(
    {
      id: parts.world.id("rep"),
      evidence: collected.evidence,
      from: source.folder,
      commit: source.tested,
      lend: null,
      policy,
      switches: { ...PRODUCT_SWITCHES, engine: engineAsked(current) },
      maxUsd: null,
      ...(parts.signal === undefined ? {} : { signal: parts.signal }),
    },
    { ...parts.repair, workFolder: path.join(parts.workFolder, current.id) },
  );
  try {
    return await keepRepair(github, current, pull, policy, repaired, source, parts);
  } finally {
    await repaired.copy?.remove();
  }
}

function wantsExplanation({ trigger }: Incident): boolean {
  return trigger.by === "command" && trigger.command === "explain";
}

function engineAsked({ trigger }: Incident): "auto" | "autofix" | "base" {
  const named = trigger.by === "command" ? /^engine (autofix|base)$/.exec(trigger.command)?.[1] : undefined;
  return named === "autofix" || named === "base" ? named : "auto";
}

/** The newest attempt of each failed run; one that was re-run green is left out. */
async function newestRuns(github: GitHub, incident: Incident) {
  const now = await github.runsOf(incident.repository, incident.headSha);
  const failed = incident.runs.map((run) => now.find(({ id }) => id === run.id) ?? run);
  return failed.filter((run) => ["failure", "timed_out", "startup_failure"].includes(run.conclusion ?? ""));
}

interface Source {
  /** Bare clone of ours. */
  readonly folder: string;
  /** What CI tested: the merge of a pull request where it can be had, else the head. */
  readonly tested: string;
  readonly files: CommitFiles;
}

async function fetchSource(github: GitHub, incident: Incident, parts: AppParts): Promise<Source> {
  const { repository, headSha, pullRequest, runs } = incident;
  // What a killed try left behind may be half written, locks included: begin anew.
  await rm(path.join(parts.workFolder, incident.id), { recursive: true, force: true });
  const folder = path.join(parts.workFolder, incident.id, "clone.git");
  const remote = { url: repository.cloneUrl, authorization: await github.gitAuthorization(repository, "read") };
  const ofPull = pullRequest !== null && runs.some((run) => run.event === "pull_request");
  const wanted = [
    headSha,
    ...(ofPull ? [`refs/pull/${pullRequest}/merge`] : []),
    ...(pullRequest === null ? [] : [`refs/pull/${pullRequest}/head`]),
  ];
  const found = await parts.remoteGit.fetch(remote, wanted, folder);
  // A host may not hand out commits by id: then the pull request's head, or the branch, brings it along.
  if (found[0] == null) await parts.remoteGit.fetch(remote, [`refs/heads/${incident.headBranch}`], folder);
  const merge = ofPull ? (found[1] ?? null) : null;
  const tested = merge !== null && (await isMergeOf(merge, headSha, folder, parts)) ? merge : headSha;
  return { folder, tested, files: await parts.git.files(folder, tested) };
}

/** The merge ref moves with the base and the head: only one that merges this head is what was tested. */
async function isMergeOf(merge: string, headSha: string, folder: string, { git }: AppParts): Promise<boolean> {
  return (await git.resolve(folder, `${merge}^2`)) === headSha;
}

/** Weather: the failed jobs are re-run once, and nothing is repaired. */
async function afterWeather(
  github: GitHub,
  incident: Incident,
  runs: Incident["runs"],
  policy: Policy,
  parts: AppParts,
): Promise<Incident> {
  const [first] = incident.explanation?.failures ?? [];
  const what = `${first?.category ?? "weather"}: ${first?.message ?? ""}`;
  if (!policy.rerunFlaky || incident.rerunAt !== null || runs.some((run) => run.attempt > 1)) {
    return finish(incident, "not_code", `${what} (not re-run again)`, parts);
  }
  // Written down first: rather no re-run after a kill than two.
  const marked = await parts.store.updateIncident(incident.id, (known) => ({
    ...known,
    rerunAt: parts.world.now().toISOString(),
  }));
  const answers = [];
  for (const run of runs) answers.push(await github.rerunFailedJobs(incident.repository, run.id));
  const said = answers.includes("started")
    ? "the failed jobs are re-run once"
    : "the host refused to re-run the failed jobs";
  return finish(marked, "not_code", `${what}; ${said}`, parts);
}

/** Writes down what came of the repair: a publication prepared to be pushed, or the end. */
async function keepRepair(
  github: GitHub,
  incident: Incident,
  pull: PullRequest | null,
  policy: Policy,
  repaired: Repaired,
  source: Source,
  parts: AppParts,
): Promise<Incident> {
  const { outcome } = repaired;
  const now = parts.world.now();
  const current = await parts.store.updateIncident(incident.id, (known) => ({ ...known, outcome }));
  if (current.state !== "repairing") return current;
  if (outcome.ended === "not-code") return finish(current, "not_code", outcome.why, parts);
  if (outcome.ended !== "repaired") return finish(current, "gave_up", outcome.why, parts);
  const inComment = incident.isFork || policy.mode === "comment" || policy.mode === "suggestion";
  if (inComment) return finish(current, "done", "repaired and verified locally; the patch is in the comment", parts);
  const head = pull?.headSha ?? (await github.branchHead(incident.repository, incident.headBranch));
  if (head !== incident.headSha) return finish(current, "superseded", "the head moved on while it was repaired", parts);
  const commits = await commitOnHead(current, repaired, source, parts);
  if (commits === null)
    return finish(current, "gave_up", "the patch does not apply to the head without the base's changes", parts);
  const publication: Publication = {
    branch: await branchToPush(github, incident, policy),
    base: incident.headBranch,
    ...commits,
    copyFolder: source.folder,
    pushed: false,
    pullRequest: null,
    nodeId: null,
    draft: true,
    needsPerson: repaired.needsPerson,
    openedAt: null,
    withdrawn: false,
    ci: { state: "waiting", runs: [], lastHeardAt: null, why: null },
  };
  return parts.store.updateIncident(current.id, (known) =>
    noted({ ...known, state: "publishing", publication }, now, "repaired and verified locally"),
  );
}

/** Ours; with `mode: push` the failing branch itself, unless it is the default branch or protected (design §7). */
async function branchToPush(
  github: GitHub,
  { repository, headBranch, headSha }: Incident,
  policy: Policy,
): Promise<string> {
  const ours = repairBranch(headBranch, headSha);
  if (policy.mode !== "push" || headBranch === repository.defaultBranch) return ours;
  return (await github.isProtected(repository, headBranch)) ? ours : headBranch;
}

/** One commit for each problem, on the failing head, whatever tree the repair was made on. */
async function commitOnHead(
  incident: Incident,
  repaired: Repaired,
  { folder, tested }: Source,
  { git, workFolder, world }: AppParts,
): Promise<{ readonly commit: string; readonly tree: string } | null> {
  const branch = repairBranch(incident.headBranch, incident.headSha);
  const { copy, commits, outcome } = repaired;
  if (copy === null || outcome.patch === null) return null;
  if (tested === incident.headSha) {
    const trees = commits.map(({ tree, message }) => ({ copy, tree, message }));
    const ids = await git.commitOnBranch(folder, branch, incident.headSha, trees);
    return { commit: ids.at(-1) ?? "", tree: commits.at(-1)?.tree ?? "" };
  }
  const onHead = await git.checkout(folder, incident.headSha, path.join(workFolder, incident.id, world.id("head")));
  try {
    const trees = [];
    let from = copy.base;
    for (const { tree, message } of commits) {
      if ((await onHead.apply(await copy.diff(from, tree))) !== null) return null;
      trees.push({ copy: onHead, tree: await onHead.snapshot(), message });
      from = tree;
    }
    const ids = await git.commitOnBranch(folder, branch, incident.headSha, trees);
    return { commit: ids.at(-1) ?? "", tree: trees.at(-1)?.tree ?? "" };
  } finally {
    await onHead.remove();
  }
}

/** Pushes, opens the draft, tells people, and waits for CI. */
async function publish(incident: Incident, parts: AppParts): Promise<void> {
  const { publication, outcome } = incident;
  if (publication === null || outcome === null) return;
  // What leaves must be what was verified (peers §3.25).
  if ((await parts.git.resolveTree(publication.copyFolder, publication.commit)) !== publication.tree) {
    await finish(incident, "gave_up", "the commit does not hold the verified files", parts);
    return;
  }
  const github = await parts.app.forInstallation(incident.installationId);
  const { policy } = await readPolicy(incident, parts);
  const pushed = await pushRepair(github, parts.remoteGit, incident, publication, outcome, policy);
  if (pushed.ended === "refused") {
    await finish(incident, "gave_up", `verified locally, but ${pushed.why}`, parts);
    return;
  }
  const now = parts.world.now();
  const opened = openedAs(pushed.pullRequest);
  const waiting = await parts.store.updateIncident(incident.id, (known) => ({
    ...noted(
      known,
      now,
      pushed.pullRequest === null
        ? `pushed to ${publication.branch}`
        : `pull request #${pushed.pullRequest.number} opened`,
    ),
    state: "awaiting_ci",
    publication: {
      ...(known.publication ?? publication),
      ...opened,
      pushed: true,
      openedAt: now.toISOString(),
    },
  }));
  await awaitCi(waiting, parts);
}

function openedAs(pullRequest: PullRequest | null): Pick<Publication, "pullRequest" | "nodeId" | "draft"> {
  if (pullRequest === null) return { pullRequest: null, nodeId: null, draft: false };
  return { pullRequest: pullRequest.number, nodeId: pullRequest.nodeId, draft: pullRequest.draft };
}

async function awaitCi(incident: Incident, parts: AppParts): Promise<void> {
  await parts.queue.put(followJob(incident, after(parts.world.now(), parts.collectMs)));
  await tellAndKeep(incident, parts);
}

async function finish(
  incident: Incident,
  state: "done" | "gave_up" | "not_code" | "superseded",
  why: string,
  parts: AppParts,
): Promise<Incident> {
  const ended = await parts.store.updateIncident(incident.id, (known) =>
    noted({ ...known, state, why }, parts.world.now(), why),
  );
  const told = await tellAndKeep(ended, parts);
  await removeWork(incident.id, parts);
  return told;
}

/** The settings do not want us here: nothing is written anywhere but in our own store. */
async function ignoreQuietly(incident: Incident, why: string, parts: AppParts): Promise<Incident> {
  return parts.store.updateIncident(incident.id, (known) =>
    noted({ ...known, state: "ignored", why }, parts.world.now(), why),
  );
}
