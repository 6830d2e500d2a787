import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Octokit } from "@octokit/rest";
import { afterAll, beforeAll } from "vitest";
import type { SimulatorOptions } from "../../src/simulator/options.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { appJwt } from "./app-jwt.ts";

/** Octokit logs every refusal, and here refusals are wanted. */
export const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

export interface Started {
  readonly simulator: Simulator;
  readonly folder: string;
  readonly jwt: string;
  /** A client with this token; with none, a client of nobody. */
  connect(auth?: string): Octokit;
  /** An installation token of that owner, with all permissions unless told. */
  token(
    owner: string,
    wish?: { permissions?: Record<string, "read" | "write">; repository_ids?: number[] },
  ): Promise<string>;
}

/** A simulator for the tests of one file, filled by `prepare` and closed after them. */
export function startForTests(
  prepare: (simulator: Simulator) => Promise<void>,
  options: Partial<SimulatorOptions> = {},
): Started {
  const started: { simulator?: Simulator; folder?: string; jwt?: string } = {};
  const get = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error("the simulator has not started yet");
    return value;
  };
  const connect = (auth?: string) =>
    new Octokit({ ...(auth === undefined ? {} : { auth }), baseUrl: get(started.simulator).apiUrl, log: QUIET });

  beforeAll(async () => {
    started.folder = await mkdtemp(path.join(tmpdir(), "simulator-"));
    started.simulator = await startSimulator({ folder: started.folder, webhookSecret: "secret", ...options });
    started.jwt = appJwt(started.simulator.appId, started.simulator.privateKey ?? "");
    await prepare(started.simulator);
  });
  afterAll(async () => {
    await started.simulator?.idle();
    await started.simulator?.close();
    if (started.folder) await rm(started.folder, { recursive: true, force: true });
  });

  return {
    get simulator() {
      return get(started.simulator);
    },
    get folder() {
      return get(started.folder);
    },
    get jwt() {
      return get(started.jwt);
    },
    connect,
    async token(owner, wish = {}) {
      const { data } = await connect(get(started.jwt)).request("GET /app/installations");
      const installation = data.find(
        ({ account }) => account !== null && "login" in account && account.login === owner,
      );
      const answer = await connect(get(started.jwt)).rest.apps.createInstallationAccessToken({
        installation_id: installation?.id ?? 0,
        ...wish,
      });
      return answer.data.token;
    },
  };
}
