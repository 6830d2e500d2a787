// What the scripts that measure the evidence stage run: the sources as they are now, bundled into node_modules.
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

const root = path.dirname(import.meta.dirname);

const STAGE = `export { collectEvidence } from "./src/evidence/collect.ts";
  export { readCheckOutput } from "./src/evidence/check-output.ts";
  export { readStep } from "./src/evidence/read-step.ts";
  export { renderExplanation } from "./src/evidence/render-explanation.ts";
  export { renderGraph } from "./src/evidence/render-graph.ts";
  export { renderMarkdown } from "./src/evidence/render-markdown.ts";
  export { toEvidenceDocument } from "./src/evidence/to-json.ts";
  export { GreenLines } from "./src/evidence/subtract.ts";
  export { openLogs } from "./src/adapters/logs/open-logs.ts";
  export { TOOLS } from "./src/tools/tools.ts";
  export { readGeneric } from "./src/tools/generic.ts";
  export { NO_FACTS } from "./src/tools/resolve-command.ts";`;

/** The evidence stage with its log sources and readers, as a module. */
export async function loadEvidence() {
  const folder = mkdtempSync(path.join(root, "node_modules", ".evidence-"));
  try {
    const outfile = path.join(folder, "evidence.mjs");
    await bundle({ stdin: { contents: STAGE, resolveDir: root }, outfile });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The command line as files that node runs; `remove` takes it away again. */
export async function bundleCommandLine() {
  const folder = mkdtempSync(path.join(root, "node_modules", ".evidence-"));
  const file = path.join(folder, "main.mjs");
  // Split, as the sources are: a command loads no more than it needs.
  const entryPoints = { main: path.join(root, "src/main.ts") };
  await bundle({ entryPoints, splitting: true, outdir: folder, outExtension: { ".js": ".mjs" } });
  // Engines read their prompts from beside their modules, as soon as they are loaded.
  for (const name of readdirSync(path.join(root, "src"), { recursive: true })) {
    if (name.endsWith(".md")) copyFileSync(path.join(root, "src", name), path.join(folder, path.basename(name)));
  }
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

async function bundle(options) {
  await build({
    ...options,
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "error",
  });
}
