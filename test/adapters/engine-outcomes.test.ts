import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { fileEngineOutcomes } from "../../src/adapters/store/engine-outcomes.ts";
import type { EngineOutcome } from "../../src/domain/engine-outcome.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const outcome = (told: Partial<EngineOutcome>): EngineOutcome => ({
  id: "inc1 p1",
  at: "2026-01-01T00:00:00.000Z",
  engine: "base",
  category: "linting",
  experience: true,
  usd: null,
  success: true,
  by: "ci",
  ...told,
});

describe("the outcomes of engines", () => {
  it("are kept in order, the newest word on each standing", async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "outcomes-"));
    folders.push(folder);
    const store = fileEngineOutcomes(path.join(folder, "data"));
    const [first, other, merged] = [
      outcome({}),
      outcome({ engine: "fixagent", success: false }),
      outcome({ by: "merge" }),
    ];

    expect(await store.list()).toEqual([]);
    await store.add([first, other]);
    await store.add([merged]);
    appendFileSync(path.join(folder, "data/engine-outcomes.jsonl"), '{"id":"cut');

    expect(await fileEngineOutcomes(path.join(folder, "data")).list()).toEqual([merged, other]);
  });
});
