import { rm } from "node:fs/promises";
import path from "node:path";
import type { Incident } from "../domain/incident.ts";
import { withdraw } from "../publish/push-repair.ts";
import { tellPeople } from "../publish/tell.ts";
import { type AppParts, noted } from "./incident-parts.ts";

export type EndState = Extract<
  Incident["state"],
  "done" | "gave_up" | "not_code" | "superseded" | "stopped" | "ignored"
>;

/** Ends an incident and takes back what is ours at GitHub: our pull request closed, our branch deleted, the story told. */
export async function endIncident(incident: Incident, state: EndState, why: string, parts: AppParts): Promise<void> {
  await parts.queue.cancel(`incident:${incident.id}`);
  await parts.queue.cancel(`follow:${incident.id}`);
  const now = parts.world.now();
  const ended = await parts.store.updateIncident(incident.id, (known) => noted({ ...known, state, why }, now, why));
  const github = await parts.app.forInstallation(ended.installationId);
  await withdraw(github, ended);
  await tellAndKeep(ended, parts);
  // Last: a kill before this does it all again, which changes nothing the second time.
  await parts.store.updateIncident(ended.id, (known) =>
    known.publication === null ? known : { ...known, publication: { ...known.publication, withdrawn: true } },
  );
  await removeWork(ended.id, parts);
}

/** Tells people where an incident stands and keeps the numbers of what was written. Returns the newest state. */
export async function tellAndKeep(incident: Incident, parts: AppParts): Promise<Incident> {
  const github = await parts.app.forInstallation(incident.installationId);
  const told = await tellPeople(github, incident);
  return parts.store.updateIncident(incident.id, (known) => ({ ...known, ...told }));
}

/** The folder of an incident's clones, given back. */
export async function removeWork(incidentId: string, { workFolder }: Pick<AppParts, "workFolder">): Promise<void> {
  await rm(path.join(workFolder, incidentId), { recursive: true, force: true });
}
