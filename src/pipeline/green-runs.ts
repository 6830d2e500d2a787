import type { Repository, WorkflowRun } from "../domain/repository.ts";
import { fullName } from "../domain/repository.ts";
import { readGreen } from "../evidence/collect.ts";
import { GREEN_RUNS, type GreenTemplates } from "../evidence/subtract.ts";
import type { GitHub } from "../ports/github.ts";

// Of forks some are passed over: whoever wrote them could print what is to be hidden.
const RUNS_LISTED = 10;
// Each job costs up to three logs; of a matrix of a hundred legs a few tell what all print.
const MOST_JOBS = 3;
// What a job prints again and again it prints early; a log of gigabytes is not downloaded for it.
const LOG_BYTES = 8_000_000;
// Shapes of lines kept for later runs, over all logs: some 100 MB at most.
const KEPT_SHAPES = 500_000;

/** What green jobs printed, by the job's id at the host: a finished job's log never changes. The oldest goes first. */
export class GreenMemory {
  private readonly byJob = new Map<number, GreenTemplates>();
  private shapes = 0;

  get(job: number): GreenTemplates | null {
    return this.byJob.get(job) ?? null;
  }

  keep(job: number, found: GreenTemplates): void {
    this.byJob.set(job, found);
    this.shapes += found.size;
    for (const [oldest, set] of this.byJob) {
      if (this.shapes <= KEPT_SHAPES) return;
      this.byJob.delete(oldest);
      this.shapes -= set.size;
    }
  }
}

/**
 * What the last three green runs of the same workflow print in these jobs (papers §8.2-4): at most one list, three lists of
 * jobs and nine logs are asked for. What cannot be had is left out; rejects only when the runs cannot be listed.
 */
export async function greenTemplates(
  github: GitHub,
  repository: Repository,
  run: Pick<WorkflowRun, "path">,
  jobs: readonly string[],
  memory: GreenMemory,
): Promise<GreenTemplates> {
  const listed = await github.runsOfWorkflow(repository, run.path, { status: "success", limit: RUNS_LISTED });
  const own = listed.filter(({ headRepository }) => headRepository === fullName(repository)).slice(0, GREEN_RUNS);
  const wanted = new Set(jobs.slice(0, MOST_JOBS));
  const all = new Set<string>();
  for (const green of own) {
    const ran = await github.jobs(repository, green.id, green.attempt).catch(() => []);
    for (const { id, name, conclusion } of ran) {
      if (id === null || conclusion !== "success" || !wanted.has(name)) continue;
      for (const shape of await ofJob(github, repository, id, memory)) all.add(shape);
    }
  }
  return all;
}

async function ofJob(github: GitHub, repository: Repository, id: number, memory: GreenMemory): Promise<GreenTemplates> {
  const known = memory.get(id);
  if (known !== null) return known;
  try {
    const log = await github.jobLog(repository, id);
    if (log.kind !== "log") return new Set();
    const found = await readGreen(log.chunks, LOG_BYTES);
    memory.keep(id, found);
    return found;
  } catch {
    return new Set(); // its run counts for nothing
  }
}
