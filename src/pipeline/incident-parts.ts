import type { Incident, IncidentState } from "../domain/incident.ts";
import type { Repository } from "../domain/repository.ts";
import type { Readers } from "../evidence/read-step.ts";
import type { Git } from "../ports/git.ts";
import type { GitHubApp } from "../ports/github.ts";
import type { IncidentStore } from "../ports/incident-store.ts";
import type { NewJob, Queue } from "../ports/queue.ts";
import type { RemoteGit } from "../ports/remote-git.ts";
import type { World } from "../ports/world.ts";
import type { CommandFacts } from "../tools/resolve-command.ts";
import type { GreenMemory } from "./green-runs.ts";
import type { Learning } from "./learning.ts";
import type { RepairParts } from "./repair-run.ts";

/** Everything the app's stories run on. */
export interface AppParts {
  readonly app: GitHubApp;
  readonly store: IncidentStore;
  readonly queue: Queue;
  readonly git: Git;
  readonly remoteGit: RemoteGit;
  readonly repair: RepairParts;
  readonly readers: (facts: CommandFacts) => Readers;
  /** What green jobs print; one for the life of the process. */
  readonly green: GreenMemory;
  readonly learning: Learning;
  readonly world: World;
  /** How long failed runs of one head are collected, and silence after the last run on ours. */
  readonly collectMs: number;
  /** How long a run on our commit is waited for. */
  readonly ciSeenMs: number;
  /** Absolute; one folder for each incident. */
  readonly workFolder: string;
  readonly log: (what: string, fields: Readonly<Record<string, unknown>>) => void;
  readonly signal?: AbortSignal;
}

/** How `why` ends where a mere re-run turned the failed runs green. */
export const GREEN_AGAIN = "the failed runs are green on a re-run";

/** What becomes of a job of the queue after it was worked on. */
export type JobEnd = { readonly end: "finished" } | { readonly end: "again"; readonly at: Date; readonly why: string };

export const FINISHED: JobEnd = { end: "finished" };

type Placed = Pick<Incident, "repository" | "pullRequest" | "headBranch">;

/** One active repair for each pull request, or for each branch without one. */
function placeOf({ repository, pullRequest, headBranch }: Placed): string {
  return pullRequest === null ? `${repository.id}:branch:${headBranch}` : `${repository.id}:pull:${pullRequest}`;
}

/** The job that moves an incident on; there is never a second one waiting. */
export function incidentJob(incident: Incident, runAt: Date): NewJob {
  return {
    key: `incident:${incident.id}`,
    kind: "incident",
    group: placeOf(incident),
    runAt,
    data: { incident: incident.id },
  };
}

/** The job that asks how CI judges what we pushed. It may run beside other repairs: it costs nothing. */
export function followJob(incident: Incident, runAt: Date): NewJob {
  return { key: `follow:${incident.id}`, kind: "follow", group: null, runAt, data: { incident: incident.id } };
}

/** The job that tells people where an incident stands. One at a time for each pull request: its comment is one. */
export function tellJob(incident: Incident, runAt: Date): NewJob {
  return {
    key: `tell:${incident.id}`,
    kind: "tell",
    group: `tell:${placeOf(incident)}`,
    runAt,
    data: { incident: incident.id },
  };
}

/** An answer on a pull request that no incident is about. */
export interface LoneAnswer {
  readonly installationId: number;
  readonly repository: Repository;
  readonly pullRequest: number;
  readonly text: string;
}

/** The job that answers there, in turn with whatever else is told on that pull request. */
export function answerJob(commentId: number, answer: LoneAnswer, runAt: Date): NewJob {
  const group = `tell:${placeOf({ ...answer, headBranch: "" })}`;
  return { key: `answer:${commentId}`, kind: "answer", group, runAt, data: { ...answer } };
}

/** The job that reads a kept delivery. */
export function deliveryJob(guid: string, now: Date): NewJob {
  return { key: `delivery:${guid}`, kind: "delivery", group: null, runAt: now, data: { guid } };
}

export function after(now: Date, ms: number): Date {
  return new Date(now.getTime() + ms);
}

/** The incident with one more dated line in its history. */
export function noted(incident: Incident, now: Date, what: string): Incident {
  return { ...incident, history: [...incident.history, { at: now.toISOString(), what }] };
}

/** Somebody else moved the incident on while it was worked on: stopped, superseded, started over. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/** Changes an incident that is still in the state it was worked on in; rejects with Overtaken when it is not any more. */
export async function advance(
  id: string,
  from: IncidentState,
  change: (incident: Incident) => Incident,
  { store }: Pick<AppParts, "store">,
): Promise<Incident> {
  let found = from;
  const incident = await store.updateIncident(id, (known) => {
    found = known.state;
    return found === from ? change(known) : known;
  });
  if (found !== from) throw new Overtaken(`the incident ${id} is ${found}, no more ${from}`);
  return incident;
}
