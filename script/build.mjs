// Compiles src to dist and copies the prompts and data files beside their modules. Run by npm's `prepare`.
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const compiler = path.join(root, "node_modules", "typescript", "bin", "tsc");
if (!existsSync(compiler)) {
  console.error("build: TypeScript is not installed (development dependencies were left out); dist is left as it is");
  process.exit(0);
}
rmSync(path.join(root, "dist"), { recursive: true, force: true });
execFileSync(process.execPath, [compiler, "-p", path.join(root, "tsconfig.build.json")], { stdio: "inherit" });
cpSync(path.join(root, "src"), path.join(root, "dist"), {
  recursive: true,
  filter: (source) => !source.endsWith(".ts"),
});
chmodSync(path.join(root, "dist", "main.js"), 0o755);
