import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const SRC = path.join(import.meta.dirname, "../src");

const STAGES = ["intake", "evidence", "problems", "experience", "repair", "validate", "publish"];
const BELOW_STAGES = ["agent", "tools", "ports", "domain", "text"];
const BELOW_DOORS = ["pipeline", ...STAGES, ...BELOW_STAGES];
const COMPOSED = [
  "compose.ts",
  "compose-learn.ts",
  "compose-experience.ts",
  "compose-app.ts",
  "compose-github.ts",
  "compose-evidence.ts",
  "config.ts",
];

/** Which rooms a room may import, besides itself. Imports for types count. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  text: [],
  domain: ["text"],
  ports: ["domain", "text"],
  tools: ["ports", "domain", "text"],
  agent: ["tools", "ports", "domain", "text"],
  ...Object.fromEntries(STAGES.map((stage) => [stage, BELOW_STAGES])),
  pipeline: [...STAGES, ...BELOW_STAGES],
  adapters: ["ports", "domain", "text"],
  cli: [...BELOW_DOORS, "server", ...COMPOSED],
  server: [...BELOW_DOORS, ...COMPOSED],
  dashboard: [...BELOW_DOORS, ...COMPOSED],
  bench: [...BELOW_DOORS, ...COMPOSED],
  // It stands in for GitHub: it must not share a line of judgement with what it tests.
  simulator: ["text"],
  "config.ts": ["domain", "ports", "text"],
  "compose-evidence.ts": ["adapters", "config.ts", ...STAGES, ...BELOW_STAGES],
  "compose.ts": [
    "adapters",
    "pipeline",
    "compose-evidence.ts",
    "compose-experience.ts",
    "config.ts",
    ...STAGES,
    ...BELOW_STAGES,
  ],
  "compose-experience.ts": ["adapters", "compose-evidence.ts", "config.ts", ...BELOW_STAGES],
  "compose-learn.ts": [
    "adapters",
    "pipeline",
    "compose-evidence.ts",
    "compose-experience.ts",
    "config.ts",
    ...STAGES,
    ...BELOW_STAGES,
  ],
  "compose-github.ts": ["adapters", "ports"],
  "compose-app.ts": [
    "adapters",
    "pipeline",
    "compose.ts",
    "compose-experience.ts",
    "compose-learn.ts",
    "config.ts",
    ...STAGES,
    ...BELOW_STAGES,
  ],
  "main.ts": ["cli"],
};

interface Import {
  readonly from: string;
  readonly to: string;
}

function sourceFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(full);
    return entry.name.endsWith(".ts") ? [full] : [];
  });
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g);
  return [...found].map((match) => ({
    from: path.relative(SRC, file),
    to: path.relative(SRC, path.resolve(path.dirname(file), match[1] ?? "")),
  }));
}

const files = sourceFiles(SRC);
const imports = files.flatMap(importsOf);
const room = (file: string): string => file.split(path.sep)[0] ?? file;

describe("the architecture", () => {
  it("has a row for every room", () => {
    const unknown = files.map((file) => room(path.relative(SRC, file))).filter((name) => !(name in MAY_IMPORT));

    expect([...new Set(unknown)]).toEqual([]);
  });

  it("lets every room import only what lies below it", () => {
    const wrong = imports.filter(
      ({ from, to }) => room(from) !== room(to) && !(MAY_IMPORT[room(from)] ?? []).includes(room(to)),
    );

    expect(wrong).toEqual([]);
  });

  it("has no circle of imports", () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of imports) next.set(from, [...(next.get(from) ?? []), to]);
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (file: string, trail: readonly string[]): void => {
      if (trail.includes(file)) circles.push([...trail.slice(trail.indexOf(file)), file].join(" → "));
      if (done.has(file) || trail.includes(file)) return;
      for (const target of next.get(file) ?? []) walk(target, [...trail, file]);
      done.add(file);
    };

    for (const file of next.keys()) walk(file, []);

    expect(circles).toEqual([]);
  });

  it("reads the environment in config.ts only", () => {
    const readers = files
      .filter((file) => /\bprocess\s*(?:\.env|\[\s*"env")/.test(readFileSync(file, "utf8")))
      .map((file) => path.relative(SRC, file));

    expect(readers.filter((file) => file !== "config.ts")).toEqual([]);
  });

  it("takes time, chance and ids from the world port only", () => {
    const askers = files
      .filter((file) =>
        /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandomUUID\(|\brandomBytes\(/.test(readFileSync(file, "utf8")),
      )
      .map((file) => path.relative(SRC, file));

    // The simulator stands in for another machine, with a clock of its own.
    expect(askers.filter((file) => file !== path.join("adapters", "world.ts") && room(file) !== "simulator")).toEqual(
      [],
    );
  });
});
