import { isWeather } from "../domain/category.ts";
import type { Evidence } from "../domain/evidence.ts";
import type { Incident } from "../domain/incident.ts";
import type { Problem } from "../domain/problem.ts";
import type { TriageReason } from "../domain/triage.ts";
import { triage } from "../evidence/triage.ts";
import type { GitHub } from "../ports/github.ts";
import type { CollectParts } from "./collect-run.ts";
import { lookAround, type Scene } from "./sightings.ts";

// What a repository's other pull requests show now; older incidents are of heads long gone.
const INCIDENTS_READ = 500;

/** What the app remembers of a repository, newest first. */
export async function knownOf(
  { repository }: Pick<Incident, "repository">,
  store: { recentIncidents(limit: number): Promise<readonly Incident[]> },
): Promise<readonly Incident[]> {
  return (await store.recentIncidents(INCIDENTS_READ)).filter((one) => one.repository.id === repository.id);
}

/** Whose these failures are (papers §12.3). Where all of them are weather nothing is asked of the host. */
export async function triageRuns(github: GitHub, scene: Scene, parts: CollectParts): Promise<readonly TriageReason[]> {
  if (scene.failures.every(({ category }) => isWeather(category))) return [];
  return triage(scene.failures, await lookAround(github, scene, parts));
}

/** What is flaky is no failure of the code: it is classed so, and makes no problem. */
export function withFlaky(evidence: Evidence, reasons: readonly TriageReason[]): Evidence {
  const flaky = new Set(reasons.filter(({ kind }) => kind === "flaky").flatMap(({ failures }) => failures));
  if (flaky.size === 0) return evidence;
  const failures = evidence.failures.map((one) => (flaky.has(one.id) ? { ...one, category: "flaky" as const } : one));
  return { ...evidence, failures };
}

/** Why nothing of a run is this change's to repair, one text for people; null when something is. */
export function whyNotOurs({ failures }: Pick<Evidence, "failures">, reasons: readonly TriageReason[]): string | null {
  const others = reasons.filter(({ kind }) => kind !== "weather");
  const covered = new Set(others.flatMap((reason) => reason.failures));
  const open = failures.filter(({ id, category }) => !isWeather(category) && !covered.has(id));
  return open.length > 0 || others.length === 0 ? null : others.map(({ why }) => why).join(" ");
}

/** Why a problem is not this change's; null when one of its failures is. */
export function whyLeft({ failures }: Problem, reasons: readonly TriageReason[]): string | null {
  const found = failures.map((id) => reasons.find((reason) => reason.failures.includes(id)));
  return found.every((reason) => reason !== undefined) ? (found[0]?.why ?? null) : null;
}
