import type { CiVerdict, Incident, Publication } from "../domain/incident.ts";
import { isRed, type WorkflowRun } from "../domain/repository.ts";
import type { GitHub } from "../ports/github.ts";
import { countJob } from "./app-learning.ts";
import { collectRuns } from "./collect-run.ts";
import { type AppParts, advance, after, FINISHED, type JobEnd, noted, Overtaken, tellJob } from "./incident-parts.ts";

/**
 * Takes CI's verdict on our commit (design §6): when every run seen on it is complete and nothing new was heard for the
 * length of the collect window. Green: ready. Red: what CI said stands on the draft and in the comment.
 */
export async function followCi(id: string, parts: AppParts): Promise<JobEnd> {
  const incident = await parts.store.incident(id);
  if (incident === null) return FINISHED;
  const { publication } = incident;
  if (incident.state !== "awaiting_ci" || publication === null) {
    // A kill may have come between writing the verdict down and telling people of it.
    await parts.queue.put(tellJob(incident, parts.world.now()));
    return FINISHED;
  }
  const github = await parts.app.forInstallation(incident.installationId);
  const runs = await github.runsOf(incident.repository, publication.commit);
  const now = parts.world.now();
  const open = Date.parse(publication.openedAt ?? incident.openedAt);
  if (runs.length === 0) {
    const until = after(new Date(open), parts.ciSeenMs);
    if (now < until) return { end: "again", at: soonest(until, now, parts), why: "no run on our commit was seen yet" };
    return conclude(
      github,
      incident,
      publication,
      { state: "none_seen", why: "no workflow run was seen on the pushed commit" },
      [],
      parts,
    );
  }
  const waiting = runs.filter((run) => run.status !== "completed");
  const blocked = runs.find((run) => run.conclusion === "action_required" || run.status === "waiting");
  if (blocked !== undefined && waiting.every((run) => run.status === "waiting")) {
    const why = `the run of ${blocked.name} needs a person's approval`;
    return conclude(github, incident, publication, { state: "blocked", why }, runs, parts);
  }
  // Its completion is heard of by a delivery, which asks again at once; this is for a delivery that was lost.
  if (waiting.length > 0)
    return { end: "again", at: after(now, parts.ciSeenMs), why: "runs on our commit are going on" };
  const heard = Math.max(open, publication.ci.lastHeardAt === null ? 0 : Date.parse(publication.ci.lastHeardAt));
  const settled = after(new Date(heard), parts.collectMs);
  if (now < settled) return { end: "again", at: settled, why: "another run may still be starting" };
  return judge(github, incident, publication, runs, parts);
}

function soonest(until: Date, now: Date, { collectMs }: AppParts): Date {
  return new Date(Math.min(until.getTime(), after(now, collectMs).getTime()));
}

async function judge(
  github: GitHub,
  incident: Incident,
  publication: Publication,
  runs: readonly WorkflowRun[],
  parts: AppParts,
): Promise<JobEnd> {
  const red = runs.filter(isRed);
  if (red.length > 0) {
    const said = await whatCiSaid(github, incident, red, parts);
    return conclude(github, incident, publication, { state: "red", why: said }, runs, parts);
  }
  const green = runs.filter((run) => run.conclusion === "success");
  const failedPaths = new Set(incident.runs.map((run) => run.path));
  const missing = [...failedPaths].filter((path) => !green.some((run) => run.path === path));
  if (missing.length > 0) {
    const why = `${missing.join(", ")} did not run to a green end on the pushed commit`;
    return conclude(github, incident, publication, { state: "none_seen", why }, runs, parts);
  }
  return conclude(github, incident, publication, { state: "green", why: null }, runs, parts);
}

/** The failures of the red runs on our commit, a line each; a second round would begin from these. */
async function whatCiSaid(
  github: GitHub,
  incident: Incident,
  red: readonly WorkflowRun[],
  parts: AppParts,
): Promise<string> {
  const { explanation } = await collectRuns(
    github,
    { ...incident, headSha: red[0]?.headSha ?? incident.headSha },
    red,
    null,
    parts,
  );
  const lines = explanation.failures
    .filter((failure) => failure.cascadeOf === null)
    .slice(0, 5)
    .map(
      ({ tool, message, job, step }) =>
        `${tool === null ? "" : `${tool}: `}${message} (${[job, step].filter((part) => part !== null).join(" › ")})`,
    );
  return (lines.length > 0 ? lines : red.map((run) => `${run.name} ended as ${run.conclusion}`)).join("\n");
}

async function conclude(
  github: GitHub,
  incident: Incident,
  publication: Publication,
  verdict: Pick<CiVerdict, "state" | "why">,
  runs: readonly WorkflowRun[],
  parts: AppParts,
): Promise<JobEnd> {
  const ci: CiVerdict = {
    ...publication.ci,
    ...verdict,
    runs: runs.map(({ id, name, conclusion, htmlUrl }) => ({ id, name, conclusion, url: htmlUrl })),
  };
  const green = verdict.state === "green";
  const ready = green && publication.needsPerson.length === 0 && publication.draft;
  if (ready && publication.pullRequest !== null) {
    const ours = await github.pullRequest(incident.repository, publication.pullRequest);
    // Not a draft any more: the host takes none, or a kill came after it was marked.
    if (ours.draft) await github.markReady(ours);
  }
  const what = green ? "CI is green on the pushed commit" : `CI: ${verdict.why ?? verdict.state}`;
  const now = parts.world.now();
  try {
    const ended = await advance(
      incident.id,
      "awaiting_ci",
      (known) => ({
        ...noted(known, now, what),
        state: green ? "done" : "gave_up",
        why: green ? null : verdict.why,
        outcome: known.outcome === null || !green ? known.outcome : { ...known.outcome, provedBy: "ci" },
        publication: { ...publication, ci, draft: publication.draft && !ready },
      }),
      parts,
    );
    await parts.queue.put(tellJob(ended, now));
    // Behind the step that is taken once only: what a kill loses here is one count, and none is counted twice.
    const count = green || verdict.state === "red" ? countJob(ended, green ? "won" : "lost", now) : null;
    if (count !== null) await parts.queue.put(count);
  } catch (error) {
    if (!(error instanceof Overtaken)) throw error;
  }
  return FINISHED;
}
