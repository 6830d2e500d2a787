import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Files, type LogStep, writeFiles } from "./clones.ts";

export interface ToolCase {
  readonly name: string;
  readonly files: () => Files;
  /** The steps of the job after its checkout; the last one fails. */
  readonly steps: readonly LogStep[];
  /** What each repaired file must hold; no other file may change. */
  readonly fixed: Readonly<Record<string, string>>;
}

// Nothing here needs a registry; npm would otherwise ask one for advisories and news.
const NPMRC = "audit=false\nfund=false\nupdate-notifier=false\noffline=true\n";

/** Repositories that are red by something a tool mends, each of them small and with everything it needs inside. */
export const CASES: readonly ToolCase[] = [
  {
    name: "a formatting failure whose tool comes from npm ci",
    files: unformatted,
    steps: [{ run: "npm ci" }, { run: "npm run style" }],
    fixed: { "src/shelf.js": "export const full = (shelf) => shelf.books.length >= shelf.room;\n" },
  },
  {
    name: "a generated file that was not made anew",
    files: () => ({
      "script/make-index.mjs": `import { readdirSync, readFileSync, writeFileSync } from "node:fs";
const books = readdirSync("books").sort().map((file) => JSON.parse(readFileSync(\`books/\${file}\`, "utf8")));
writeFileSync("docs/index.md", books.map(({ title }) => \`- \${title}\\n\`).join(""));
`,
      "books/atlas.json": '{ "title": "An Atlas of Moss" }\n',
      "books/rope.json": '{ "title": "Rope and Knots" }\n',
      "docs/index.md": "- An Atlas of Moss\n",
    }),
    steps: [{ run: "node script/make-index.mjs" }, { run: "git diff --exit-code" }],
    fixed: { "docs/index.md": "- An Atlas of Moss\n- Rope and Knots\n" },
  },
  {
    name: "a lock file out of step with the manifest",
    files: outOfStep,
    steps: [{ run: "npm ci" }],
    fixed: { "package-lock.json": '"packages/sizes"' },
  },
];

/** A package whose test is right and whose code is not. `extra` is printed by the failing test. */
export function wrongSum(extra = ""): Files {
  return {
    "package.json": json({ name: "shelf", private: true, type: "module", scripts: { test: "node --test" } }),
    "src/shelf.js": "export const left = (shelf) => shelf.room + shelf.used;\n",
    "src/shelf.test.js": `import assert from "node:assert/strict";
import { it } from "node:test";
import { left } from "./shelf.js";

it("says how much room is left", () => {
  assert.equal(left({ room: 7, used: 3 }), 4${extra === "" ? "" : `, ${JSON.stringify(extra)}`});
});
`,
  };
}

/** The same, with a file that is not formatted; its formatter comes from \`npm ci\`. */
export function wrongSumUnformatted(): Files {
  const files = unformatted();
  const sum = wrongSum();
  const scripts = { style: "prettier --check src", test: "node --test" };
  const devDependencies = { prettier: "file:tool/prettier.tgz" };
  const manifest = { name: "shelf", private: true, type: "module", scripts, devDependencies };
  return {
    ...files,
    "src/left.js": sum["src/shelf.js"] ?? "",
    "src/left.test.js": String(sum["src/shelf.test.js"]).replace("./shelf.js", "./left.js"),
    "package.json": json(manifest),
  };
}

/** A job with these steps. */
export function workflowOf(steps: readonly LogStep[], runner = "ubuntu-latest"): string {
  const lines = steps.flatMap((step) => [
    "      - run: |",
    ...step.run.split("\n").map((line) => `          ${line}`),
    ...(step.always === true ? ["        if: always()"] : []),
    ...(step.in === undefined ? [] : [`        working-directory: ${step.in}`]),
  ]);
  return [
    "name: CI",
    "on: [push]",
    "jobs:",
    "  check:",
    `    runs-on: ${runner}`,
    "    steps:",
    "      - uses: actions/checkout@v4",
    ...lines,
    "",
  ].join("\n");
}

function unformatted(): Files {
  const files = {
    ".npmrc": NPMRC,
    ".gitignore": "node_modules/\n",
    "tool/prettier.tgz": packPrettier(),
    "package.json": json({
      name: "shelf",
      private: true,
      scripts: { style: "prettier --check src" },
      devDependencies: { prettier: "file:tool/prettier.tgz" },
    }),
    "src/shelf.js": "export const full = shelf => shelf.books.length>=shelf.room\n",
    "src/book.js": "export const long = (book) => book.pages > 500;\n",
  };
  return { ...files, "package-lock.json": lockOf(files) };
}

function outOfStep(): Files {
  const labels = { "packages/labels/package.json": json({ name: "labels", version: "1.0.0" }) };
  const before = { ".npmrc": NPMRC, ...labels, "package.json": manifest({ labels: "file:packages/labels" }) };
  return {
    ...before,
    ".gitignore": "node_modules/\n",
    "packages/sizes/package.json": json({ name: "sizes", version: "1.0.0" }),
    "package-lock.json": lockOf(before),
    "package.json": manifest({ labels: "file:packages/labels", sizes: "file:packages/sizes" }),
  };
}

function manifest(dependencies: Readonly<Record<string, string>>): string {
  return json({ name: "shelf", version: "1.0.0", private: true, dependencies });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** The lock file npm itself writes for a package. */
function lockOf(files: Files): string {
  return inFolder((folder) => {
    writeFiles(folder, files);
    npm(folder, "install", "--package-lock-only", "--ignore-scripts");
    return readFileSync(path.join(folder, "package-lock.json"), "utf8");
  });
}

let packed: Buffer | null = null;

/** The prettier of our own development dependencies as a package file, so that installing it needs no registry. */
function packPrettier(): Buffer {
  packed ??= inFolder((folder) => {
    const from = path.resolve(import.meta.dirname, "../../node_modules/prettier");
    const said = npm(folder, "pack", from, "--ignore-scripts", "--json");
    const [{ filename }] = JSON.parse(said);
    return readFileSync(path.join(folder, filename));
  });
  return packed;
}

function npm(cwd: string, ...args: string[]): string {
  return execFileSync("npm", args, { cwd, encoding: "utf8", stdio: "pipe" });
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(path.join(tmpdir(), "shelf-"));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
