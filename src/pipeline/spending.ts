import type { Incident } from "../domain/incident.ts";
import type { Policy } from "../domain/policy.ts";
import type { GitHub } from "../ports/github.ts";
import { repairBranch } from "../publish/branch.ts";
import type { AppParts } from "./incident-parts.ts";

const DAY_MS = 24 * 60 * 60_000;
// A day's repairs of every repository this App serves; older incidents do not count.
const INCIDENTS_READ = 2_000;

/** Which limit of the repository's settings this repair would exceed; null when none. */
export async function whyOverLimit(
  github: GitHub,
  incident: Incident,
  { limits }: Policy,
  { store, world }: Pick<AppParts, "store" | "world">,
): Promise<string | null> {
  const since = world.now().getTime() - DAY_MS;
  const ofRepository = (await store.recentIncidents(INCIDENTS_READ)).filter(
    (one) => one.repository.id === incident.repository.id && one.id !== incident.id,
  );
  const today = ofRepository.filter((one) => one.outcome !== null && Date.parse(one.openedAt) >= since);
  if (today.length >= limits.repairsPerDay) return `the limit of ${limits.repairsPerDay} repairs a day is reached`;
  const spent = today.reduce((sum, one) => sum + (one.outcome?.usage.usd ?? 0), 0);
  if (spent >= limits.usdPerDay) return `the limit of $${limits.usdPerDay} a day is reached`;
  const open = ofRepository.filter(
    (one) => one.publication !== null && one.publication.pullRequest !== null && !one.publication.withdrawn,
  );
  if (open.length >= limits.openPullRequests) {
    const still = await countOpen(github, open);
    if (still >= limits.openPullRequests) return `${still} of our pull requests are open, the limit`;
  }
  return null;
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
