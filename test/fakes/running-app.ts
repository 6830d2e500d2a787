import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pino } from "pino";
import { probotGitHub } from "../../src/adapters/github/probot-github.ts";
import { sqliteQueue } from "../../src/adapters/queue/sqlite-queue.ts";
import { openDatabase } from "../../src/adapters/store/database.ts";
import { sqliteIncidentStore } from "../../src/adapters/store/incident-store.ts";
import { composeGit, composeReaders, composeRemoteGit, composeRepair, composeWorld } from "../../src/compose.ts";
import { type Config, readConfig } from "../../src/config.ts";
import type { Incident } from "../../src/domain/incident.ts";
import { type AppParts, deliveryJob, handleJob } from "../../src/pipeline/work.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";

const SECRET = "secret";
const LEASE_MS = 60_000;

/** The app's stories in this process: real stores, git, sandbox and HTTP, without the server's own doors. */
export interface RunningApp {
  readonly parts: AppParts;
  /** Works until nothing is due for `quietMs` and the simulator is idle too. */
  settle(quietMs?: number): Promise<void>;
  incidents(): Promise<readonly Incident[]>;
  close(): Promise<void>;
}

export interface AppSettings {
  readonly simulator: Simulator;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly collectMs?: number;
  readonly ciSeenMs?: number;
}

/** Starts listening for the simulator's webhooks; nothing is worked on before `settle`. */
export async function startApp({
  simulator,
  folder,
  env = {},
  collectMs = 300,
  ciSeenMs = 5_000,
}: AppSettings): Promise<RunningApp> {
  const config: Config = readConfig({ ...process.env, RETRACE_DATA_DIR: folder, ...env });
  const world = composeWorld();
  const database = openDatabase(folder);
  const store = sqliteIncidentStore(database);
  const queue = sqliteQueue(database);
  const { app } = probotGitHub({
    appId: String(simulator.appId),
    privateKey: simulator.privateKey ?? "",
    webhookSecret: SECRET,
    apiUrl: simulator.apiUrl,
    throttle: false,
    log: pino({ level: "silent" }),
  });
  const parts: AppParts = {
    app,
    store,
    queue,
    git: composeGit(config, world),
    remoteGit: composeRemoteGit(config),
    repair: composeRepair(config, world, () => {}),
    readers: composeReaders,
    world,
    collectMs,
    ciSeenMs,
    workFolder: path.join(folder, "work"),
    log: () => {},
  };
  const door = createServer(async (request, response) => {
    const body = await new Response(request as unknown as ReadableStream).text();
    const guid = String(request.headers["x-github-delivery"]);
    const event = String(request.headers["x-github-event"]);
    await store.keepDelivery({ guid, event, payload: body, receivedAt: world.now().toISOString() });
    await queue.put(deliveryJob(guid, world.now()));
    response.writeHead(202).end();
  });
  await new Promise<void>((listening) => door.listen(0, "127.0.0.1", listening));
  simulator.sendWebhooksTo(`http://127.0.0.1:${(door.address() as AddressInfo).port}/`);
  return {
    parts,
    settle: async (quietMs = 1_500) => {
      let quietSince = world.monotonicMs();
      while (world.monotonicMs() - quietSince < quietMs) {
        const job = await queue.lease("test", world.now(), LEASE_MS);
        if (job === null) {
          await simulator.idle();
          await world.sleep(50);
          continue;
        }
        const { end, ...again } = await handleJob(job, parts);
        if (end === "finished") await queue.finish(job);
        else if ("at" in again) await queue.postpone(job, again.at, again.why);
        quietSince = world.monotonicMs();
      }
    },
    incidents: () => store.recentIncidents(100),
    close: async () => {
      door.close();
      await store.close();
    },
  };
}
