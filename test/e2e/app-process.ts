import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { Simulator } from "../../src/simulator/simulator.ts";

const MAIN = path.join(import.meta.dirname, "../../dist/main.js");
const START_MS = 20_000;

/** The built app as a process against a simulator. */
export interface AppProcess {
  readonly url: string;
  /** Everything it printed since the first start. */
  readonly printed: () => string;
  start(): Promise<void>;
  /** As `kill -9`. */
  kill(): Promise<void>;
  stop(): Promise<number | null>;
}

export interface AppProcessSettings {
  readonly simulator: Simulator;
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Chooses a port and points the simulator at it; the process is started by `start`. */
export async function makeAppProcess({ simulator, dataDir, env = {} }: AppProcessSettings): Promise<AppProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/api/github/webhooks`;
  simulator.sendWebhooksTo(url);
  let child: ChildProcess | null = null;
  let printed = "";
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const ending = child;
    if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return ending?.exitCode ?? null;
    ending.kill(signal);
    const [code] = await once(ending, "exit");
    return code;
  };
  return {
    url,
    printed: () => printed,
    async start() {
      const { OPENAI_API_KEY: _key, OPENAI_BASE_URL: _url, ...own } = process.env;
      const started = spawn(process.execPath, [MAIN, "serve"], {
        env: {
          ...own,
          APP_ID: String(simulator.appId),
          PRIVATE_KEY: simulator.privateKey ?? "",
          WEBHOOK_SECRET: "secret",
          GHE_HOST: simulator.host,
          GHE_PROTOCOL: "http",
          PORT: String(port),
          LOG_LEVEL: "info",
          RETRACE_DATA_DIR: dataDir,
          RETRACE_GITHUB_THROTTLE: "off",
          RETRACE_COLLECT_MS: "1000",
          ...env,
        },
        stdio: ["ignore", "pipe", "pipe"],
      });
      child = started;
      for (const stream of [started.stdout, started.stderr]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          printed += text;
        });
      }
      for (let waited = 0; waited < START_MS; waited += 50) {
        if (started.exitCode !== null) break;
        const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => null);
        if (answer?.ok) return;
        await pause(50);
      }
      throw new Error(`the app did not start:\n${printed}`);
    },
    async kill() {
      await end("SIGKILL");
    },
    stop: () => end("SIGTERM"),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}
