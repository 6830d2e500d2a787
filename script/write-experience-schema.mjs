// Writes experience-store/schema/ from the schema the store checks its lines with: run it after changing that.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = path.join(import.meta.dirname, "..");
const target = path.join(root, "experience-store/schema/experience-1.schema.json");
// Inside the repository, so that the bundle finds zod.
const folder = mkdtempSync(path.join(root, "node_modules/.schema-"));
try {
  const outfile = path.join(folder, "schema.mjs");
  await build({
    entryPoints: [path.join(root, "src/adapters/store/experience-schema.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    outfile,
  });
  const { lineJsonSchema } = await import(pathToFileURL(outfile).href);
  writeFileSync(target, `${JSON.stringify(lineJsonSchema(), null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
execFileSync(
  process.execPath,
  [path.join(root, "node_modules/@biomejs/biome/bin/biome"), "format", "--write", target],
  {
    stdio: "inherit",
  },
);
