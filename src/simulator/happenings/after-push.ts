import { type Push, tellCheckSuite, tellPull, tellPush } from "../events/tell-app.ts";
import { readDiff } from "../git/read-diff.ts";
import { isAncestor, resolve } from "../git/read-history.ts";
import { NO_COMMIT, type RefChange } from "../git/ref-change.ts";
import type { Repository, User } from "../state/nouns.ts";
import { openPullsFrom, type Simulation } from "../state/simulation.ts";
import { markMerged, refreshMerge, setPullState, startPullRuns } from "./change-pull.ts";
import { startRuns, suiteOfApp } from "./start-runs.ts";

/** The commit that git knows for an empty tree; the other side of a first push. */
const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
/** GitHub lists at most this many commits in a push payload. */
const COMMITS_LISTED = 2048;

/** Everything that follows from a moved branch: webhooks, pull requests brought up to date, workflow runs. */
export function afterPush(
  simulation: Simulation,
  repository: Repository,
  change: RefChange,
  sender: User,
): Promise<void> {
  return repository.inTurn(() => follow(simulation, repository, change, sender));
}

async function follow(
  simulation: Simulation,
  repository: Repository,
  { ref, before, after }: RefChange,
  sender: User,
): Promise<void> {
  if (!ref.startsWith("refs/heads/")) return;
  const branch = ref.slice("refs/heads/".length);
  const isDeleted = after === NO_COMMIT;
  const forced = before !== NO_COMMIT && !isDeleted && !(await isAncestor(repository.git, before, after));
  if (forced) simulation.forcePushes.push({ repository: repository.fullName, ref, before, after });
  repository.pushedAt = simulation.clock.iso();

  const commits = isDeleted ? [] : await pushedCommits(repository, branch, before, after);
  const push: Push = { ref, before, after, forced, commits };
  await tellPush(simulation, repository, push, sender);
  if (isDeleted) return closeOrphans(simulation, repository, branch, sender);

  const suite = suiteOfApp(simulation, repository, simulation.app, after, branch, before);
  if (simulation.app.permissions.checks === "write") {
    await tellCheckSuite(simulation, repository, suite, "requested", sender);
  }
  await startPushRuns(simulation, repository, branch, push, sender);
  await moveHeads(simulation, repository, branch, push, sender);
  await moveBases(simulation, repository, branch, after, sender);
}

/** Moves a branch as a push would, and lets everything follow. */
export async function moveBranch(
  simulation: Simulation,
  repository: Repository,
  branch: string,
  after: string,
  sender: User,
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  const before = (await resolve(repository.git, ref)) ?? NO_COMMIT;
  if (after === before) return;
  await repository.git(after === NO_COMMIT ? ["update-ref", "-d", ref] : ["update-ref", ref, after]);
  await afterPush(simulation, repository, { ref, before, after }, sender);
}

async function startPushRuns(
  simulation: Simulation,
  repository: Repository,
  branch: string,
  { before, after, ref }: Push,
  actor: User,
): Promise<void> {
  if (repository.parent !== null) return; // GitHub leaves Actions off in a fresh fork
  const changed = await readDiff(repository.git, before === NO_COMMIT ? EMPTY_TREE : before, after);
  const files = changed.map((file) => file.path);
  await startRuns(simulation, repository, {
    trigger: { event: "push", action: null, branch, files },
    headSha: after,
    headBranch: branch,
    headRepository: repository,
    checkoutSha: after,
    ref,
    pull: null,
    actor,
  });
}

async function moveHeads(
  simulation: Simulation,
  head: Repository,
  branch: string,
  { before, after }: Push,
  sender: User,
): Promise<void> {
  for (const [repository, pull] of openPullsFrom(simulation, head, branch)) {
    if (pull.head.sha === after) continue; // opened on this very commit while its push was still being followed
    pull.head.sha = after;
    pull.updatedAt = simulation.clock.iso();
    await refreshMerge(simulation, repository, pull);
    await tellPull(simulation, repository, pull, "synchronize", sender, { before, after });
    await startPullRuns(simulation, repository, pull, "synchronize", sender);
  }
}

async function moveBases(
  simulation: Simulation,
  repository: Repository,
  branch: string,
  after: string,
  sender: User,
): Promise<void> {
  for (const pull of repository.pulls.filter(({ state, base }) => state === "open" && base.ref === branch)) {
    if (await isAncestor(repository.git, pull.head.sha, after)) {
      await markMerged(simulation, repository, pull, after, sender);
      continue;
    }
    pull.base.sha = after;
    await refreshMerge(simulation, repository, pull);
  }
}

async function closeOrphans(simulation: Simulation, head: Repository, branch: string, sender: User): Promise<void> {
  for (const [repository, pull] of openPullsFrom(simulation, head, branch)) {
    await setPullState(simulation, repository, pull, "closed", sender);
  }
  for (const pull of head.pulls.filter(({ state, base }) => state === "open" && base.ref === branch)) {
    await setPullState(simulation, head, pull, "closed", sender);
  }
}

async function pushedCommits({ git }: Repository, branch: string, before: string, after: string): Promise<string[]> {
  const known = before === NO_COMMIT ? [`--exclude=${branch}`, "--branches"] : [before];
  const text = await git(["rev-list", "--reverse", `--max-count=${COMMITS_LISTED}`, after, "--not", ...known]);
  return text.split("\n").filter((sha) => sha !== "");
}
