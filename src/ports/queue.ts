/**
 * Work that survives a kill. A job is leased, worked on, then finished; a lease that is not renewed runs out and the job is
 * given to somebody else, so a handler must be able to start over. Jobs of one group never run at the same time.
 */
export interface Queue {
  /**
   * Adds a job, or moves the one that waits under the same `key`: its time becomes `runAt`, its data the new data. A job being
   * worked on is not touched: the new one waits beside it and runs afterwards.
   */
  put(job: NewJob): Promise<void>;
  /** The next job that is due and whose group is free, leased to `owner`; null when there is none. `kinds`: of these only. */
  lease(owner: string, now: Date, leaseMs: number, kinds?: Kinds): Promise<LeasedJob | null>;
  /** Holds the lease on; false when it was lost. */
  renew(job: LeasedJob, now: Date, leaseMs: number): Promise<boolean>;
  finish(job: LeasedJob): Promise<void>;
  /** Gives it back to run again at `runAt`, with the reason kept. Its failures and deaths are forgotten. */
  postpone(job: LeasedJob, runAt: Date, why: string): Promise<void>;
  /** Gives it back after a failure: as `postpone`, but the failure counts. */
  retry(job: LeasedJob, runAt: Date, why: string): Promise<void>;
  /** Drops what waits under this key; what is being worked on goes on. */
  cancel(key: string): Promise<void>;
  /** Takes back every lease of other owners at once: on a single machine they are dead (design §10.7). */
  takeOver(owner: string): Promise<number>;
  /** Jobs waiting and being worked on. */
  counts(): Promise<{ readonly waiting: number; readonly working: number }>;
  close(): Promise<void>;
}

export type Kinds = { readonly only: readonly string[] } | { readonly except: readonly string[] };

export interface NewJob {
  readonly key: string;
  readonly kind: string;
  /** Null: no group. */
  readonly group: string | null;
  readonly runAt: Date;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface LeasedJob {
  readonly id: number;
  readonly key: string;
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
  /** 1 on the first try. */
  readonly tries: number;
  /** How often in a row it failed (`retry`). */
  readonly failures: number;
  /** How often in a row whoever worked on it was gone before it ended: the process died, or was killed. */
  readonly deaths: number;
  readonly owner: string;
}
