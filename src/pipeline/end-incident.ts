import { rm } from "node:fs/promises";
import path from "node:path";
import type { EndState, Incident } from "../domain/incident.ts";
import { type AppParts, advance, noted, tellJob } from "./incident-parts.ts";

/** Why an incident ended that nobody can be told of any more. */
export const UNINSTALLED = "the App was uninstalled";

/**
 * Ends an incident from outside, whatever is being done for it: its pull request is to be closed, its branch deleted, the
 * story told. The job that sees to it is put down before and after: a kill between the two leaves one that does it all,
 * or one that finds nothing to do.
 */
export async function endIncident(incident: Incident, state: EndState, why: string, parts: AppParts): Promise<void> {
  const { queue, store, world } = parts;
  const now = world.now();
  await queue.put(tellJob(incident, now));
  const ended = await store.updateIncident(incident.id, (known) =>
    noted(
      { ...known, state, why, publication: known.publication && { ...known.publication, withdrawn: true } },
      now,
      why,
    ),
  );
  await queue.cancel(`incident:${incident.id}`);
  await queue.cancel(`follow:${incident.id}`);
  await queue.put(tellJob(ended, now));
}

/** The end that the work itself comes to. What was published stays. */
export async function finish(incident: Incident, state: EndState, why: string, parts: AppParts): Promise<Incident> {
  const now = parts.world.now();
  const ended = await advance(incident.id, incident.state, (known) => noted({ ...known, state, why }, now, why), parts);
  await parts.queue.put(tellJob(ended, now));
  return ended;
}

/** The folder of an incident's clones, given back. */
export async function removeWork(incidentId: string, { workFolder }: Pick<AppParts, "workFolder">): Promise<void> {
  await rm(path.join(workFolder, incidentId), { recursive: true, force: true });
}
