import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { sqliteQueue } from "../../../src/adapters/queue/sqlite-queue.ts";
import { openDatabase } from "../../../src/adapters/store/database.ts";
import { queueContract } from "../../contracts/queue.ts";

const folder = mkdtempSync(path.join(tmpdir(), "queue-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
queueContract("SQLite", async () => sqliteQueue(openDatabase(path.join(folder, String(opened++)))));
