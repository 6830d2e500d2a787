import path from "node:path";
import { isWeather } from "../domain/category.ts";
import { type Incident, isEnded } from "../domain/incident.ts";
import type { Policy } from "../domain/policy.ts";
import { fullName, isRed, type WorkflowRun } from "../domain/repository.ts";
import { PRODUCT_SWITCHES } from "../domain/switches.ts";
import { addUsage, NO_USAGE } from "../domain/usage.ts";
import { isRepairable } from "../intake/decide.ts";
import { isWatched, whyNotAllowed } from "../intake/trust.ts";
import type { GitHub } from "../ports/github.ts";
import { afterWeather } from "./after-weather.ts";
import { engineAsked, hintOf, whyNotAsked } from "./asked-by.ts";
import { collectRuns } from "./collect-run.ts";
import { finish, removeWork } from "./end-incident.ts";
import { commitOnHead, fetchSource, type Source } from "./fetch-source.ts";
import { type AppParts, advance, after, FINISHED, type JobEnd, noted, Overtaken, tellJob } from "./incident-parts.ts";
import { preparedPublication } from "./publication.ts";
import { awaitCi, branchToPush, publishIncident } from "./publish-incident.ts";
import { readPolicy, settingsNote } from "./read-policy.ts";
import { memoryScope } from "./recall.ts";
import { redChange } from "./repair-context.ts";
import { type Repaired, repairRun } from "./repair-run.ts";
import { dollarsLeft, whyOverLimit } from "./spending.ts";
import { knownOf, triageRuns, whyLeft, whyNotOurs, withFlaky } from "./triage-incident.ts";

/**
 * Moves an incident from its first failed run to a pull request waiting for CI, or to the reason why there is none. Each
 * step is written down before the next begins: after a kill it goes on from the last one.
 */
export async function workIncident(id: string, parts: AppParts): Promise<JobEnd> {
  try {
    return await moveOn(id, parts);
  } catch (error) {
    const known = await parts.store.incident(id);
    const ended = known !== null && isEnded(known);
    // Stopped, superseded or started over meanwhile: what broke in our hands is no news.
    if (!ended && !(error instanceof Overtaken)) throw error;
    if (ended) await parts.queue.put(tellJob(known, parts.world.now()));
    return FINISHED;
  }
}

async function moveOn(id: string, parts: AppParts): Promise<JobEnd> {
  let incident = await parts.store.incident(id);
  if (incident?.state === "collecting") {
    const wait = await waitForRuns(incident, parts);
    if (wait !== null) return wait;
    incident = await advance(id, "collecting", (known) => ({ ...known, state: "repairing" }), parts);
  }
  // Once more for every run that turned red in the meantime.
  while (incident?.state === "repairing") incident = await repairWatched(incident, parts);
  if (incident?.state === "publishing") await publishIncident(incident, parts);
  // A kill came between writing these down and what follows from them.
  else if (incident?.state === "awaiting_ci") await awaitCi(incident, parts);
  else if (incident !== null) await parts.queue.put(tellJob(incident, parts.world.now()));
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

// A person who says stop sees it happen; asking the store is cheap.
const LOOK_EVERY_MS = 1_000;

/** Repairs until somebody ends the incident, whose work then winds down at once. */
async function repairWatched(incident: Incident, parts: AppParts): Promise<Incident> {
  const over = new AbortController();
  const done = new AbortController();
  const watching = watch(incident.id, over, done.signal, parts);
  const signal = parts.signal === undefined ? over.signal : AbortSignal.any([parts.signal, over.signal]);
  try {
    return await repairCollected(incident, { ...parts, signal });
  } catch (error) {
    if (!over.signal.aborted) throw error;
    await removeWork(incident.id, parts);
    throw over.signal.reason;
  } finally {
    done.abort();
    await watching;
  }
}

/** The workflow that failed; null when several did, so that memory of each may guide. */
function onlyWorkflow(runs: readonly WorkflowRun[]): string | null {
  const paths = new Set(runs.map(({ path: file }) => file));
  const [only] = paths.size === 1 ? paths : [];
  return only || null;
}

async function watch(id: string, over: AbortController, done: AbortSignal, { store, world }: AppParts): Promise<void> {
  while (!done.aborted) {
    await world.sleep(LOOK_EVERY_MS, done).catch(() => {});
    // Not being able to look is no reason to stop working.
    const known = done.aborted ? null : await store.incident(id).catch(() => null);
    if (known !== null && known.state !== "repairing") over.abort(new Overtaken(`the incident is ${known.state}`));
  }
}

async function repairCollected(given: Incident, parts: AppParts): Promise<Incident> {
  const github = await parts.app.forInstallation(given.installationId);
  const settings = await readPolicy(given, parts);
  const { policy } = settings;
  const pull = given.pullRequest === null ? null : await github.pullRequest(given.repository, given.pullRequest);
  const byPerson = given.trigger.by === "command";
  const note = settingsNote(settings);
  const all = await allRuns(github, given);
  let incident = await advance(
    given.id,
    "repairing",
    (known) => ({ ...known, runs: merged(known.runs, all), notes: note === null ? [] : [note] }),
    parts,
  );
  const barred = byPerson ? null : whyNotAllowed(policy, incident.runs, incident.headBranch, pull);
  if (barred !== null) return finish(incident, "ignored", barred, parts);
  const runs = incident.runs.filter((run) => isRed(run) && (byPerson || isWatched(run, policy)));
  if (runs.length === 0) return nothingRed(incident, parts);

  // A fork's code is cloned to be run only when a person who may write here asks for it (design §10.5).
  const work = path.join(parts.workFolder, incident.id);
  const source = !incident.isFork || byPerson ? await fetchSource(github, incident, work, parts) : null;
  const collected = await collectRuns(github, incident, runs, source?.files ?? null, parts);
  incident = await advance(
    incident.id,
    "repairing",
    (known) => ({
      ...known,
      explanation: collected.explanation,
      notes: [...(note === null ? [] : [note]), ...collected.notes],
    }),
    parts,
  );
  const known = await knownOf(incident, parts.store);
  const scene = { incident, runs, failures: collected.evidence.failures, pull, known };
  const reasons = await triageRuns(github, scene, parts);
  // A person who asks has read whose failure it is, and wants it repaired here all the same.
  const evidence = byPerson ? collected.evidence : withFlaky(collected.evidence, reasons);
  incident = await advance(incident.id, "repairing", (one) => ({ ...one, triage: reasons }), parts);
  const { failures } = evidence;
  if (failures.length > 0 && failures.every(({ category }) => isWeather(category)))
    return afterWeather(github, incident, runs, policy, { evidence, reasons }, parts);
  if (source === null)
    return finish(
      incident,
      "gave_up",
      "the run is a fork's: it is explained, and repaired when a maintainer comments `/retrace`",
      parts,
    );
  if (runs.every((run) => run.event === "merge_group"))
    return finish(incident, "done", "a merge queue's run is explained only", parts);
  if (given.trigger.by === "command" && given.trigger.command === "explain")
    return finish(incident, "done", "explained, as asked", parts);
  const notOurs = byPerson ? null : whyNotOurs(evidence, reasons);
  if (notOurs !== null) return finish(incident, "done", `Not this change's to repair: ${notOurs}`, parts);
  const over = await whyOverLimit(github, incident, policy, parts);
  if (over !== null) return finish(incident, "gave_up", over, parts);
  await parts.queue.put(tellJob(incident, parts.world.now()));

  const left = await dollarsLeft(incident, policy, parts);
  const repaired = await repairRun(
    {
      id: parts.world.id("rep"),
      evidence,
      from: source.folder,
      commit: source.tested,
      lend: null,
      policy,
      switches: { ...PRODUCT_SWITCHES, engine: engineAsked(incident) },
      memory: memoryScope(fullName(incident.repository), onlyWorkflow(runs), "app"),
      maxUsd: Math.min(policy.limits.usdPerRepair, left),
      leave: (problem, number) => whyNotAsked(incident, number) ?? (byPerson ? null : whyLeft(problem, reasons)),
      change: redChange(source, pull),
      mayGoOn: true,
      ...hintOf(incident),
      ...(parts.signal === undefined ? {} : { signal: parts.signal }),
    },
    { ...parts.repair, workFolder: work },
  );
  try {
    return await keepRepair(github, incident, policy, repaired, source, parts);
  } finally {
    await repaired.copy?.remove();
  }
}

/** The newest attempt of each run we know, and the red ones that no delivery told us of. */
async function allRuns(github: GitHub, { repository, headSha, runs }: Incident): Promise<readonly WorkflowRun[]> {
  const known = new Set(runs.map(({ id }) => id));
  return (await github.runsOf(repository, headSha)).filter((run) => known.has(run.id) || isRepairable(run));
}

/** A newer attempt of a run replaces the older one. */
export function merged(runs: readonly WorkflowRun[], newer: readonly WorkflowRun[]): readonly WorkflowRun[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  for (const run of newer) if (run.attempt >= (byId.get(run.id)?.attempt ?? 0)) byId.set(run.id, run);
  return [...byId.values()];
}

async function nothingRed(incident: Incident, parts: AppParts): Promise<Incident> {
  const running = incident.runs.some((run) => run.status !== "completed");
  if (incident.rerunAt !== null) return finish(incident, "not_code", "the failed jobs are re-run once", parts);
  return finish(
    incident,
    "done",
    running ? "the failed runs are being re-run" : "the failed runs are green by now",
    parts,
  );
}

/** Writes down what came of the repair: a publication prepared to be pushed, or the end. */
async function keepRepair(
  github: GitHub,
  given: Incident,
  policy: Policy,
  repaired: Repaired,
  source: Source,
  parts: AppParts,
): Promise<Incident> {
  const spent = addUsage(given.outcome?.usage ?? NO_USAGE, repaired.outcome.usage);
  const outcome = { ...repaired.outcome, usage: spent };
  const suggest = policy.mode === "suggestion" && !given.isFork && outcome.ended === "repaired";
  const incident = await advance(
    given.id,
    "repairing",
    (known) => ({ ...known, outcome, suggest, reviewId: null }),
    parts,
  );
  const newcomers = incident.runs.filter((run) => isRed(run) && !given.runs.some(({ id }) => id === run.id));
  if (newcomers.some((run) => isWatched(run, policy))) return incident;
  if (outcome.ended === "not-code") return finish(incident, "not_code", outcome.why, parts);
  if (outcome.ended !== "repaired") return finish(incident, "gave_up", outcome.why, parts);
  if (incident.isFork || policy.mode === "comment" || policy.mode === "suggestion")
    return finish(incident, "done", "Repaired and verified locally; the patch is below, nothing was pushed", parts);
  const work = path.join(parts.workFolder, incident.id);
  const commits = await commitOnHead(incident, repaired, source, work, parts);
  if (commits === null)
    return finish(incident, "gave_up", "the patch does not apply to the head without the base's changes", parts);
  const publication = preparedPublication({
    ...commits,
    branch: await branchToPush(github, incident, policy),
    base: incident.headBranch,
    copyFolder: source.folder,
    needsPerson: repaired.needsPerson,
  });
  return advance(
    incident.id,
    "repairing",
    (known) =>
      noted({ ...known, state: "publishing", publication }, parts.world.now(), "repaired and verified locally"),
    parts,
  );
}
