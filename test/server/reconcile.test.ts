import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { appHookDeliveries } from "../../src/adapters/github/hook-deliveries.ts";
import { probotGitHub } from "../../src/adapters/github/probot-github.ts";
import { systemWorld } from "../../src/adapters/world.ts";
import { openLog } from "../../src/server/log.ts";
import { missed, type ReconcileParts, reconcile } from "../../src/server/reconcile.ts";
import { type Simulator, startSimulator } from "../../src/simulator/simulator.ts";
import { type Opened, openDoor, SECRET } from "./door.ts";

let folder = "";
let github: Simulator;
let door: Opened;
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), "reconcile-"));
  github = await startSimulator({ folder, webhookSecret: SECRET });
  door = await openDoor();
});
afterEach(async () => {
  await door.close();
  await github.close();
  rmSync(folder, { recursive: true, force: true });
});

function parts(apiUrl: string): ReconcileParts & { readonly logged: () => string } {
  let logged = "";
  const log = openLog("info", {
    write: (line) => {
      logged += line;
    },
  });
  const app = { appId: String(github.appId), privateKey: github.privateKey ?? "", webhookSecret: SECRET };
  const { probot } = probotGitHub({ ...app, apiUrl, throttle: false, log });
  return { hooks: appHookDeliveries(probot), store: door.store, world: systemWorld(), log, logged: () => logged };
}

describe("what was missed", () => {
  it("is asked for again, once for each delivery, and arrives", async () => {
    github.sendWebhooksTo("http://127.0.0.1:9/nobody");
    const lost = github.deliver("ping", { zen: "lost" });
    await github.idle();
    github.sendWebhooksTo(`${door.address}/api/github/webhooks`);
    github.deliver("ping", { zen: "arrived" });
    await github.idle();
    const before = github.deliveries().length;

    await reconcile(parts(github.apiUrl));
    await github.idle();
    await reconcile(parts(github.apiUrl));
    await github.idle();

    expect(await door.store.delivery(lost.guid)).toMatchObject({ event: "ping" });
    expect(github.deliveries().length).toBe(before + 1);
  });

  it("is a warning where the host has no such list", async () => {
    const asking = parts(`${github.apiUrl}/nowhere`);

    await reconcile(asking);

    expect(asking.logged()).toContain("missed deliveries could not be asked for");
  });

  it("is the newest attempt of each delivery that never arrived, oldest first", () => {
    const attempt = (id: string, guid: string, arrived: boolean) => ({ id, guid, arrived, deliveredAt: "" });

    expect(
      missed([
        attempt("5", "c", false),
        attempt("4", "a", true),
        attempt("3", "b", false),
        attempt("2", "b", false),
        attempt("1", "a", false),
      ]),
    ).toEqual([attempt("3", "b", false), attempt("5", "c", false)]);
  });
});
