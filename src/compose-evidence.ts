// What explaining needs, and no more: engines, model clients and stores take longer to load than a log to read.
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { localGit } from "./adapters/git/local-git.ts";
import { openLogs } from "./adapters/logs/open-logs.ts";
import { systemWorld } from "./adapters/world.ts";
import { type Config, ConfigError } from "./config.ts";
import type { Readers } from "./evidence/read-step.ts";
import type { Git } from "./ports/git.ts";
import type { LogSource } from "./ports/log-source.ts";
import type { World } from "./ports/world.ts";
import { readGeneric } from "./tools/generic.ts";
import type { CommandFacts } from "./tools/resolve-command.ts";
import { TOOLS } from "./tools/tools.ts";

// How our commits in a user's own clone are signed; on GitHub the App's own identity replaces it.
const LOCAL_IDENTITY = { name: "retrace", email: "retrace@localhost.invalid" };

/** The readers of logs, for a repository with these command names. */
export function composeReaders(facts: CommandFacts): Readers {
  return { tools: TOOLS, readGeneric, facts };
}

export function composeLogSource(source: string): LogSource {
  return openLogs(source);
}

export function composeWorld(): World {
  return systemWorld();
}

export function composeGit(config: Config, world: World, identity = LOCAL_IDENTITY): Git {
  return localGit({ world, identity, path: config.searchPath });
}

/** Makes the data folder; throws ConfigError, one line, when it cannot be written. */
export function ensureWritable(dataDir: string): void {
  try {
    makeFolder(dataDir);
    accessSync(dataDir, constants.W_OK);
  } catch {
    throw new ConfigError([`RETRACE_DATA_DIR: ${dataDir} cannot be written`]);
  }
}

/** Folder by folder: Node's own recursive form never ends where a file system refuses without saying so (below /proc). */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(path.dirname(folder));
  mkdirSync(folder, { mode: 0o700 });
}
