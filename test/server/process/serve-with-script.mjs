// The server as it is, with a worker that does what the payloads of its deliveries say. BUILT: the built product's folder.
const built = process.env.BUILT;
const { readServeConfig } = await import(`${built}/config.js`);
const { openLog } = await import(`${built}/server/log.js`);
const { serveApp } = await import(`${built}/server/serve.js`);

const stop = new AbortController();
process.once("SIGTERM", () => stop.abort());
const settings = readServeConfig();
const end = await serveApp({
  settings,
  withWorker: true,
  log: openLog(settings.server.logLevel),
  signal: stop.signal,
  workerEntry: new URL("./scripted-thread.mjs", import.meta.url),
  onListening: (address) => process.stdout.write(`${address}\n`),
});
process.exit(end === "stopped" ? 0 : 1);
