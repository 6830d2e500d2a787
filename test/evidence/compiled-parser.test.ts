import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";

const ROOT = path.join(import.meta.dirname, "../..");

it("the workflow parser loads under plain Node, where no bundler reads its JSON for it", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "parser-"));
  try {
    symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    const outfile = path.join(folder, "read-workflow.mjs");
    const entryPoints = [path.join(ROOT, "src/evidence/read-workflow.ts")];
    buildSync({
      entryPoints,
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      outfile,
      logLevel: "error",
    });
    const script = `const { readWorkflow } = await import(${JSON.stringify(outfile)});
      const workflow = await readWorkflow("ci.yml", "on: push\\njobs:\\n  a:\\n    runs-on: x\\n    steps: [{ run: ls, wit: 1 }]\\n");
      console.log(JSON.stringify(workflow.errors));`;
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });

    expect(JSON.parse(said)).toEqual([{ message: "Unexpected value 'wit'", line: 5, col: 24 }]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
