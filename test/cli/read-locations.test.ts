import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readLocations } from "../../src/cli/read-locations.ts";

const folder = mkdtempSync(path.join(tmpdir(), "locations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(text: string): string {
  const name = path.join(folder, "places.json");
  writeFileSync(name, text);
  return name;
}

describe("labelled places", () => {
  it("are lines, spans, and places where code is missing", async () => {
    const given = [
      { file: "a.ts", line: 3 },
      { file: "b.py", start: 4, end: 9 },
      { file: "c.go", after: 5 },
    ];

    expect(await readLocations(file(JSON.stringify(given)), "line")).toEqual([
      { file: "a.ts", range: { start: 3, end: 3 } },
      { file: "b.py", range: { start: 4, end: 9 } },
      { file: "c.go", range: { start: 5, end: 5 }, insertion: true },
    ]);
  });

  it("are none where CI says where to look", async () => {
    expect(await readLocations(undefined, "ci")).toEqual([]);
  });

  it.each(["", "{}", "[]", '[{"file":"a.ts"}]', '[{"file":"a.ts","line":0}]', '[{"file":"a.ts","line":1,"x":1}]'])(
    "are refused as %j, in one line",
    async (text) => {
      await expect(readLocations(file(text), "line")).rejects.toThrow(/^--locations: [^\n]+$/);
    },
  );
});
