// A worker thread whose jobs do what their delivery's payload says, and write down what they did.
import { appendFileSync, mkdirSync } from "node:fs";
import path from "node:path";
import { parentPort } from "node:worker_threads";

const built = process.env.BUILT; // a thread has the environment of its process, not its arguments
const { composeSandbox, composeWorld } = await import(`${built}/compose.js`);
const { openStores } = await import(`${built}/compose-app.js`);
const { readServeConfig } = await import(`${built}/config.js`);
const { openLog } = await import(`${built}/server/log.js`);
const { runInThread } = await import(`${built}/server/thread-side.js`);
const { startWorker } = await import(`${built}/server/worker.js`);

const { config, server } = readServeConfig();
const world = composeWorld();
const { store, queue } = openStores(config);
const note = (line) => appendFileSync(path.join(config.dataDir, "notes"), `${line}\n`);

const doings = {
  quick: async () => {},
  sandbox: async ({ script }, signal) => {
    const tree = path.join(config.dataDir, "tree");
    mkdirSync(tree, { recursive: true });
    const room = await composeSandbox(config, world).open(tree);
    try {
      await room.run({ script, shell: null, cwd: "", env: {}, network: "off", timeoutMs: 60_000, signal });
      signal.throwIfAborted();
    } finally {
      await room.close();
    }
  },
  busy: async ({ ms }) => {
    const until = performance.now() + ms;
    while (performance.now() < until);
  },
  die: async () => process.exit(7),
};

const handle = async (job, signal) => {
  const { guid } = job.data;
  const delivery = await store.delivery(guid);
  const payload = JSON.parse(delivery.payload);
  note(`begin ${guid} try ${job.tries} failures ${job.failures} deaths ${job.deaths}`);
  await doings[payload.do](payload, signal);
  await store.deliveryHandled(guid);
  note(`end ${guid}`);
  return { end: "finished" };
};

const log = openLog(server.logLevel);
await runInThread(parentPort, () => startWorker({ queue, store, world, log, concurrency: 1, handle }));
process.exit(0);
