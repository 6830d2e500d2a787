import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { fileExperienceStore } from "../../src/adapters/store/experience-store.ts";
import { systemWorld } from "../../src/adapters/world.ts";
import { countJob, countUses } from "../../src/pipeline/app-learning.ts";
import { anL1 } from "../fakes/experience.ts";
import { anIncident } from "../fakes/incident.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "count-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NOW = new Date("2026-06-01T00:00:00Z");

it("counts how repairs ended for the records that had a part in them, and puts a harmful one aside", async () => {
  const openMemory = () => fileExperienceStore(folder);
  const memory = openMemory();
  await memory.append([anL1()]);
  await memory.close();
  const parts = {
    world: systemWorld(),
    learning: { openMemory, partsFor: () => Promise.reject(new Error("not asked")) as never },
  };

  for (const ended of ["won", "lost", "lost", "lost", "lost", "lost", "lost"] as const) {
    await countUses({ records: ["exp_1", "exp_gone"], ended }, parts);
  }

  const after = openMemory();
  expect((await after.get("exp_1"))?.meta).toMatchObject({ wins: 1, losses: 6, status: "quarantined" });
  await after.close();
});

it("leaves records out that gave nothing", () => {
  const use = { id: "exp_1", level: "L1", pr: 1, problem: "p1" } as const;
  const with_ = (contributed: string | null) => {
    const incident = anIncident();
    return { ...incident, outcome: { guidance: [{ ...use, contributed }] } as never };
  };

  expect(countJob(with_(null), "won", NOW)).toBeNull();
  expect(countJob(with_("pointed to a.ts"), "won", NOW)?.data).toEqual({ records: ["exp_1"], ended: "won" });
});
