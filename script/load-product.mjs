// The product's own modules for a measurement: bundled from `contents` (a module of exports), loaded, and taken away.
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

export async function loadProduct(root, contents) {
  const out = mkdtempSync(path.join(root, "node_modules", ".measure-"));
  const outfile = path.join(out, "product.mjs");
  try {
    await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      platform: "node",
      format: "esm",
      packages: "external",
      outfile,
      logLevel: "error",
    });
    // Prompts are read from beside their modules: in a bundle that is beside the bundle.
    for (const file of readdirSync(path.join(root, "src"), { recursive: true })) {
      if (file.endsWith(".md")) copyFileSync(path.join(root, "src", file), path.join(out, path.basename(file)));
    }
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
