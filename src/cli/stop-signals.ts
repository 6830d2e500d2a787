import { constants } from "node:os";
import { Interrupted } from "./exit.ts";

// What a terminal, a supervisor and a closing session send.
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs `work` with a signal that aborts, its reason an Interrupted, when the process is told to stop; `work` winds down by
 * itself. A second signal ends the process at once, as if nobody listened.
 */
export async function stoppable<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = (signal: (typeof SIGNALS)[number]): void => {
    listen("off");
    controller.abort(new Interrupted(128 + constants.signals[signal]));
  };
  const listen = (how: "on" | "off"): void => {
    for (const signal of SIGNALS) process[how](signal, stop);
  };
  listen("on");
  try {
    return await work(controller.signal);
  } catch (error) {
    // A terminal tells our children too: what their end broke here is no news of its own.
    controller.signal.throwIfAborted();
    throw error;
  } finally {
    listen("off");
  }
}
