import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { pino } from "pino";
import { probotGitHub } from "../../src/adapters/github/probot-github.ts";
import { sqliteQueue } from "../../src/adapters/queue/sqlite-queue.ts";
import { openDatabase } from "../../src/adapters/store/database.ts";
import { sqliteIncidentStore } from "../../src/adapters/store/incident-store.ts";
import { composeGit, composeReaders, composeRemoteGit, composeRepair, composeWorld } from "../../src/compose.ts";
import { composeExperience } from "../../src/compose-experience.ts";
import { composeLearn } from "../../src/compose-learn.ts";
import { type Config, readConfig } from "../../src/config.ts";
import type { Incident } from "../../src/domain/incident.ts";
import { GreenMemory } from "../../src/pipeline/green-runs.ts";
import { type AppParts, deliveryJob } from "../../src/pipeline/incident-parts.ts";
import { handleJob } from "../../src/pipeline/work.ts";
import type { Simulator } from "../../src/simulator/simulator.ts";

const SECRET = "secret";
const LEASE_MS = 60_000;
// Far beyond what any story takes here; one that never comes to an end says so.
const SETTLE_MS = 120_000;

/** The app's stories in this process: real stores, git, sandbox and HTTP, without the server's own doors. */
export interface RunningApp {
  readonly parts: AppParts;
  /** Works until no job is left and the simulator is idle; with `until`, until that holds before a job is taken. */
  settle(until?: () => boolean | Promise<boolean>): Promise<void>;
  /** Everything the app said to its log. */
  readonly logged: readonly string[];
  incidents(): Promise<readonly Incident[]>;
  close(): Promise<void>;
}

export interface AppSettings {
  readonly simulator: Simulator;
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly collectMs?: number;
  readonly ciSeenMs?: number;
  /** Puts something between the stories and what they run on. */
  readonly around?: (parts: AppParts) => AppParts;
  /** What a job's failure is to the test; rejecting ends `settle`. A job that failed is tried again at once. */
  readonly onFailure?: (error: unknown) => void;
}

const throwOn = (error: unknown): void => {
  throw error;
};

/** Starts listening for the simulator's webhooks; nothing is worked on before `settle`. */
export async function startApp(settings: AppSettings): Promise<RunningApp> {
  const { simulator, folder, env = {}, collectMs = 200, ciSeenMs = 1_500, around, onFailure = throwOn } = settings;
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
  const logged: string[] = [];
  const plain: AppParts = {
    app,
    store,
    queue,
    git: composeGit(config, world),
    remoteGit: composeRemoteGit(config),
    repair: composeRepair(config, world, (line) => void logged.push(line)),
    readers: composeReaders,
    green: new GreenMemory(),
    learning: {
      openMemory: () => composeExperience(config),
      partsFor: (as) => composeLearn(config, world, (line) => void logged.push(line), as),
    },
    world,
    collectMs,
    ciSeenMs,
    workFolder: path.join(folder, "work"),
    log: (what, fields) => void logged.push(`${what} ${JSON.stringify(fields)}`),
  };
  const parts = around === undefined ? plain : around(plain);
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

  const isQuiet = async (): Promise<boolean> => {
    await simulator.idle();
    const { waiting, working } = await queue.counts();
    return waiting + working === 0;
  };
  return {
    parts,
    logged,
    settle: async (until = isQuiet) => {
      const giveUpAt = world.monotonicMs() + SETTLE_MS;
      while (!(await until())) {
        if (world.monotonicMs() > giveUpAt) throw new Error("the app did not come to rest");
        const job = await queue.lease("test", world.now(), LEASE_MS);
        if (job === null) {
          await world.sleep(20);
          continue;
        }
        try {
          const end = await handleJob(job, parts);
          if (end.end === "finished") await queue.finish(job);
          else await queue.postpone(job, end.at, end.why);
        } catch (error) {
          onFailure(error);
          await queue.retry(job, world.now(), String(error));
        }
      }
    },
    incidents: () => store.recentIncidents(100),
    close: async () => {
      door.close();
      await store.close();
    },
  };
}
