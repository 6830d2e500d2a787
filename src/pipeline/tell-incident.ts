import { type Incident, isEnded } from "../domain/incident.ts";
import type { GitHub } from "../ports/github.ts";
import { editOurPullRequest, withdraw } from "../publish/push-repair.ts";
import { tellAnswer, tellCheckRun, tellComment } from "../publish/tell.ts";
import { tellSuggestions } from "../publish/tell-suggestions.ts";
import { removeWork, UNINSTALLED } from "./end-incident.ts";
import type { AppParts, LoneAnswer } from "./incident-parts.ts";

/**
 * Brings everything people see up to where the incident stands: our pull request, the living comment, the check run. Once
 * it has ended, its folder goes too. Safe to do again.
 */
export async function tellIncident(id: string, parts: AppParts): Promise<void> {
  const incident = await parts.store.incident(id);
  if (incident === null || incident.why === UNINSTALLED) return;
  const github = await parts.app.forInstallation(incident.installationId);
  await tellOurPullRequest(github, incident);
  // The settings do not want us here: nothing is written anywhere but in our own store.
  if (incident.state !== "ignored") await tellRed(github, incident, parts);
  if (isEnded(incident)) await removeWork(id, parts);
}

async function tellOurPullRequest(github: GitHub, incident: Incident): Promise<void> {
  if (incident.publication?.withdrawn === true) return withdraw(github, incident);
  if (isEnded(incident)) await editOurPullRequest(github, incident);
}

async function tellRed(github: GitHub, given: Incident, parts: AppParts): Promise<void> {
  const incident = await suggested(github, given, parts);
  const commentId = (await hasTheWord(incident, parts)) ? await tellComment(github, incident) : incident.commentId;
  // Written down at once: the comment is found again by its mark after a kill, but not by somebody who counts on the number.
  await parts.store.updateIncident(incident.id, (known) => ({ ...known, commentId }));
  const checkRunId = await tellCheckRun(github, incident);
  await parts.store.updateIncident(incident.id, (known) => ({ ...known, checkRunId }));
}

/** With the review that the patch stands in, where it is to stand beside the lines. */
async function suggested(github: GitHub, incident: Incident, { store }: AppParts): Promise<Incident> {
  if (incident.state !== "done" || incident.suggest !== true || incident.reviewId != null) return incident;
  const reviewId = await tellSuggestions(github, incident);
  return store.updateIncident(incident.id, (known) => ({ ...known, reviewId, suggest: reviewId !== null }));
}

/** The comment is the pull request's: once the incident of a newer head speaks there, an older one is silent. */
async function hasTheWord(incident: Incident, { store }: AppParts): Promise<boolean> {
  const { id, pullRequest, repository } = incident;
  if (pullRequest === null) return false;
  const all = await store.incidentsByPullRequest(repository.id, pullRequest);
  const ofThis = all.filter((one) => one.pullRequest === pullRequest);
  const newer = ofThis.slice(
    0,
    Math.max(
      0,
      ofThis.findIndex((one) => one.id === id),
    ),
  );
  return newer.every((one) => one.commentId === null);
}

/** Answers on a pull request that no incident is about, in the one comment we have there. */
export async function tellLoneAnswer(answer: LoneAnswer, parts: AppParts): Promise<void> {
  const github = await parts.app.forInstallation(answer.installationId);
  await tellAnswer(github, answer.repository, answer.pullRequest, answer.text);
}
