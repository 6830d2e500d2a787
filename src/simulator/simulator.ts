import { generateKeyPairSync, randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import path from "node:path";
import { createSimulation } from "./create-simulation.ts";
import { deliver, redeliver } from "./events/deliver-webhook.ts";
import { openServer } from "./http/serve.ts";
import { type Inspection, inspectionOf } from "./inspection.ts";
import { DEFAULTS, type SimulatorOptions } from "./options.ts";
import { type People, peopleOf } from "./people.ts";
import type { Clock } from "./state/clock.ts";
import type { Delivery } from "./state/nouns.ts";
import { type Simulation, userNamed } from "./state/simulation.ts";
import type { Weather } from "./state/weather.ts";

/** Where the server is and how the app under test logs in. */
export interface Simulator extends People, Inspection {
  readonly appId: number;
  readonly appSlug: string;
  /** PEM; null when the public key was given. */
  readonly privateKey: string | null;
  /** `127.0.0.1:<port>`, for GHE_HOST with GHE_PROTOCOL=http. */
  readonly host: string;
  readonly apiUrl: string;
  readonly clock: Clock;
  readonly weather: Weather;
  sendWebhooksTo(url: string): void;
  /** Sends any payload as a webhook, signed. */
  deliver(event: string, payload: Readonly<Record<string, unknown>>): Delivery;
  /** The same bytes and GUID once more. Throws when no delivery has that GUID. */
  redeliver(guid: string): Delivery;
  /** What GitHub hands to the browser at the end of the manifest flow: a code good for one conversion. */
  manifestCode(): string;
  /** A personal token, for what a person does through the API or git. */
  userToken(login: string): string;
  /** Resolves when no run and no delivery is in flight. Rejects when the simulator itself went wrong. */
  idle(): Promise<void>;
  /** Cancels what runs, closes the port, removes its files. */
  close(): Promise<void>;
}

/**
 * Starts a stand-in for GitHub on 127.0.0.1: REST, GraphQL and git over HTTP, workflow runs that really run, signed
 * webhooks. For tests, demos and benchmarks: it executes the workflows of its own repositories with the rights of the
 * process that started it, so no one else's code belongs in them.
 */
export async function startSimulator(options: SimulatorOptions): Promise<Simulator> {
  let simulation: Simulation | null = null;
  const { server, port } = await openServer(options.port ?? DEFAULTS.port, () => {
    if (simulation === null) throw new Error("a request came before the simulator was ready");
    return simulation;
  });
  const keys = options.appPublicKey === undefined ? makeKeys() : { publicKey: options.appPublicKey, privateKey: null };
  simulation = createSimulation(options, port, keys);
  return { ...simulatorOf(simulation, server), ...peopleOf(simulation), ...inspectionOf(simulation) };
}

function simulatorOf(simulation: Simulation, server: Server): Omit<Simulator, keyof People | keyof Inspection> {
  return {
    appId: simulation.app.id,
    appSlug: simulation.app.slug,
    privateKey: simulation.privateKey,
    host: new URL(simulation.urls.html).host,
    apiUrl: simulation.urls.api,
    clock: simulation.clock,
    weather: simulation.weather,
    sendWebhooksTo(url) {
      simulation.webhook.url = url;
    },
    deliver: (event, payload) => deliver(simulation, event, payload, { repository: null, installation: null }),
    redeliver(guid) {
      const delivery = redeliver(simulation, guid);
      if (delivery === null) throw new Error(`no delivery has the GUID ${guid}`);
      return delivery;
    },
    manifestCode() {
      const code = randomUUID();
      simulation.manifestCodes.add(code);
      return code;
    },
    userToken(login) {
      const token = `ghp_${randomUUID().replaceAll("-", "")}`;
      simulation.userTokens.set(token, userNamed(simulation, login));
      return token;
    },
    idle: simulation.work.idle,
    async close() {
      for (const { runs } of simulation.repositories.values())
        for (const run of runs) run.attempts.at(-1)?.stop.abort();
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await simulation.work.idle().catch(() => {}); // told by the test's own idle(), not at the end
      for (const name of ["repositories", "jobs"]) {
        await rm(path.join(simulation.folder, name), { recursive: true, force: true, maxRetries: 3 });
      }
    },
  };
}

function makeKeys(): { publicKey: string; privateKey: string } {
  return generateKeyPairSync("rsa", {
    modulusLength: 2048,
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  });
}
