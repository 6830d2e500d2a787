import path from "node:path";
import type { Logger } from "pino";
import type { Probot } from "probot";
import { appHookDeliveries } from "./adapters/github/hook-deliveries.ts";
import { probotGitHub } from "./adapters/github/probot-github.ts";
import { sqliteQueue } from "./adapters/queue/sqlite-queue.ts";
import { openDatabase } from "./adapters/store/database.ts";
import { sqliteIncidentStore } from "./adapters/store/incident-store.ts";
import { composeGit, composeReaders, composeRemoteGit, composeRepair, ensureWritable } from "./compose.ts";
import { composeExperience } from "./compose-experience.ts";
import { composeLearn } from "./compose-learn.ts";
import { type Config, ConfigError, type ServeConfig } from "./config.ts";
import { GreenMemory } from "./pipeline/green-runs.ts";
import type { AppParts } from "./pipeline/incident-parts.ts";
import type { HookDeliveries } from "./ports/hook-deliveries.ts";
import type { IncidentStore } from "./ports/incident-store.ts";
import type { Queue } from "./ports/queue.ts";
import type { World } from "./ports/world.ts";

export interface Stores {
  readonly store: IncidentStore;
  readonly queue: Queue;
  close(): void;
}

/** The store and the queue on one connection. Throws ConfigError, one line, when the data folder does not serve. */
export function openStores({ dataDir }: Pick<Config, "dataDir">): Stores {
  ensureWritable(dataDir);
  try {
    const database = openDatabase(dataDir);
    return { store: sqliteIncidentStore(database), queue: sqliteQueue(database), close: () => database.close() };
  } catch (error) {
    const message = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
    throw new ConfigError([`RETRACE_DATA_DIR: the database in ${dataDir} cannot be opened (${message})`]);
  }
}

/** What GitHub remembers of the webhooks it sent us. */
export function composeHookDeliveries(settings: ServeConfig, log: Logger): HookDeliveries {
  return appHookDeliveries(composeProbot(settings, log).probot);
}

export interface App {
  readonly parts: AppParts;
  readonly probot: Probot;
  close(): void;
}

/** Everything the worker runs on. `signal` is added for each job. */
export async function composeApp(settings: ServeConfig, world: World, log: Logger): Promise<App> {
  const { config, server } = settings;
  const { app, probot, botLogin } = composeProbot(settings, log);
  const { store, queue, close } = openStores(config);
  const repair = composeRepair(config, world, (line) => log.info({ line }, "repair"));
  const git = composeGit(config, world, identityOf(await withinPatience(botLogin(), world), settings.apiUrl));
  const parts: AppParts = {
    app,
    store,
    queue,
    git,
    remoteGit: composeRemoteGit(config),
    repair: { ...repair, git },
    readers: composeReaders,
    green: new GreenMemory(),
    learning: {
      openMemory: () => composeExperience(config),
      partsFor: (as) => composeLearn(config, world, (line) => log.info({ line }, "learn"), as),
    },
    world,
    collectMs: server.collectMs,
    ciSeenMs: server.ciSeenMs,
    workFolder: path.join(config.dataDir, "incidents"),
    log: (what, fields) => log.info(fields, what),
  };
  return { parts, probot, close };
}

function composeProbot({ server, apiUrl }: ServeConfig, log: Logger): ReturnType<typeof probotGitHub> {
  const { appId, privateKey, webhookSecret, throttle } = server;
  return probotGitHub({ appId, privateKey, webhookSecret, apiUrl, throttle, log });
}

// Only the author's name on our commits depends on it, and interrupted work must go on within seconds of a start.
const LOGIN_WITHIN_MS = 3_000;

async function withinPatience(login: Promise<string | null>, world: World): Promise<string | null> {
  const patience = new AbortController();
  const enough = world.sleep(LOGIN_WITHIN_MS, patience.signal).then(
    () => null,
    () => null,
  );
  const found = await Promise.race([login, enough]);
  patience.abort();
  return found;
}

/** How the App's commits are signed: as the host itself names an App without asking for its user's number. */
function identityOf(login: string | null, apiUrl: string): { readonly name: string; readonly email: string } {
  const name = login ?? "retrace[bot]";
  const host = new URL(apiUrl).hostname;
  return { name, email: `${name}@users.noreply.${host === "api.github.com" ? "github.com" : host}` };
}
