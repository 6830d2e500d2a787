import type { CiJob } from "../domain/ci-run.ts";
import type { Repository, WorkflowRun } from "../domain/repository.ts";
import type { Annotation, GitHub } from "../ports/github.ts";
import type { LogFile, LogSource } from "../ports/log-source.ts";
import type { World } from "../ports/world.ts";
import { archiveName } from "./job-logs.ts";

const RED = ["failure", "timed_out"];
// design §6: just after a run ends its logs may answer 404 or 5xx; after this long they are taken for lost.
const LOG_WAIT_MS = 60_000;
const LOG_PAUSE_MS = 5_000;

export interface RunLogs {
  readonly jobs: readonly CiJob[];
  /** One file for each failed job whose log could be had; none is no error. */
  readonly source: LogSource;
  /** Failed jobs without a log, and why; annotations speak for them. */
  readonly missing: readonly {
    readonly job: CiJob;
    readonly why: string;
    readonly annotations: readonly Annotation[];
  }[];
}

export interface LogWish {
  /** How long logs that are not there yet are waited for. */
  readonly waitMs?: number;
  /** Only these jobs, and no more of them than this. */
  readonly jobs?: { readonly named: readonly string[]; readonly most: number };
}

/**
 * The logs of a run's failed jobs, one text each: the main road, since run archives lack files now and then (platform
 * facts §3.2). Waits for logs that are not there yet; expired ones (410) are not waited for.
 */
export async function openRunLogs(
  github: GitHub,
  repo: Repository,
  run: Pick<WorkflowRun, "id" | "attempt">,
  world: Pick<World, "sleep" | "monotonicMs">,
  wish: LogWish = {},
): Promise<RunLogs> {
  const jobs = await github.jobs(repo, run.id, run.attempt);
  const files: LogFile[] = [];
  const missing: RunLogs["missing"][number][] = [];
  const giveUpAt = world.monotonicMs() + (wish.waitMs ?? LOG_WAIT_MS);
  for (const [index, job] of jobs.entries()) {
    if (wish.jobs !== undefined && !wish.jobs.named.includes(job.name)) continue;
    if (wish.jobs !== undefined && files.length + missing.length >= wish.jobs.most) break;
    const cancelled = job.conclusion === "cancelled";
    if (job.id === null || !(cancelled || RED.includes(job.conclusion ?? ""))) continue;
    const got = await waitForLog(github, repo, job.id, giveUpAt, world);
    if (typeof got === "string") {
      // What was cancelled may never have begun: it has nothing to say.
      if (cancelled) continue;
      const annotations = await github.annotations(repo, job.id).catch(() => []);
      missing.push({ job, why: got, annotations });
    } else files.push({ name: `${index}_${archiveName(job.name)}.txt`, chunks: got });
  }
  return { jobs, source: { files: async () => files }, missing };
}

/** Opens the log again each time it is read, since the link it was reached by lives a minute; or why there is none. */
async function waitForLog(
  github: GitHub,
  repo: Repository,
  jobId: number,
  giveUpAt: number,
  world: Pick<World, "sleep" | "monotonicMs">,
): Promise<(() => AsyncIterable<Uint8Array>) | string> {
  for (;;) {
    const answer = await github.jobLog(repo, jobId);
    if (answer.kind === "gone") return "its log has expired";
    if (answer.kind === "log") return once(answer.chunks, () => reopen(github, repo, jobId));
    if (world.monotonicMs() + LOG_PAUSE_MS > giveUpAt) return `its log could not be had (HTTP ${answer.status})`;
    await world.sleep(LOG_PAUSE_MS);
  }
}

function once(
  first: AsyncIterable<Uint8Array>,
  again: () => AsyncIterable<Uint8Array>,
): () => AsyncIterable<Uint8Array> {
  let used = false;
  return () => {
    if (used) return again();
    used = true;
    return first;
  };
}

async function* reopen(github: GitHub, repo: Repository, jobId: number): AsyncIterable<Uint8Array> {
  const answer = await github.jobLog(repo, jobId);
  if (answer.kind === "log") yield* answer.chunks;
}
