import { rm } from "node:fs/promises";
import path from "node:path";
import type { EpisodePush, Reconstruction } from "../domain/experience.ts";
import { fullName, type PullRequest, type Repository, type WorkflowRun } from "../domain/repository.ts";
import { type MinedEpisode, mineEpisodes } from "../experience/mine/mine-episodes.ts";
import type { Authorship } from "../experience/upkeep/standing.ts";
import type { Git } from "../ports/git.ts";
import type { GitHub } from "../ports/github.ts";
import type { RemoteGit } from "../ports/remote-git.ts";
import type { World } from "../ports/world.ts";
import { type CollectParts, collectRuns } from "./collect-run.ts";
import { type LearnParts, learnRepair } from "./learn-repair.ts";

export interface LearnGitHubRequest {
  readonly owner: string;
  readonly name: string;
  /** One pull request; null takes merged ones, newest first. */
  readonly pullRequest: number | null;
  readonly limit: number;
  /** Only what was merged since then. */
  readonly since: Date | null;
  readonly signal?: AbortSignal;
}

export interface LearnGitHubParts extends CollectParts {
  readonly git: Git;
  readonly remoteGit: RemoteGit;
  /** Parts for one episode, with a budget of its own: whose change it was, and when it turned green. */
  readonly learnFor: (as: { readonly author: Authorship; readonly at: Date }) => LearnParts;
  readonly world: World;
  readonly workFolder: string;
  readonly tell: (line: string) => void;
}

/** papers §13.2: as many merged pull requests are read when nobody says how many. */
export const DEFAULT_PULL_REQUESTS = 30;
// Each costs a jobs answer and its failed logs; a pull request with more pushes is told by its first ones.
const MOST_PUSHES = 10;

/**
 * Reconstructs the repairs of pull requests at GitHub (design §5): their failing streaks, the logs that are still there, and
 * the commits in between. A pull request that cannot be read is told and left out.
 */
export async function learnGitHub(
  github: GitHub,
  request: LearnGitHubRequest,
  parts: LearnGitHubParts,
): Promise<readonly Reconstruction[]> {
  const repository = await github.repository(request.owner, request.name);
  const pulls =
    request.pullRequest === null
      ? await github.mergedPullRequests(repository, { limit: request.limit, since: request.since })
      : [await github.pullRequest(repository, request.pullRequest)];
  const learned: Reconstruction[] = [];
  for (const [index, pull] of pulls.entries()) {
    request.signal?.throwIfAborted();
    const author = await authorshipOf(github, repository, pull);
    const mined = mineEpisodes(await runsOfPull(github, repository, pull));
    const found = `${mined.episodes.length} ${mined.episodes.length === 1 ? "episode" : "episodes"}`;
    const flaky = mined.flakes.length > 0 ? `, ${mined.flakes.length} flaky` : "";
    parts.tell(`#${pull.number} (${index + 1} of ${pulls.length}): ${found}${flaky}`);
    for (const episode of mined.episodes) {
      const one = await learnEpisode(github, repository, pull, author, episode, parts);
      if (one !== null) learned.push(one);
    }
  }
  return learned;
}

async function runsOfPull(github: GitHub, repository: Repository, pull: PullRequest): Promise<readonly WorkflowRun[]> {
  const runs = await github.runsOnBranch(repository, pull.headBranch);
  // Another repository may have a branch of the same name.
  return runs.filter(({ headRepository }) => pull.headRepository === null || headRepository === pull.headRepository);
}

/** papers §13.4: who may write counts as a maintainer, a fork's author as a stranger until a maintainer confirms. */
async function authorshipOf(github: GitHub, repository: Repository, pull: PullRequest): Promise<Authorship> {
  if (pull.author === (await github.botLogin().catch(() => null))) return "retrace";
  if (pull.author.endsWith("[bot]")) return "bot";
  // A token that may not ask knows nobody: then only the pull request's own repository speaks for its author.
  const permission = await github.permission(repository, pull.author).catch(() => "none" as const);
  if (permission === "admin" || permission === "write") return "maintainer";
  return pull.headRepository === fullName(repository) ? "contributor" : "stranger";
}

async function learnEpisode(
  github: GitHub,
  repository: Repository,
  pull: PullRequest,
  author: Authorship,
  episode: MinedEpisode,
  parts: LearnGitHubParts,
): Promise<Reconstruction | null> {
  const work = path.join(parts.workFolder, parts.world.id("learn"));
  const { failed, passed, between, workflow } = episode;
  try {
    const folder = path.join(work, "clone.git");
    const remote = { url: repository.cloneUrl, authorization: await github.gitAuthorization(repository, "read") };
    const wanted = [failed.headSha, passed.headSha, `refs/pull/${pull.number}/head`];
    const [fail, pass] = await parts.remoteGit.fetch(remote, wanted, folder);
    const there = await Promise.all([failed.headSha, passed.headSha].map((sha) => parts.git.resolve(folder, sha)));
    if ((fail ?? there[0]) == null || (pass ?? there[1]) == null) {
      parts.tell(`#${pull.number}: ${failed.headSha.slice(0, 8)} is not to be had any more (a forced push): left out`);
      return null;
    }
    const read = async (run: WorkflowRun) => {
      const has = (await parts.git.resolve(folder, run.headSha)) !== null;
      const files = has ? await parts.git.files(folder, run.headSha) : null;
      return collectRuns(github, { repository, headSha: run.headSha }, [run], files, parts);
    };
    const { evidence, notes } = await read(failed);
    for (const note of notes) parts.tell(`#${pull.number}: ${note}`);
    const seen = new Set(evidence.failures.map(({ signature }) => signature));
    const pushes: EpisodePush[] = [];
    const exposed = [];
    for (const run of between.slice(0, MOST_PUSHES)) {
      const { failures } = (await read(run)).evidence;
      // Its logs are gone: without a signature it would be taken for green.
      if (failures.every(({ signature }) => signature === "")) continue;
      pushes.push({
        sha: run.headSha,
        run: run.id,
        signatures: [...new Set(failures.map(({ signature }) => signature))].sort(),
      });
      exposed.push(...failures.filter(({ signature }) => !seen.has(signature)));
      for (const { signature } of failures) seen.add(signature);
    }
    pushes.push({ sha: passed.headSha, run: passed.id, signatures: [] });
    return await learnRepair(
      {
        repo: fullName(repository),
        workflow,
        pr: pull.number,
        from: folder,
        failSha: failed.headSha,
        passSha: passed.headSha,
        evidence,
        pushes,
        exposed,
      },
      parts.learnFor({ author, at: new Date(passed.createdAt) }),
    );
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "GitFailed") throw error;
    parts.tell(`#${pull.number}: ${error.message}`);
    return null;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
