import { type Incident, isEnded, isPublished } from "../domain/incident.ts";
import type { PullRequest } from "../domain/repository.ts";
import { COMMAND_HELP, type Command } from "../intake/command.ts";
import { type Decision, isRepairable } from "../intake/decide.ts";
import type { GitHub } from "../ports/github.ts";
import { BRANCH_PREFIX } from "../publish/branch.ts";
import { plain } from "../publish/markup.ts";
import { headline } from "../publish/message.ts";
import { withdraw } from "../publish/push-repair.ts";
import { fence } from "../text/fence.ts";
import { redact } from "../text/redact.ts";
import { forgetRecord, learnJob } from "./app-learning.ts";
import { endIncident } from "./end-incident.ts";
import { type AppParts, answerJob, incidentJob, noted, tellJob } from "./incident-parts.ts";
import { incidentKey, newIncident } from "./new-incident.ts";

type Asked = Extract<Decision, { readonly kind: "command" }>;

/** Answers a command: only to people who may write here, asked live (design §8). A stranger gets no reaction at all. */
export async function answerCommand(asked: Asked, parts: AppParts): Promise<void> {
  const { installationId, repository } = asked.at;
  const github = await parts.app.forInstallation(installationId);
  const permission = await github.permission(repository, asked.user);
  if (permission !== "admin" && permission !== "write") {
    parts.log("command refused", { repository: repository.id, pullRequest: asked.pullRequest, permission });
    return;
  }
  await github.react(repository, asked.commentId, "eyes");
  await carryOut(asked.command, asked, github, parts);
}

async function carryOut(command: Command, asked: Asked, github: GitHub, parts: AppParts): Promise<void> {
  switch (command.name) {
    case "repair":
    case "explain":
    case "retry":
      return start(command.name, asked, github, parts);
    case "engine":
      return start(`engine ${command.engine}`, asked, github, parts);
    case "stop":
      return stop(asked, parts);
    case "status":
      return status(asked, parts);
    case "help":
      return answer(asked, HELP, parts);
    case "fix":
      return start(`fix ${command.problem}`, asked, github, parts);
    case "hint":
      return start(`hint ${command.text.slice(0, HINT_CHARACTERS)}`, asked, github, parts);
    case "learn":
      return learn(command.pullRequest, asked, parts);
    case "forget":
      return answer(asked, await forgetRecord(command.id, asked.at.repository, parts), parts);
    case "unknown":
      return answer(asked, `There is no such command.\n\n${HELP}`, parts);
  }
}

/** It is answered when it is done. */
async function learn(pullRequest: number, asked: Asked, { queue, world }: AppParts): Promise<void> {
  const { installationId, repository } = asked.at;
  const { owner, name } = repository;
  const by = { commentId: asked.commentId, on: asked.pullRequest };
  await queue.put(learnJob({ installationId, owner, name, pullRequest, asked: by }, world.now()));
}

// A hint is a sentence or two; a model reads it beside everything else.
const HINT_CHARACTERS = 2_000;

const HELP = COMMAND_HELP.map(([form, does]) => `- \`${form}\`: ${does}`).join("\n");

/** The failed runs of the pull request's head, whatever became of an incident of it before. */
async function start(command: string, asked: Asked, github: GitHub, parts: AppParts): Promise<void> {
  const { store, queue, world } = parts;
  const { installationId, repository } = asked.at;
  const pull = await redPullRequest(asked, github, parts);
  if (pull === null) return answer(asked, "This is our own branch: it is followed, never repaired anew.", parts);
  if (pull.state === "closed") return answer(asked, `#${pull.number} is closed.`, parts);
  const runs = (await github.runsOf(repository, pull.headSha)).filter(isRepairable);
  if (runs.length === 0)
    return answer(asked, `No run of ${pull.headSha.slice(0, 8)} is red: there is nothing to repair.`, parts);
  const now = world.now();
  const trigger = { by: "command", user: asked.user, command, comment: asked.commentId } as const;
  const { headSha, headBranch, headRepository } = pull;
  const opening = {
    installationId,
    repository,
    headSha,
    headBranch,
    headRepository,
    pullRequest: pull.number,
    runs,
    trigger,
  };
  const { incident } = await store.openIncident(incidentKey(repository, headSha), () =>
    newIncident(world.id("inc"), opening, now),
  );
  // Carried out before, or opened by this very call: the job is what a kill may have lost.
  const obeyed = incident.trigger.by === "command" && incident.trigger.comment === asked.commentId;
  if (obeyed && incident.state !== "collecting") return;
  if (obeyed) return queue.put(incidentJob(incident, now));
  const unknown = whyNoCause(command, incident);
  if (unknown !== null) return answer(asked, unknown, parts);
  // A hint is worth nothing to a repair that began without it.
  const again = command === "retry" || command.startsWith("hint ");
  if (!isEnded(incident) && again)
    await endIncident(incident, "superseded", `${asked.user} asked to start over`, parts);
  else if (!isEnded(incident)) return answer(asked, `It is being worked on: ${headline(incident)}.`, parts);
  else if (isPublished(incident) && command === "explain")
    return answer(asked, `${headline(incident)}; what broke stands above.`, parts);
  else if (isPublished(incident) && !again)
    return answer(asked, `${headline(incident)}; \`/retrace retry\` starts over.`, parts);
  // What was proposed before goes first: the new branch has the same name.
  if (incident.publication !== null) await withdraw(github, incident);
  const opened = await store.updateIncident(incident.id, (known) => ({
    ...noted(known, now, `${asked.user} asked: ${command}`),
    runs,
    pullRequest: pull.number,
    state: "collecting",
    trigger,
    why: null,
    answer: takenUp(command, asked.user),
    triage: [],
    suggest: false,
    reviewId: null,
    outcome: null,
    publication: null,
  }));
  await queue.put(incidentJob(opened, now));
}

/** Why `fix N` names nothing; null when it does, or when nobody knows the causes yet. */
function whyNoCause(command: string, { explanation }: Incident): string | null {
  const asked = /^fix (\d+)$/.exec(command)?.[1];
  const causes = (explanation?.failures ?? []).flatMap(({ cause }) => cause ?? []);
  if (asked === undefined || causes.length === 0 || causes.includes(Number(asked))) return null;
  const most = Math.max(...causes);
  return `There is no cause ${asked}: ${most === 1 ? "there is one" : `they are numbered 1 to ${most}`}.`;
}

/** What the comment says of a wish while it is carried out. */
function takenUp(command: string, user: string): string | null {
  const hint = /^hint (.+)$/s.exec(command)?.[1];
  if (hint === undefined) return null;
  return `${plain(user)} hinted, and the engines get it as material:\n\n${fence(redact(hint), "text")}`;
}

/** Asked on our own pull request, the red one is meant; null when nobody knows which that is. */
async function redPullRequest(asked: Asked, github: GitHub, { store }: AppParts): Promise<PullRequest | null> {
  const { repository } = asked.at;
  const pull = await github.pullRequest(repository, asked.pullRequest);
  const ours =
    pull.headBranch.startsWith(BRANCH_PREFIX) && pull.headRepository === `${repository.owner}/${repository.name}`;
  if (!ours) return pull;
  const known = await store.incidentsByPullRequest(repository.id, asked.pullRequest);
  const red = known.find((one) => one.publication?.pullRequest === asked.pullRequest)?.pullRequest ?? null;
  return red === null ? null : github.pullRequest(repository, red);
}

async function stop(asked: Asked, parts: AppParts): Promise<void> {
  for (const incident of await parts.store.incidentsByPullRequest(asked.at.repository.id, asked.pullRequest)) {
    if (isEnded(incident) && !isPublished(incident)) continue;
    await endIncident(incident, "stopped", `${asked.user} asked to stop`, parts);
  }
}

async function status(asked: Asked, parts: AppParts): Promise<void> {
  const [newest] = await parts.store.incidentsByPullRequest(asked.at.repository.id, asked.pullRequest);
  if (newest === undefined) return answer(asked, "Nothing of this pull request was worked on yet.", parts);
  const ours = newest.publication?.pullRequest ?? null;
  const where = ours === null ? "" : ` Our pull request is #${ours}.`;
  await answer(asked, `${headline(newest)}.${where}`, parts);
}

/** In the one living comment (design §8): as part of the story where there is one, else in a comment that only answers. */
async function answer(asked: Asked, text: string, parts: AppParts): Promise<void> {
  const { store, queue, world } = parts;
  const { installationId, repository } = asked.at;
  const words = `${asked.user} asked:\n\n${text}`;
  const known = await store.incidentsByPullRequest(repository.id, asked.pullRequest);
  const incident: Incident | undefined = known.find((one) => one.pullRequest === asked.pullRequest);
  if (incident === undefined) {
    const lone = { installationId, repository, pullRequest: asked.pullRequest, text: words };
    return queue.put(answerJob(asked.commentId, lone, world.now()));
  }
  const told = await store.updateIncident(incident.id, (one) => ({ ...one, answer: words }));
  await queue.put(tellJob(told, world.now()));
}
