import { createHmac } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { sqliteQueue } from "../../src/adapters/queue/sqlite-queue.ts";
import { openDatabase } from "../../src/adapters/store/database.ts";
import { sqliteIncidentStore } from "../../src/adapters/store/incident-store.ts";
import { systemWorld } from "../../src/adapters/world.ts";
import type { IncidentStore } from "../../src/ports/incident-store.ts";
import type { Queue } from "../../src/ports/queue.ts";
import { closeDoor, createDoor, type DoorParts, listen } from "../../src/server/http.ts";
import { openLog } from "../../src/server/log.ts";

export const SECRET = "the secret of the hooks";

export interface Opened {
  readonly address: string;
  readonly store: IncidentStore;
  readonly queue: Queue;
  readonly logged: () => string;
  close(): Promise<void>;
}

/** A door on a free port of this machine, with a database of its own. */
export async function openDoor(changes: Partial<DoorParts> = {}): Promise<Opened> {
  const folder = mkdtempSync(path.join(tmpdir(), "door-"));
  const database = openDatabase(folder);
  const store = sqliteIncidentStore(database);
  const queue = sqliteQueue(database);
  let logged = "";
  const log = openLog("trace", {
    write: (line) => {
      logged += line;
    },
  });
  const door = createDoor({
    store,
    queue,
    world: systemWorld(),
    log,
    webhookSecret: SECRET,
    adminToken: null,
    onJob: () => {},
    readiness: async () => ({ ready: true, checks: { store: "ok" } }),
    ...changes,
  });
  return {
    address: await listen(door, 0, "127.0.0.1"),
    store,
    queue,
    logged: () => logged,
    close: async () => {
      await closeDoor(door, 0);
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function sign(body: string, secret = SECRET): string {
  return `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`;
}

/** Headers as GitHub sends them. A null takes one away. */
export function hookHeaders(
  body: string,
  changes: Readonly<Record<string, string | null>> = {},
): Record<string, string> {
  const headers = {
    "content-type": "application/json",
    "x-github-event": "workflow_run",
    "x-github-delivery": "guid-1",
    "x-hub-signature-256": sign(body),
    ...changes,
  };
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

export async function sendHook(
  address: string,
  body: string,
  changes: Readonly<Record<string, string | null>> = {},
): Promise<number> {
  const answer = await fetch(`${address}/api/github/webhooks`, {
    method: "POST",
    headers: hookHeaders(body, changes),
    body,
  });
  await answer.text();
  return answer.status;
}
