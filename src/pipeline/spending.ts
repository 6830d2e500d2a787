import { type Incident, isPublished } from "../domain/incident.ts";
import type { Policy } from "../domain/policy.ts";
import type { GitHub } from "../ports/github.ts";
import { repairBranch } from "../publish/branch.ts";
import type { AppParts } from "./incident-parts.ts";

const DAY_MS = 24 * 60 * 60_000;
// A day's repairs of every repository this App serves; older incidents do not count.
const INCIDENTS_READ = 2_000;

type Parts = Pick<AppParts, "store" | "world">;

/**
 * Which limit of the repository's settings this repair would exceed; null when none. A person who asks is held back by
 * money alone.
 */
export async function whyOverLimit(
  github: GitHub,
  incident: Incident,
  policy: Policy,
  parts: Parts,
): Promise<string | null> {
  const { limits } = policy;
  if ((await dollarsLeft(incident, policy, parts)) <= 0) return `the limit of $${limits.usdPerDay} a day is reached`;
  if (incident.trigger.by === "command") return null;
  const today = await repairsOfToday(incident, parts);
  if (today.filter((one) => one.id !== incident.id).length >= limits.repairsPerDay)
    return `the limit of ${limits.repairsPerDay} repairs a day is reached`;
  const open = (await ofRepository(incident, parts)).filter(
    (one) => one.id !== incident.id && isPublished(one) && one.publication?.pullRequest !== null,
  );
  if (open.length < limits.openPullRequests) return null;
  const still = await countOpen(github, open);
  return still < limits.openPullRequests
    ? null
    : `${still} of our pull requests are open; the limit is ${limits.openPullRequests}`;
}

/** What may still be spent on this repository today. */
export async function dollarsLeft(incident: Incident, { limits }: Policy, parts: Parts): Promise<number> {
  const today = await repairsOfToday(incident, parts);
  return limits.usdPerDay - today.reduce((sum, one) => sum + (one.outcome?.usage.usd ?? 0), 0);
}

async function repairsOfToday(incident: Incident, parts: Parts): Promise<readonly Incident[]> {
  const since = parts.world.now().getTime() - DAY_MS;
  const all = await ofRepository(incident, parts);
  return all.filter((one) => one.outcome !== null && Date.parse(one.openedAt) >= since);
}

async function ofRepository({ repository }: Incident, { store }: Parts): Promise<readonly Incident[]> {
  return (await store.recentIncidents(INCIDENTS_READ)).filter((one) => one.repository.id === repository.id);
}

/** Asked live: a pull request may have been closed while we were not listening. */
async function countOpen(github: GitHub, incidents: readonly Incident[]): Promise<number> {
  let open = 0;
  for (const { repository, headBranch, headSha } of incidents) {
    const found = await github.pullRequestsFrom(repository, repository.owner, repairBranch(headBranch, headSha));
    if (found.length > 0) open++;
  }
  return open;
}
