import { once } from "node:events";
import type { MessagePort } from "node:worker_threads";
import type { Worker } from "./worker.ts";

/** What the process says to the thread, and the thread to the process. */
export type ToThread = "wake" | "stop";
export type FromThread = "working";

// A supervisor kills ten seconds after it asked nicely (Docker's default); what is not done by then is taken up again.
export const GRACE_MS = 8_000;

/** Runs a worker at the far end of `port` until it is told to stop. */
export async function runInThread(port: MessagePort, start: () => Promise<Worker>): Promise<void> {
  let wake = (): void => {};
  const stop = new Promise<void>((resolve) => {
    port.on("message", (message: ToThread) => {
      if (message === "stop") resolve();
      else wake();
    });
  });
  const worker = await start();
  wake = () => worker.wake();
  port.postMessage("working" satisfies FromThread);
  await stop;
  await worker.stop(GRACE_MS);
  port.close();
  await once(port, "close").catch(() => {});
}
