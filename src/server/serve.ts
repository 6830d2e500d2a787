import type { Logger } from "pino";
import { composeSandbox, composeWorld } from "../compose.ts";
import { composeHookDeliveries, openStores } from "../compose-app.ts";
import type { ServeConfig } from "../config.ts";
import { closeDoor, createDoor, listen } from "./http.ts";
import { startWorkerThread, type WorkerThread } from "./process-side.ts";
import { readinessOf } from "./readiness.ts";
import { keepReconciling } from "./reconcile.ts";
import { requeueDeliveries } from "./worker.ts";

export interface ServeOptions {
  readonly settings: ServeConfig;
  /** False: deliveries are kept and queued, and wait. */
  readonly withWorker: boolean;
  readonly log: Logger;
  /** Aborts when the server is to stop. */
  readonly signal: AbortSignal;
  /** The thread's module; ours unless a test hands in its own. */
  readonly workerEntry?: URL;
  /** Told the address once requests are answered. */
  readonly onListening: (address: string) => void;
}

// Requests are answered within milliseconds; a sender that has not finished by then is cut.
const DOOR_GRACE_MS = 2_000;
const WORKER_ENTRY = new URL("./worker-thread.js", import.meta.url);

/**
 * The server from start to end. Resolves with `stopped` when the signal asked for it and with `died` when the worker
 * thread ended by itself. Rejects with ConfigError, or with Node's own error when the address cannot be had.
 */
export async function serveApp(options: ServeOptions): Promise<"stopped" | "died"> {
  const { settings, log, signal } = options;
  const { config, server } = settings;
  const world = composeWorld();
  const stores = openStores(config);
  let worker: WorkerThread | null = null;
  const door = createDoor({
    store: stores.store,
    queue: stores.queue,
    world,
    log,
    webhookSecret: server.webhookSecret,
    adminToken: server.adminToken,
    onJob: () => worker?.wake(),
    readiness: readinessOf({
      queue: stores.queue,
      sandboxMissing: async () => composeSandbox(config, world).unavailable(),
      privateKey: server.privateKey,
      workerMissing: () => {
        if (!options.withWorker) return null;
        return worker === null ? "the worker is starting" : worker.missing();
      },
      world,
    }),
  });
  try {
    // Before the worker: a second server on the same address must not take over the leases of the first.
    const address = await listen(door, server.port, server.host);
    const stopped = new Promise<"stopped">((resolve) => {
      if (signal.aborted) resolve("stopped");
      signal.addEventListener("abort", () => resolve("stopped"));
    });
    if (options.withWorker) worker = startWorkerThread(options.workerEntry ?? WORKER_ENTRY, log);
    const background = new AbortController();
    const hooks = composeHookDeliveries(settings, log);
    const requeue = () => requeueDeliveries({ ...stores, world });
    void keepReconciling({ hooks, store: stores.store, world, log }, requeue, background.signal);
    options.onListening(address);
    const died = worker?.died.then(() => "died" as const) ?? new Promise<never>(() => {});
    const end = await Promise.race([stopped, died]);
    log.info({ end }, "stopping");
    background.abort();
    await Promise.all([closeDoor(door, DOOR_GRACE_MS), worker?.stop()]);
    return end;
  } finally {
    door.close();
    stores.close();
  }
}
