import type { Incident } from "../domain/incident.ts";
import type { Readers } from "../evidence/read-step.ts";
import type { Git } from "../ports/git.ts";
import type { GitHubApp } from "../ports/github.ts";
import type { IncidentStore } from "../ports/incident-store.ts";
import type { NewJob, Queue } from "../ports/queue.ts";
import type { RemoteGit } from "../ports/remote-git.ts";
import type { World } from "../ports/world.ts";
import type { CommandFacts } from "../tools/resolve-command.ts";
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

/** One active repair for each pull request, or for each branch without one. */
export function groupOf(incident: Pick<Incident, "repository" | "pullRequest" | "headBranch">): string {
  const { repository, pullRequest, headBranch } = incident;
  return pullRequest === null ? `${repository.id}:branch:${headBranch}` : `${repository.id}:pull:${pullRequest}`;
}

/** The job that moves an incident on; there is never a second one waiting. */
export function incidentJob(incident: Incident, runAt: Date): NewJob {
  return {
    key: `incident:${incident.id}`,
    kind: "incident",
    group: groupOf(incident),
    runAt,
    data: { incident: incident.id },
  };
}

/** The job that asks how CI judges what we pushed. It may run beside other repairs: it costs nothing. */
export function followJob(incident: Incident, runAt: Date): NewJob {
  return { key: `follow:${incident.id}`, kind: "follow", group: null, runAt, data: { incident: incident.id } };
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
