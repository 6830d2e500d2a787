import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sqliteQueue } from "../../src/adapters/queue/sqlite-queue.ts";
import { openDatabase, type SqliteDatabase } from "../../src/adapters/store/database.ts";
import { sqliteIncidentStore } from "../../src/adapters/store/incident-store.ts";
import { systemWorld } from "../../src/adapters/world.ts";
import type { IncidentStore } from "../../src/ports/incident-store.ts";
import type { NewJob } from "../../src/ports/queue.ts";
import { openLog } from "../../src/server/log.ts";
import { startWorker, type Worker, type WorkerParts } from "../../src/server/worker.ts";
import { until } from "./process/running.ts";

let folder = "";
let database: SqliteDatabase;
let worker: Worker | null = null;
// Runs an hour in a second where a test says so, so that waiting between tries is not waited for.
let speed = 1;
const begin = Date.now();
const world = {
  ...systemWorld(),
  now: () => new Date(begin + (Date.now() - begin) * speed),
};

beforeEach(() => {
  speed = 1;
  folder = mkdtempSync(path.join(tmpdir(), "worker-"));
  database = openDatabase(folder);
});
afterEach(async () => {
  await worker?.stop(1000);
  worker = null;
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

const log = openLog("fatal", { write: () => {} });
const job = (kind: string, key: string, told: Partial<NewJob> = {}): NewJob => {
  return { kind, key, group: null, runAt: new Date(0), data: {}, ...told };
};

function parts(
  told: Pick<WorkerParts, "handle" | "onDropped"> & { readonly leaseMs?: number },
): WorkerParts & { readonly store: IncidentStore } {
  const stores = { queue: sqliteQueue(database), store: sqliteIncidentStore(database) };
  return { ...stores, world, log, concurrency: 1, ...told };
}

const FINISHED = { end: "finished" } as const;

describe("the worker", () => {
  it("reads deliveries and follows CI while a repair goes on, and runs as many repairs as it is told", async () => {
    const begun: string[] = [];
    const all = parts({
      handle: async ({ key, kind }, signal) => {
        begun.push(key);
        if (kind === "incident") await world.sleep(60_000, signal);
        return FINISHED;
      },
    });
    for (const key of ["r1", "r2"]) await all.queue.put(job("incident", key));
    await all.queue.put(job("delivery", "d1"));
    await all.queue.put(job("follow", "f1"));

    worker = await startWorker(all);
    await until(5000, () => begun.length >= 3);
    await world.sleep(700);

    expect(begun.sort()).toEqual(["d1", "f1", "r1"]);
  });

  it("runs a job again when it says so, and tries a failing one eight times with growing pauses", async () => {
    speed = 3600;
    const tries: Record<string, number[]> = { again: [], fails: [] };
    const dropped: string[] = [];
    const all = parts({
      handle: async ({ key }) => {
        tries[key]?.push(world.now().getTime());
        if (key === "fails") throw new Error("GitHub is away");
        if (tries[key]?.length === 9) return FINISHED;
        return { end: "again", at: world.now(), why: "not yet" };
      },
      onDropped: async ({ key }, why) => {
        dropped.push(`${key}: ${why}`);
      },
    });
    await all.queue.put(job("incident", "again"));
    await all.queue.put(job("delivery", "fails"));

    worker = await startWorker(all);
    await until(20_000, () => dropped.length > 0);
    await until(20_000, () => tries.again?.length === 9);

    expect(dropped).toEqual(["fails: GitHub is away"]);
    const pauses = (tries.fails ?? []).slice(1).map((at, index) => (at - (tries.fails?.[index] ?? 0)) / 1000);
    expect(pauses.map((pause, index) => pause >= Math.min(600, 10 * 2 ** index))).toEqual(Array(7).fill(true));
    await until(5000, async () => ((await all.queue.counts()).waiting === 0 ? true : null));
  });

  it("takes over what a dead process held, and queues deliveries that were kept and never finished", async () => {
    const begun: string[] = [];
    const all = parts({
      handle: async ({ key }) => {
        begun.push(key);
        return FINISHED;
      },
    });
    await all.queue.put(job("incident", "held"));
    await all.queue.lease("dead", world.now(), 3_600_000);
    await all.store.keepDelivery({ guid: "g", event: "ping", payload: "{}", receivedAt: "2026-01-01T00:00:00Z" });

    worker = await startWorker(all);

    await until(5000, () => begun.length === 2);
    expect(begun.sort()).toEqual(["delivery:g", "held"]);
  });

  it("tells a job to stop when its lease was lost", async () => {
    let told: unknown = null;
    const all = parts({
      leaseMs: 300,
      handle: async (_, signal) => {
        await world.sleep(10_000, signal).catch(() => {
          told = signal.reason;
        });
        return FINISHED;
      },
    });
    await all.queue.put(job("incident", "a"));
    worker = await startWorker(all);
    await until(5000, async () => ((await all.queue.counts()).working === 1 ? true : null));

    await all.queue.takeOver("somebody else");

    await until(5000, () => told !== null);
    expect(told).toEqual(new Error("the lease was lost"));
  });
});
