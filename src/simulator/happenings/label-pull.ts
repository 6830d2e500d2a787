import { tellPull } from "../events/tell-app.ts";
import { presentLabel } from "../present/present-repository.ts";
import type { Label, PullRequest, Repository, User } from "../state/nouns.ts";
import type { Simulation } from "../state/simulation.ts";

/** Adds a label, which the repository gets too when it has none by that name. */
export async function addLabel(
  simulation: Simulation,
  repository: Repository,
  pull: PullRequest,
  name: string,
  by: User,
): Promise<void> {
  const label = labelNamed(simulation, repository, name);
  if (pull.labels.has(label.name)) return;
  pull.labels.add(label.name);
  await tellPull(simulation, repository, pull, "labeled", by, { label: presentLabel(simulation, repository, label) });
}

/** Takes a label off; false when it was not there. */
export async function removeLabel(
  simulation: Simulation,
  repository: Repository,
  pull: PullRequest,
  name: string,
  by: User,
): Promise<boolean> {
  const label = repository.labels.get(name.toLowerCase());
  if (label === undefined || !pull.labels.delete(label.name)) return false;
  await tellPull(simulation, repository, pull, "unlabeled", by, { label: presentLabel(simulation, repository, label) });
  return true;
}

/** A pull request's labels, in the order in which they were added. */
export function labelsOf(repository: Repository, pull: PullRequest): Label[] {
  return [...pull.labels].flatMap((name) => repository.labels.get(name.toLowerCase()) ?? []);
}

function labelNamed({ nextId }: Simulation, repository: Repository, name: string): Label {
  const known = repository.labels.get(name.toLowerCase());
  if (known !== undefined) return known;
  const label: Label = { id: nextId(), name, color: "ededed", description: null };
  repository.labels.set(name.toLowerCase(), label);
  return label;
}
