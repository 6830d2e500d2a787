import type { Incident, Publication } from "../domain/incident.ts";
import type { Policy } from "../domain/policy.ts";
import type { PullRequest } from "../domain/repository.ts";
import type { GitHub } from "../ports/github.ts";
import { repairBranch } from "../publish/branch.ts";
import { pushRepair, withdraw } from "../publish/push-repair.ts";
import { endIncident, finish } from "./end-incident.ts";
import { type AppParts, after, followJob, noted, tellJob } from "./incident-parts.ts";
import { readPolicy } from "./read-policy.ts";

/** Pushes what was prepared, opens the draft, and waits for CI. Safe to do again from its beginning. */
export async function publishIncident(incident: Incident, parts: AppParts): Promise<void> {
  const { publication, outcome, repository } = incident;
  if (publication === null || outcome === null) return;
  const { git, store, world, queue } = parts;
  // What leaves must be what was verified (peers §3.25).
  if ((await git.resolveTree(publication.copyFolder, publication.commit)) !== publication.tree) {
    await finish(incident, "gave_up", "the commit does not hold the verified files", parts);
    return;
  }
  const github = await parts.app.forInstallation(incident.installationId);
  const head = await github.branchHead(repository, incident.headBranch);
  // With `mode: push` a kill may have come after our own commit became the head.
  if (head !== incident.headSha && head !== publication.commit) {
    return endIncident(incident, "superseded", "the head moved on while it was repaired; nothing is proposed", parts);
  }
  const { policy } = await readPolicy(incident, parts);
  const pushed = await pushRepair(github, parts.remoteGit, incident, publication, outcome, policy);
  if (pushed.ended === "refused") {
    return endIncident(incident, "gave_up", `verified locally, but ${pushed.why}`, parts);
  }
  const now = world.now();
  const what =
    pushed.pullRequest === null
      ? `pushed to ${publication.branch}`
      : `pull request #${pushed.pullRequest.number} opened`;
  const opened: Partial<Publication> = { ...openedAs(pushed.pullRequest), pushed: true, openedAt: now.toISOString() };
  const waiting = await store.updateIncident(incident.id, (known) => {
    if (known.publication?.commit !== publication.commit) return known;
    const written = noted({ ...known, publication: { ...known.publication, ...opened } }, now, what);
    return known.state === "publishing" ? { ...written, state: "awaiting_ci" } : written;
  });
  if (waiting.publication?.commit !== publication.commit) {
    // Started over meanwhile: nobody knows of this one any more.
    return withdraw(github, { ...incident, publication: { ...publication, ...opened, withdrawn: true } });
  }
  if (waiting.state === "awaiting_ci") await awaitCi(waiting, parts);
  else await queue.put(tellJob(waiting, now));
}

/** Sees to it that CI's verdict is taken, and tells people of what is waited for. */
export async function awaitCi(incident: Incident, { queue, world, collectMs }: AppParts): Promise<void> {
  const now = world.now();
  await queue.put(followJob(incident, after(now, collectMs)));
  await queue.put(tellJob(incident, now));
}

function openedAs(pullRequest: PullRequest | null): Pick<Publication, "pullRequest" | "nodeId" | "draft"> {
  if (pullRequest === null) return { pullRequest: null, nodeId: null, draft: false };
  return { pullRequest: pullRequest.number, nodeId: pullRequest.nodeId, draft: pullRequest.draft };
}

/** Ours; with `mode: push` the failing branch itself, unless it is the default branch or protected (design §7). */
export async function branchToPush(
  github: GitHub,
  { repository, headBranch, headSha }: Pick<Incident, "repository" | "headBranch" | "headSha">,
  policy: Pick<Policy, "mode">,
): Promise<string> {
  const ours = repairBranch(headBranch, headSha);
  if (policy.mode !== "push" || headBranch === repository.defaultBranch) return ours;
  return (await github.isProtected(repository, headBranch)) ? ours : headBranch;
}
