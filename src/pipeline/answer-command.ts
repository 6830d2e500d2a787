import { ENDED_STATES, type Incident } from "../domain/incident.ts";
import type { WorkflowRun } from "../domain/repository.ts";
import { COMMAND_HELP, type Command } from "../intake/command.ts";
import type { Decision } from "../intake/decide.ts";
import type { GitHub } from "../ports/github.ts";
import { headline } from "../publish/message.ts";
import { endIncident } from "./end-incident.ts";
import { type AppParts, incidentJob, noted } from "./incident-parts.ts";

type Asked = Extract<Decision, { readonly kind: "command" }>;

const RED = ["failure", "timed_out", "startup_failure"];

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
      return status(asked, github, parts);
    case "help":
      return say(asked, github, HELP);
    case "fix":
    case "hint":
    case "learn":
    case "forget":
      return say(asked, github, `\`/retrace ${command.name}\` is not part of this version.\n\n${HELP}`);
    case "unknown":
      return say(asked, github, `There is no such command.\n\n${HELP}`);
  }
}

const HELP = COMMAND_HELP.map(([form, does]) => `- \`${form}\`: ${does}`).join("\n");

/** The failed runs of the pull request's head, whatever became of an incident of it before. */
async function start(command: string, asked: Asked, github: GitHub, parts: AppParts): Promise<void> {
  const { repository } = asked.at;
  const pull = await github.pullRequest(repository, asked.pullRequest);
  const runs = (await github.runsOf(repository, pull.headSha)).filter((run) => RED.includes(run.conclusion ?? ""));
  if (runs.length === 0)
    return say(asked, github, `No run of ${pull.headSha.slice(0, 8)} is red: there is nothing to repair.`);
  const now = parts.world.now();
  const key = `${repository.id}:${pull.headSha}`;
  const fresh = (): Incident => newIncident(parts.world.id("inc"), key, asked, pull, runs, now);
  const { incident, isNew } = await parts.store.openIncident(key, fresh);
  if (!isNew && !ENDED_STATES.includes(incident.state)) {
    // A redelivered or repeated wish while it is worked on joins the work (papers §12.2).
    return;
  }
  if (isPublished(incident) && command !== "explain") {
    if (command !== "retry") return say(asked, github, `${headline(incident)}; \`/retrace retry\` starts over.`);
    await endIncident(incident, "superseded", `${asked.user} asked to start over`, parts);
  }
  const trigger = { by: "command", user: asked.user, command } as const;
  const opened = await parts.store.updateIncident(incident.id, (known) => ({
    ...noted(known, now, `${asked.user} asked: ${command}`),
    runs,
    state: "collecting" as const,
    trigger,
    why: null,
    outcome: null,
    publication: null,
  }));
  await parts.queue.put(incidentJob(opened, now));
}

function isPublished({ publication }: Incident): boolean {
  return publication !== null && publication.pushed && !publication.withdrawn;
}

function newIncident(
  id: string,
  key: string,
  asked: Asked,
  pull: Awaited<ReturnType<GitHub["pullRequest"]>>,
  runs: readonly WorkflowRun[],
  now: Date,
): Incident {
  const { installationId, repository } = asked.at;
  return {
    id,
    key,
    installationId,
    repository,
    headSha: pull.headSha,
    headBranch: pull.headBranch,
    headRepository: pull.headRepository,
    isFork: pull.headRepository !== `${repository.owner}/${repository.name}`,
    pullRequest: pull.number,
    runs,
    state: "collecting",
    openedAt: now.toISOString(),
    trigger: { by: "command", user: asked.user, command: asked.command.name },
    why: null,
    explanation: null,
    outcome: null,
    publication: null,
    commentId: null,
    checkRunId: null,
    rerunAt: null,
    notes: [],
    history: [],
  };
}

async function stop(asked: Asked, parts: AppParts): Promise<void> {
  for (const incident of await parts.store.incidentsByPullRequest(asked.at.repository.id, asked.pullRequest)) {
    if (ENDED_STATES.includes(incident.state) && !isPublished(incident)) continue;
    await endIncident(incident, "stopped", `${asked.user} asked to stop`, parts);
  }
}

async function status(asked: Asked, github: GitHub, parts: AppParts): Promise<void> {
  const [newest] = await parts.store.incidentsByPullRequest(asked.at.repository.id, asked.pullRequest);
  if (newest === undefined) return say(asked, github, "Nothing of this pull request was worked on yet.");
  const ours = newest.publication?.pullRequest ?? null;
  const where = ours === null ? "" : ` Our pull request is #${ours}.`;
  await say(asked, github, `${headline(newest)}.${where}`);
}

/** An answer to a question; the living comment stays the only one that tells the story. */
async function say(asked: Asked, github: GitHub, text: string): Promise<void> {
  await github.createComment(asked.at.repository, asked.pullRequest, text);
}
