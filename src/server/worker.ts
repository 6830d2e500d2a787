import type { Logger } from "pino";
import { deliveryJob, type JobEnd } from "../pipeline/incident-parts.ts";
import type { IncidentStore } from "../ports/incident-store.ts";
import type { Kinds, LeasedJob, Queue } from "../ports/queue.ts";
import type { World } from "../ports/world.ts";
import { Bell } from "./bell.ts";

export interface WorkerParts {
  readonly queue: Queue;
  readonly store: Pick<IncidentStore, "unhandledDeliveries">;
  readonly world: World;
  readonly log: Logger;
  /** How many repairs run at the same time. */
  readonly concurrency: number;
  /** Does one job; rejects when it should be tried later. `signal` aborts when we stop or the lease was lost. */
  readonly handle: (job: LeasedJob, signal: AbortSignal) => Promise<JobEnd>;
  /** Told when a job has failed too often and is dropped. */
  readonly onDropped?: (job: LeasedJob, why: string) => Promise<void>;
  readonly leaseMs?: number;
}

export interface Worker {
  /** There may be something to do. */
  wake(): void;
  /** Takes nothing new and ends what runs; resolves when it has ended, after `graceMs` at the latest. */
  stop(graceMs: number): Promise<void>;
}

// A dead process's leases are taken over at the start of the next, so a lease may be long: a thread that is busy with a
// large log must not lose what it works on.
const LEASE_MS = 300_000;
// We are told of what comes by webhook; this is for what falls due.
const LOOK_EVERY_MS = 500;
const FIRST_RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 600_000;
const MOST_FAILURES = 8;
// Restarts and kills are nobody's fault; a job that takes the process with it every time must still end some day.
const MOST_DEATHS = 50;
// The database refuses: a full disk, a lock held too long.
const AFTER_STORE_FAULT_MS = 5_000;

/** A repair takes minutes: what people say and how CI goes on must not wait for it. */
const lanesOf = (concurrency: number): readonly Kinds[] => [
  ...Array.from({ length: concurrency }, () => ({ only: ["incident"] })),
  { only: ["delivery"] },
  { except: ["incident", "delivery"] },
];

/** Takes over what a dead process left, queues deliveries nobody finished, and works until stopped. */
export async function startWorker(parts: WorkerParts): Promise<Worker> {
  const { queue, world, log, concurrency } = parts;
  const owner = world.id("worker");
  const takenOver = await queue.takeOver(owner);
  const requeued = await requeueDeliveries(parts);
  log.info({ owner, takenOver, requeued, concurrency }, "worker started");
  const bell = new Bell(world);
  const stopping = new AbortController();
  const lanes = lanesOf(concurrency).map((kinds) => runLane(kinds, owner, bell, stopping.signal, parts));
  return {
    wake: () => bell.ring(),
    stop: async (graceMs) => {
      stopping.abort(new Error("the server stops"));
      bell.ring();
      const patience = new AbortController();
      const enough = world.sleep(graceMs, patience.signal).catch(() => {});
      await Promise.race([Promise.all(lanes), enough]);
      patience.abort();
    },
  };
}

/** Queues every kept delivery that was never finished; those that wait already stay one. Returns how many. */
export async function requeueDeliveries({
  store,
  queue,
  world,
}: Pick<WorkerParts, "store" | "queue" | "world">): Promise<number> {
  const unhandled = await store.unhandledDeliveries();
  for (const guid of unhandled) await queue.put(deliveryJob(guid, world.now()));
  return unhandled.length;
}

async function runLane(
  kinds: Kinds,
  owner: string,
  bell: Bell,
  stopping: AbortSignal,
  parts: WorkerParts,
): Promise<void> {
  const { queue, world, log, leaseMs = LEASE_MS } = parts;
  while (!stopping.aborted) {
    try {
      const job = await queue.lease(owner, world.now(), leaseMs, kinds);
      if (job === null) {
        await bell.sleep(LOOK_EVERY_MS);
        continue;
      }
      await work(job, stopping, parts);
      // It may have made jobs for other lanes.
      bell.ring();
    } catch (error) {
      log.error({ err: error }, "the queue could not be used");
      await bell.sleep(AFTER_STORE_FAULT_MS);
    }
  }
}

async function work(job: LeasedJob, stopping: AbortSignal, parts: WorkerParts): Promise<void> {
  const { queue, world, log, handle } = parts;
  const { key, kind, tries, deaths } = job;
  if (deaths >= MOST_DEATHS) return drop(job, "it never came to an end", parts);
  const started = world.monotonicMs();
  const lost = new AbortController();
  const done = new AbortController();
  const renewing = keepLease(job, lost, done.signal, parts);
  const signal = AbortSignal.any([stopping, lost.signal]);
  try {
    const end = await handle(job, signal);
    log.info({ key, kind, tries, end: end.end, ms: Math.round(world.monotonicMs() - started) }, "job done");
    if (end.end === "finished") await queue.finish(job);
    else await queue.postpone(job, end.at, end.why);
  } catch (error) {
    if (stopping.aborted) await queue.postpone(job, world.now(), "the server stopped");
    else if (!lost.signal.aborted) await retryLater(job, error, parts);
  } finally {
    done.abort();
    await renewing;
  }
}

/** Renews the lease at a third of its time; aborts `lost` when somebody else has the job. */
async function keepLease(
  job: LeasedJob,
  lost: AbortController,
  done: AbortSignal,
  { queue, world, log, leaseMs = LEASE_MS }: WorkerParts,
): Promise<void> {
  while (!done.aborted) {
    try {
      await world.sleep(leaseMs / 3, done);
      if (await queue.renew(job, world.now(), leaseMs)) continue;
      log.warn({ key: job.key }, "lease lost");
      lost.abort(new Error("the lease was lost"));
      return;
    } catch (error) {
      if (!done.aborted) log.warn({ key: job.key, err: error }, "lease not renewed");
    }
  }
}

async function retryLater(job: LeasedJob, error: unknown, parts: WorkerParts): Promise<void> {
  const { queue, world, log } = parts;
  const failures = job.failures + 1;
  const why = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  if (failures >= MOST_FAILURES) {
    log.error({ key: job.key, err: error }, "job failed for the last time");
    return drop(job, why, parts);
  }
  const inMs = Math.min(FIRST_RETRY_MS * 2 ** job.failures, LONGEST_RETRY_MS);
  log.warn({ key: job.key, kind: job.kind, failures, inMs, err: error }, "job failed");
  await queue.retry(job, new Date(world.now().getTime() + inMs), why);
}

async function drop(job: LeasedJob, why: string, { queue, log, onDropped }: WorkerParts): Promise<void> {
  log.error({ key: job.key, kind: job.kind, failures: job.failures, why }, "job dropped");
  try {
    await onDropped?.(job, why);
  } catch (error) {
    log.error({ key: job.key, err: error }, "the end of a dropped job could not be told");
  }
  await queue.finish(job);
}
