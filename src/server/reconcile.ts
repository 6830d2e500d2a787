import type { Logger } from "pino";
import type { HookAttempt, HookDeliveries } from "../ports/hook-deliveries.ts";
import type { IncidentStore } from "../ports/incident-store.ts";
import type { World } from "../ports/world.ts";

export interface ReconcileParts {
  readonly hooks: HookDeliveries;
  readonly store: Pick<IncidentStore, "delivery">;
  readonly world: Pick<World, "now" | "sleep">;
  readonly log: Logger;
}

// GitHub sends a delivery again for three days (platform facts §3.6).
const WINDOW_MS = 3 * 24 * 3600 * 1000;
const EVERY_MS = 3600 * 1000;

/**
 * Asks GitHub to send again what never arrived here, now and every hour, until `signal` aborts. `requeue` is called every
 * hour too: a delivery that was given up while GitHub was away gets another chance. Never rejects.
 */
export async function keepReconciling(
  parts: ReconcileParts,
  requeue: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await reconcile(parts);
    await parts.world.sleep(EVERY_MS, signal).catch(() => {});
    if (signal.aborted) return;
    await requeue().catch((error: unknown) => parts.log.error({ err: error }, "deliveries could not be queued again"));
  }
}

/** One round. GitHub not being reachable, or not having such a list, is worth a warning and no more. */
export async function reconcile({ hooks, store, world, log }: ReconcileParts): Promise<void> {
  try {
    const attempts = await hooks.since(new Date(world.now().getTime() - WINDOW_MS));
    let asked = 0;
    for (const { id, guid } of missed(attempts)) {
      // An answer that came too late counts as failed over there, and is here nevertheless.
      if ((await store.delivery(guid)) !== null) continue;
      await hooks.redeliver(id);
      asked++;
    }
    log.info({ attempts: attempts.length, asked }, "missed deliveries asked for");
  } catch (error) {
    log.warn({ err: error }, "missed deliveries could not be asked for");
  }
}

/** The newest attempt of every delivery none of whose attempts arrived, oldest first. `attempts`: newest first. */
export function missed(attempts: readonly HookAttempt[]): readonly HookAttempt[] {
  const arrived = new Set(attempts.filter((attempt) => attempt.arrived).map(({ guid }) => guid));
  const newest = new Map<string, HookAttempt>();
  for (const attempt of attempts) {
    if (!arrived.has(attempt.guid) && !newest.has(attempt.guid)) newest.set(attempt.guid, attempt);
  }
  return [...newest.values()].reverse();
}
