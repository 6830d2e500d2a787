import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { ensureWritable } from "../src/compose-evidence.ts";
import { ConfigError } from "../src/config.ts";

const folder = mkdtempSync(path.join(tmpdir(), "data-folder-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("the data folder is made, for its owner alone", () => {
  const dataDir = path.join(folder, "a", "b");

  ensureWritable(dataDir);
  ensureWritable(dataDir);

  expect(statSync(dataDir).mode & 0o777).toBe(0o700);
});

it.each(["/proc/nope", "/proc/nope/deeper", path.join(folder, "file", "below")])(
  "a data folder that cannot be had is a mistake of configuration, at once: %s",
  (dataDir) => {
    writeFileSync(path.join(folder, "file"), "");

    expect(() => ensureWritable(dataDir)).toThrow(ConfigError);
  },
);
