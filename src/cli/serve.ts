import { ConfigError, readServeConfig } from "../config.ts";
import { openLog } from "../server/log.ts";
import { appKeyFault } from "../server/readiness.ts";
import { serveApp } from "../server/serve.ts";
import { EnvironmentError, EXIT } from "./exit.ts";

// What a terminal and a supervisor send.
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** `retrace serve`: the app until a signal ends it (exit 0), or until its worker dies (exit 1). Ends the process itself. */
export async function serve(options: { readonly worker: boolean }): Promise<never> {
  const settings = readServeConfig();
  const { server } = settings;
  const fault = appKeyFault(server.privateKey);
  if (fault !== null) throw new ConfigError([`PRIVATE_KEY: ${fault}`]);
  const stop = new AbortController();
  const onSignal = (): void => {
    // A second signal ends the process at once, as if nobody listened.
    for (const name of SIGNALS) process.off(name, onSignal);
    stop.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  const end = await serveApp({
    settings,
    withWorker: options.worker,
    log: openLog(server.logLevel),
    signal: stop.signal,
    onListening: (address) => process.stdout.write(`retrace listens on ${address}\n`),
  }).catch((error: unknown) => {
    throw asEnvironment(error, `${server.host}:${server.port}`);
  });
  // All is closed; what GitHub's client still waits to try again must not hold the process.
  return process.exit(end === "stopped" ? EXIT.done : EXIT.notDone);
}

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: "something else listens there",
  EACCES: "it is not allowed to this account",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOTFOUND: "there is no host of that name",
};

function asEnvironment(error: unknown, where: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const why = LISTEN_FAULTS[code];
  return why === undefined ? error : new EnvironmentError(`HOST and PORT: cannot listen on ${where}: ${why}`);
}
