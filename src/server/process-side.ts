import { Worker as Thread } from "node:worker_threads";
import type { Logger } from "pino";
import { type FromThread, GRACE_MS, type ToThread } from "./thread-side.ts";

/** The worker as the process sees it. */
export interface WorkerThread {
  /** There may be something to do. */
  wake(): void;
  /** Null while it works, else why not. */
  missing(): string | null;
  /** Resolves when the thread ends by itself, which it never should. */
  readonly died: Promise<void>;
  /** Lets it end what it can, for ten seconds at most. */
  stop(): Promise<void>;
}

// After its own grace the thread needs a moment to close its files.
const CLOSE_MS = 1_500;

/**
 * Starts the thread whose entry is `entry`. A thread and not a child process: it dies with us at a kill, and with it, by
 * bwrap's --die-with-parent, every command it runs.
 */
export function startWorkerThread(entry: URL, log: Logger): WorkerThread {
  // The sandbox hands descriptors on to its commands; Node would take them for forgotten ones and warn.
  const thread = new Thread(entry, { name: "worker", trackUnmanagedFds: false });
  let state: "starting" | "working" | "stopping" | "ended" = "starting";
  thread.on("message", (message: FromThread) => {
    if (message === "working" && state === "starting") state = "working";
  });
  thread.on("error", (error) => log.error({ err: error }, "the worker thread failed"));
  const ended = new Promise<void>((resolve) => {
    thread.once("exit", () => {
      resolve();
    });
  });
  const say = (message: ToThread): void => thread.postMessage(message);
  const died = new Promise<void>((resolve) => {
    thread.once("exit", (code) => {
      if (state !== "stopping") {
        log.error({ code }, "the worker thread ended");
        resolve();
      }
      state = "ended";
    });
  });
  return {
    wake: () => say("wake"),
    missing: () => (state === "working" ? null : `the worker is ${state}`),
    died,
    stop: async () => {
      if (state === "ended") return;
      state = "stopping";
      say("stop");
      const terminate = setTimeout(() => void thread.terminate(), GRACE_MS + CLOSE_MS);
      await ended;
      clearTimeout(terminate);
    },
  };
}
