import { isRed, type WorkflowRun } from "../../domain/repository.ts";

/** A failing streak of one workflow and the green run that ended it (papers §8.5). */
export interface MinedEpisode {
  /** `.github/workflows/x.yml` */
  readonly workflow: string;
  /** First run of the streak. */
  readonly failed: WorkflowRun;
  readonly passed: WorkflowRun;
  /** Runs after the first and before the last, on other commits, oldest first. */
  readonly between: readonly WorkflowRun[];
}

/** The same commit was red, then green: nothing was repaired. */
export interface MinedFlake {
  readonly workflow: string;
  readonly sha: string;
  readonly red: WorkflowRun;
  readonly green: WorkflowRun;
}

export interface Mined {
  readonly episodes: readonly MinedEpisode[];
  readonly flakes: readonly MinedFlake[];
}

/**
 * What the runs of one pull request or branch tell (papers §8.5): oldest first, for each workflow every streak of red runs that a green run
 * on another commit ended. Runs that were neither red nor green say nothing. A commit that was red and then green is a flake,
 * and counts as green.
 */
export function mineEpisodes(runs: readonly WorkflowRun[]): Mined {
  const episodes: MinedEpisode[] = [];
  const flakes: MinedFlake[] = [];
  for (const own of byWorkflow(runs).values()) {
    const workflow = own[0]?.path ?? "";
    let streak: WorkflowRun[] = [];
    for (const { run, flake } of verdicts(own)) {
      if (flake !== null) flakes.push({ workflow, sha: run.headSha, red: flake, green: run });
      if (isRed(run)) streak.push(run);
      else {
        const [failed, ...between] = streak;
        if (failed !== undefined) episodes.push({ workflow, failed, passed: run, between });
        streak = [];
      }
    }
  }
  return { episodes: episodes.sort((a, b) => byTime(a.failed, b.failed)), flakes };
}

function byWorkflow(runs: readonly WorkflowRun[]): ReadonlyMap<string, readonly WorkflowRun[]> {
  const found = new Map<string, WorkflowRun[]>();
  for (const run of runs) {
    if (run.path === "" || !(isRed(run) || run.conclusion === "success")) continue;
    // A push tests the head, a pull request its merge with the base: two trees, two histories.
    const key = `${run.path} ${run.event}`;
    found.set(key, [...(found.get(key) ?? []), run]);
  }
  return found;
}

interface Verdict {
  readonly run: WorkflowRun;
  /** The red run of the same commit that the green one followed; null when there was none. */
  readonly flake: WorkflowRun | null;
}

/** One verdict for each commit, in the order the commits first ran. */
function verdicts(runs: readonly WorkflowRun[]): readonly Verdict[] {
  const byCommit = new Map<string, WorkflowRun[]>();
  for (const run of [...runs].sort(byTime)) byCommit.set(run.headSha, [...(byCommit.get(run.headSha) ?? []), run]);
  return [...byCommit.values()].flatMap((own) => {
    // The later word counts; red that was green before is red.
    const run = own.at(-1);
    const red = own.find(isRed);
    if (run === undefined) return [];
    return [{ run, flake: !isRed(run) && red !== undefined ? red : null }];
  });
}

function byTime(a: WorkflowRun, b: WorkflowRun): number {
  return a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id - b.id;
}
