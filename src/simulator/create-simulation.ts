import { createPublicKey } from "node:crypto";
import PQueue from "p-queue";
import { APP_EVENTS, APP_PERMISSIONS, DEFAULTS, type SimulatorOptions } from "./options.ts";
import { startClock } from "./state/clock.ts";
import { trackWork } from "./state/in-flight.ts";
import type { App, User } from "./state/nouns.ts";
import type { Simulation } from "./state/simulation.ts";
import { fairWeather } from "./state/weather.ts";

/** GitHub Actions' own id, the same for everyone. */
const ACTIONS_APP_ID = 15_368;

/** The app's key pair, as PEM. */
export interface Keys {
  readonly publicKey: string;
  readonly privateKey: string | null;
}

/** An empty GitHub on this port. */
export function createSimulation(options: SimulatorOptions, port: number, keys: Keys): Simulation {
  const clock = startClock();
  const queue = new PQueue({ concurrency: options.runners ?? DEFAULTS.runners });
  // Away from small numbers, so that an id is never taken for a pull request's number.
  let lastId = 10_000;
  const users = new Map<string, User>();
  const nextId = () => {
    lastId += 1;
    return lastId;
  };
  const addUser = (login: string, type: User["type"]): User => {
    const user = { id: nextId(), login, type };
    users.set(login.toLowerCase(), user);
    return user;
  };
  const slug = options.appSlug ?? DEFAULTS.appSlug;
  const app: App = {
    id: options.appId ?? DEFAULTS.appId,
    slug,
    name: slug,
    owner: addUser("app-owner", "User"),
    createdAt: clock.iso(),
    permissions: options.permissions ?? APP_PERMISSIONS,
    events: options.events ?? APP_EVENTS,
  };
  const github = addUser("github", "Organization");
  const actionsApp: App = { ...app, id: ACTIONS_APP_ID, slug: "github-actions", name: "GitHub Actions", owner: github };
  const html = `http://127.0.0.1:${port}`;
  return {
    app,
    bot: addUser(`${slug}[bot]`, "Bot"),
    actionsApp,
    publicKey: createPublicKey(keys.publicKey),
    privateKey: keys.privateKey,
    manifestCodes: new Set(),
    clock,
    nextId,
    urls: { html, api: `${html}/api/v3`, logs: `http://localhost:${port}` },
    folder: options.folder,
    toolPath: options.toolPath ?? DEFAULTS.toolPath,
    jobTimeoutMs: options.jobTimeoutMs ?? DEFAULTS.jobTimeoutMs,
    webhook: { url: options.webhookUrl ?? null, secret: options.webhookSecret },
    users,
    repositories: new Map(),
    installations: new Map(),
    tokens: new Map(),
    userTokens: new Map(),
    logLinks: new Map(),
    deliveries: [],
    requests: [],
    forcePushes: [],
    weather: fairWeather(clock.now),
    work: trackWork(),
    runners: async (job) => queue.add(job),
  };
}
