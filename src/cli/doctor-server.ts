import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { composeSandbox, composeWorld } from "../compose.ts";
import { openStores } from "../compose-app.ts";
import { type Config, ConfigError, readApiUrl, readServerConfig, type ServerConfig } from "../config.ts";
import { appKeyFault } from "../server/readiness.ts";
import type { Finding } from "./finding.ts";

/** What the app needs beyond the command line. Asks nobody outside this machine. */
export async function checkServer(config: Config): Promise<readonly Finding[]> {
  const [server, mistakes] = readSettings();
  return [
    ...mistakes.map((wrong) => ({ what: "server setting", wrong })),
    ...(server === null ? [] : [checkKey(server), await checkAddress(server)]),
    checkDatabase(config),
    await checkSetup(config),
  ];
}

function readSettings(): readonly [ServerConfig | null, readonly string[]] {
  try {
    readApiUrl();
    return [readServerConfig(), []];
  } catch (error) {
    if (error instanceof ConfigError) return [null, error.mistakes];
    throw error;
  }
}

function checkKey({ appId, privateKey }: ServerConfig): Finding {
  return { what: `private key of App ${appId}`, wrong: appKeyFault(privateKey) };
}

function checkAddress({ host, port }: ServerConfig): Promise<Finding> {
  const what = `address ${host}:${port}`;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error: NodeJS.ErrnoException) =>
      resolve({ what, wrong: `cannot be listened on (${error.code}): choose another PORT or HOST` }),
    );
    probe.listen(port, host, () => probe.close(() => resolve({ what, wrong: null })));
  });
}

function checkDatabase(config: Config): Finding {
  try {
    openStores(config).close();
    return { what: "database", wrong: null };
  } catch (error) {
    return { what: "database", wrong: error instanceof Error ? error.message : String(error) };
  }
}

const SETUP_WITHIN_MS = 20_000;

/** A command with a way to the outside, for real: dependencies are installed so. */
async function checkSetup(config: Config): Promise<Finding> {
  if (!config.setupNetwork)
    return { what: "network for setup: switched off, so what CI installs is not there", wrong: null };
  const what = "sandbox with a network for setup";
  const tree = await mkdtemp(path.join(tmpdir(), "retrace-doctor-"));
  try {
    const room = await composeSandbox(config, composeWorld()).open(tree);
    try {
      const command = {
        script: "exit 0",
        shell: null,
        cwd: "",
        env: {},
        network: "setup",
        timeoutMs: SETUP_WITHIN_MS,
      } as const;
      const { exitCode, output } = await room.run(command);
      return { what, wrong: exitCode === 0 ? null : `a command in it failed: ${output.trim().split("\n")[0]}` };
    } finally {
      await room.close();
    }
  } catch (error) {
    return { what, wrong: error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error) };
  } finally {
    await rm(tree, { recursive: true, force: true });
  }
}
