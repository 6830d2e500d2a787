import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { openDatabase } from "../../../src/adapters/store/database.ts";
import { sqliteIncidentStore } from "../../../src/adapters/store/incident-store.ts";
import { incidentStoreContract } from "../../contracts/incident-store.ts";
import { anIncident } from "../../fakes/incident.ts";

const folder = mkdtempSync(path.join(tmpdir(), "incidents-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let opened = 0;
incidentStoreContract("SQLite", async () => sqliteIncidentStore(openDatabase(path.join(folder, String(opened++)))));

it("the database keeps what it held when it is opened again", async () => {
  const place = path.join(folder, "again");
  const before = sqliteIncidentStore(openDatabase(place));
  await before.openIncident("7:aaaa", () => anIncident());
  await before.close();

  const after = sqliteIncidentStore(openDatabase(place));

  expect(await after.incidentByKey("7:aaaa")).toEqual(anIncident());
  await after.close();
});
