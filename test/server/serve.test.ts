import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { sqliteQueue } from "../../src/adapters/queue/sqlite-queue.ts";
import { openDatabase } from "../../src/adapters/store/database.ts";
import { sqliteIncidentStore } from "../../src/adapters/store/incident-store.ts";
import { ensureBuilt, retrace } from "../e2e/command-line.ts";
import { SECRET, sendHook } from "./door.ts";
import { BUILT, isRunning, type Running, startServer, until } from "./process/running.ts";

const MAIN = path.join(BUILT, "main.js");
const SCRIPTED = path.join(import.meta.dirname, "process/serve-with-script.mjs");
const PRIVATE_KEY = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs1", format: "pem" },
}).privateKey;

let folder = "";
let env: Record<string, string> = {};
let running: Running[] = [];
beforeAll(ensureBuilt);
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "serve-"));
  // Nobody answers at port 9: GitHub is away.
  const github = { GHE_HOST: "127.0.0.1:9", GHE_PROTOCOL: "http" };
  env = { ...github, APP_ID: "7", PRIVATE_KEY, WEBHOOK_SECRET: SECRET, RETRACE_DATA_DIR: path.join(folder, "data") };
});
afterEach(async () => {
  for (const { child } of running) child.kill("SIGKILL");
  running = [];
  await sleep(50);
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function serveScripted(): Promise<Running> {
  const server = await startServer([SCRIPTED], { ...env, BUILT });
  running.push(server);
  return server;
}

async function serve(...words: readonly string[]): Promise<Running> {
  const server = await startServer([MAIN, "serve", ...words], env);
  running.push(server);
  return server;
}

function order(address: string, guid: string, doing: Record<string, unknown>): Promise<number> {
  return sendHook(address, JSON.stringify(doing), { "x-github-delivery": guid });
}

function notes(): readonly string[] {
  try {
    return readFileSync(path.join(folder, "data", "notes"), "utf8")
      .trim()
      .split("\n");
  } catch {
    return [];
  }
}

const noted = (line: string) => () => notes().includes(line);

/** What lies in the database while nobody serves it. */
async function kept(guid: string): Promise<{ readonly waiting: number; readonly unhandled: boolean }> {
  const database = openDatabase(path.join(folder, "data"));
  const { waiting, working } = await sqliteQueue(database).counts();
  const unhandled = (await sqliteIncidentStore(database).unhandledDeliveries()).includes(guid);
  database.close();
  return { waiting: waiting + working, unhandled };
}

describe("a running server", () => {
  it("leaves no command behind when it is killed, and goes on with its work after a restart", async () => {
    const script = `sleep 61.${process.pid}`;
    const first = await serveScripted();
    await order(first.address, "g1", { do: "sandbox", script });
    await until(10_000, () => isRunning(script));
    await sleep(1_500); // it lives on while the thread does
    expect(isRunning(script)).toBe(true);

    await first.end("SIGKILL");

    await until(5_000, () => !isRunning(script));
    const started = performance.now();
    await serveScripted();
    await until(15_000, noted("begin g1 try 2 failures 0 deaths 1"));
    expect(performance.now() - started).toBeLessThan(15_000);
  });

  it("ends its commands at SIGTERM within ten seconds, and gives the job back as no failure", async () => {
    const script = `sleep 62.${process.pid}`;
    const first = await serveScripted();
    await order(first.address, "g1", { do: "sandbox", script });
    await until(10_000, () => isRunning(script));
    const asked = performance.now();

    const code = await first.end("SIGTERM");

    expect(code).toBe(0);
    expect(performance.now() - asked).toBeLessThan(10_000);
    expect(isRunning(script)).toBe(false);
    expect(await kept("g1")).toEqual({ waiting: 1, unhandled: true });
    await serveScripted();
    await until(15_000, noted("begin g1 try 2 failures 0 deaths 0"));
  });

  it("answers within 200 ms while its worker is busy", async () => {
    const server = await serveScripted();
    await order(server.address, "busy", { do: "busy", ms: 8_000 });
    await until(15_000, noted("begin busy try 1 failures 0 deaths 0"));

    const times: number[] = [];
    for (let n = 0; n < 10; n++) {
      const from = performance.now();
      expect(await order(server.address, `g${n}`, { do: "quick" })).toBe(202);
      times.push(performance.now() - from);
    }

    expect(noted("end busy")()).toBe(false);
    expect(times.sort((a, b) => a - b)[5]).toBeLessThan(200);
    await until(20_000, noted("end g9"));
  });

  it("ends with an error when its worker dies", async () => {
    const server = await serveScripted();
    await order(server.address, "g1", { do: "die" });

    const [code] = await new Promise<[number | null]>((resolve) =>
      server.child.once("exit", (value) => resolve([value])),
    );

    expect(code).toBe(1);
    expect(server.logged()).toMatch(/"code":7,.*"the worker thread ended"/);
  });

  it("keeps deliveries without a worker, and handles them once there is one; its log repeats nothing of them", async () => {
    const door = await serve("--no-worker");
    const body = JSON.stringify({ zen: "payload-of-somebody", hook: { config: { secret: "not-for-logs" } } });
    const status = await sendHook(door.address, body, { "x-github-event": "ping" });
    const code = await door.end("SIGTERM");
    const before = await kept("guid-1");

    env = { ...env, LOG_LEVEL: "trace" };
    const whole = await serve();
    await until(20_000, async () => (whole.logged().includes('"msg":"job done"') ? true : null));
    const ended = await whole.end("SIGTERM");

    expect([status, code, ended]).toEqual([202, 0, 0]);
    expect(before).toEqual({ waiting: 1, unhandled: true });
    expect(await kept("guid-1")).toEqual({ waiting: 0, unhandled: false });
    expect(door.logged() + whole.logged()).not.toMatch(/payload-of-somebody|not-for-logs|sha256=|eyJ|PRIVATE KEY/);
    expect(door.logged() + whole.logged()).not.toContain(SECRET);
  });

  it("says on one line each what is missing, and ends with 3", async () => {
    const ran = await retrace(["serve"], { env: { RETRACE_DATA_DIR: folder, PORT: "99999" } });

    expect(ran.code).toBe(3);
    expect(ran.stdout).toBe("");
    expect(
      ran.stderr
        .trim()
        .split("\n")
        .map((line) => line.split(" ").slice(0, 2).join(" ")),
    ).toEqual(["retrace: APP_ID", "retrace: PRIVATE_KEY", "retrace: WEBHOOK_SECRET", "retrace: PORT"]);
  });

  it.each<[string, () => Record<string, string>, RegExp]>([
    ["a key that is none", () => ({ PRIVATE_KEY: "-----BEGIN nothing" }), /^retrace: PRIVATE_KEY: .*PEM/],
    ["a data folder that cannot be", () => ({ RETRACE_DATA_DIR: "/dev/null/data" }), /^retrace: RETRACE_DATA_DIR: /],
    ["an address of another machine", () => ({ HOST: "192.0.2.1" }), /^retrace: HOST and PORT: .*no such address/],
  ])("does not start with %s", async (_, changes, line) => {
    const ran = await retrace(["serve"], { env: { ...env, ...changes() } });

    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code: 3, stdout: "" });
    expect(ran.stderr).toMatch(line);
    expect(ran.stderr.trim().split("\n")).toHaveLength(1);
  });

  it("does not start where somebody else listens, and takes over nothing", async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) =>
      other.listen(0, "127.0.0.1", () => resolve((other.address() as { port: number }).port)),
    );
    try {
      const ran = await retrace(["serve"], { env: { ...env, PORT: String(port) } });

      expect(ran.code).toBe(3);
      expect(ran.stderr).toBe(
        `retrace: HOST and PORT: cannot listen on 127.0.0.1:${port}: something else listens there\n`,
      );
    } finally {
      other.close();
    }
  });
});
