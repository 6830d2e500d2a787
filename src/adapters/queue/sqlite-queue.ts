import type { Kinds, LeasedJob, Queue } from "../../ports/queue.ts";
import type { SqliteDatabase } from "../store/database.ts";

interface JobRow {
  readonly id: number;
  readonly key: string;
  readonly kind: string;
  readonly data: string;
  readonly tries: number;
  readonly failures: number;
  readonly deaths: number;
}

/** The queue in SQLite: one row a job, a lease is an owner and a time on it. Times are milliseconds since 1970. */
export function sqliteQueue(database: SqliteDatabase): Queue {
  const lease = database.transaction((owner: string, now: number, leaseMs: number, kinds?: Kinds): LeasedJob | null => {
    // A lease that ran out: its holder is gone, the job waits again unless a newer one of its key already does.
    releaseWhere(database, "leased_until <= ?", now);
    const row = database
      .prepare<[Record<string, number | string | null>], JobRow>(
        `SELECT id, key, kind, data, tries, failures, deaths FROM job
         WHERE owner IS NULL AND run_at <= @now
           AND (@only IS NULL OR kind IN (SELECT value FROM json_each(@only)))
           AND (@except IS NULL OR kind NOT IN (SELECT value FROM json_each(@except)))
           AND (job_group IS NULL OR job_group NOT IN (SELECT job_group FROM job WHERE owner IS NOT NULL AND job_group IS NOT NULL))
           AND key NOT IN (SELECT key FROM job WHERE owner IS NOT NULL)
         ORDER BY run_at, id LIMIT 1`,
      )
      .get({ now, only: listOf(kinds, "only"), except: listOf(kinds, "except") });
    if (row === undefined) return null;
    database
      .prepare("UPDATE job SET owner = ?, leased_until = ?, tries = tries + 1 WHERE id = ?")
      .run(owner, now + leaseMs, row.id);
    const { id, key, kind, data, tries, failures, deaths } = row;
    return { id, key, kind, data: JSON.parse(data), tries: tries + 1, failures, deaths, owner };
  });
  const giveBack = database.transaction((job: LeasedJob, runAt: number, why: string, failures: number) => {
    const waiting = database.prepare("SELECT 1 FROM job WHERE key = ? AND owner IS NULL").get(job.key);
    if (waiting !== undefined)
      database.prepare("DELETE FROM job WHERE id = ? AND owner = ? AND tries = ?").run(job.id, job.owner, job.tries);
    else
      database
        .prepare(
          "UPDATE job SET owner = NULL, leased_until = NULL, run_at = ?, why = ?, failures = ?, deaths = 0 WHERE id = ? AND owner = ? AND tries = ?",
        )
        .run(runAt, why, failures, job.id, job.owner, job.tries);
  });
  const takeOver = database.transaction((owner: string) => releaseWhere(database, "owner <> ?", owner));

  return {
    async put({ key, kind, group, runAt, data }) {
      database
        .prepare(
          `INSERT INTO job (key, kind, job_group, run_at, data) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (key) WHERE owner IS NULL DO UPDATE SET
             kind = excluded.kind, job_group = excluded.job_group, run_at = excluded.run_at, data = excluded.data`,
        )
        .run(key, kind, group, runAt.getTime(), JSON.stringify(data));
    },
    lease: async (owner, now, leaseMs, kinds) => lease.immediate(owner, now.getTime(), leaseMs, kinds),
    async renew(job, now, leaseMs) {
      const { changes } = database
        .prepare("UPDATE job SET leased_until = ? WHERE id = ? AND owner = ? AND tries = ?")
        .run(now.getTime() + leaseMs, job.id, job.owner, job.tries);
      return changes === 1;
    },
    async finish(job) {
      database.prepare("DELETE FROM job WHERE id = ? AND owner = ? AND tries = ?").run(job.id, job.owner, job.tries);
    },
    postpone: async (job, runAt, why) => giveBack.immediate(job, runAt.getTime(), why, 0),
    retry: async (job, runAt, why) => giveBack.immediate(job, runAt.getTime(), why, job.failures + 1),
    async cancel(key) {
      database.prepare("DELETE FROM job WHERE key = ? AND owner IS NULL").run(key);
    },
    takeOver: async (owner) => takeOver.immediate(owner),
    async counts() {
      const row = database
        .prepare<[], { waiting: number; working: number }>(
          "SELECT count(*) - count(owner) AS waiting, count(owner) AS working FROM job",
        )
        .get();
      return row ?? { waiting: 0, working: 0 };
    },
    async close() {
      database.close();
    },
  };
}

function listOf(kinds: Kinds | undefined, which: "only" | "except"): string | null {
  if (kinds === undefined || !(which in kinds)) return null;
  return JSON.stringify("only" in kinds ? kinds.only : kinds.except);
}

/** Gives leases back; where a newer job of the same key waits already, that one stands for both. Returns how many. */
function releaseWhere(database: SqliteDatabase, condition: string, value: number | string): number {
  database
    .prepare(
      `DELETE FROM job WHERE owner IS NOT NULL AND ${condition} AND key IN (SELECT key FROM job WHERE owner IS NULL)`,
    )
    .run(value);
  return database
    .prepare(
      `UPDATE job SET owner = NULL, leased_until = NULL, deaths = deaths + 1 WHERE owner IS NOT NULL AND ${condition}`,
    )
    .run(value).changes;
}
