// The product's own functions for scripts that measure them: bundled from source, so that nothing has to be built first.
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

export const root = path.dirname(import.meta.dirname);

/** `contents`: a module that exports what is wanted, its imports written from the root of the checkout. */
export async function loadProduct(contents) {
  // Below node_modules, where packages are found.
  const out = mkdtempSync(path.join(root, "node_modules", ".script-"));
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
    for (const room of ["agent", "experience"]) {
      for (const file of readdirSync(path.join(root, "src", room), { recursive: true })) {
        if (file.endsWith(".md")) copyFileSync(path.join(root, "src", room, file), path.join(out, path.basename(file)));
      }
    }
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
