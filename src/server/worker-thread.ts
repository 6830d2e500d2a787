import { parentPort } from "node:worker_threads";
import type { Logger } from "pino";
import { composeWorld } from "../compose.ts";
import { composeApp } from "../compose-app.ts";
import { readServeConfig } from "../config.ts";
import { dropJob, handleJob } from "../pipeline/work.ts";
import { throughProbot } from "./app.ts";
import { openLog } from "./log.ts";
import { runInThread } from "./thread-side.ts";
import { startWorker, type WorkerParts } from "./worker.ts";

/** The worker's thread: the whole pipeline lives here, so that reading a large log keeps nobody waiting at the door. */
async function parts(log: Logger): Promise<WorkerParts & { readonly close: () => void }> {
  const settings = readServeConfig();
  const world = composeWorld();
  const { parts: app, probot, close } = await composeApp(settings, world, log);
  const handOver = await throughProbot(probot, app.store);
  return {
    queue: app.queue,
    store: app.store,
    world,
    log,
    concurrency: settings.server.concurrency,
    handle: (job, signal) => {
      const work = () => handleJob(job, { ...app, signal });
      return job.kind === "delivery" ? handOver(job, work) : work();
    },
    onDropped: (job, why) => dropJob(job, why, app),
    close,
  };
}

if (parentPort !== null) {
  const log = openLog(readServeConfig().server.logLevel);
  const { close, ...workerParts } = await parts(log);
  await runInThread(parentPort, () => startWorker(workerParts));
  close();
  // Ends this thread only: what GitHub's client still waits to try again must not hold it.
  process.exit(0);
}
