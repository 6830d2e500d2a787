import path from "node:path";

interface Imports {
  readonly extensions: RegExp;
  /** Modules that a text names. */
  readonly names: RegExp;
  /** Files that such a module may be, seen from the file that names it. */
  readonly files: (module: string, from: string) => readonly string[];
}

const SCRIPT_ENDINGS = [
  "",
  ".ts",
  ".tsx",
  ".mts",
  ".js",
  ".mjs",
  ".cjs",
  ".jsx",
  "/index.ts",
  "/index.tsx",
  "/index.js",
];

const IMPORTS: readonly Imports[] = [
  {
    extensions: /\.[cm]?[jt]sx?$|\.(?:vue|svelte)$/,
    names: /(?:\bfrom|\bimport|\brequire\(|\bimport\(|\bmock\()\s*["'](\.[^"'\n]+)["']/g,
    files: (module, from) => {
      const base = beside(from, module);
      // TypeScript writes the name of what is built.
      const bases = [base, base.replace(/\.([cm]?)jsx?$/, ".$1ts"), base.replace(/\.jsx?$/, ".tsx")];
      return bases.flatMap((one) => SCRIPT_ENDINGS.map((ending) => one + ending));
    },
  },
  {
    extensions: /\.pyi?$/,
    names: /^[ \t]*(?:from[ \t]+([\w.]+[ \t]+import[ \t]+[\w, \t(]+)|import[ \t]+[\w.]+)/gm,
    files: pythonFiles,
  },
  {
    extensions: /\.(?:java|kt|scala|groovy)$/,
    names: /^\s*import\s+(?:static\s+)?([\w.]+)/gm,
    files: (module) => {
      const parts = module.split(".");
      const names = [parts.join("/"), parts.slice(0, -1).join("/")].filter((name) => name.includes("/"));
      return names.flatMap((name) => ["java", "kt", "scala", "groovy"].map((ending) => `**/${name}.${ending}`));
    },
  },
  {
    extensions: /\.rb$/,
    names: /^\s*require(?:_relative)?\s*\(?["']([^"'\n]+)["']/gm,
    files: (module, from) => [`${beside(from, module)}.rb`, `lib/${module}.rb`, `app/${module}.rb`, `${module}.rb`],
  },
  {
    extensions: /\.rs$/,
    names: /\buse\s+(?:crate|super|self|\w+)::([\w:]+)/g,
    files: (module) => {
      const parts = module.split("::");
      const roads = parts.map((_, at) => parts.slice(0, at + 1).join("/"));
      return ["src/lib.rs", ...roads.flatMap((road) => [`src/${road}.rs`, `src/${road}/mod.rs`])];
    },
  },
  {
    extensions: /\.(?:c|cc|cpp|cxx|h|hpp)$/,
    names: /^\s*#\s*include\s+"([^"\n]+)"/gm,
    files: (module, from) =>
      [beside(from, module), `**/${module}`].flatMap((one) => [
        one.replace(/\.h(?:pp)?$/, ".c"),
        one.replace(/\.h(?:pp)?$/, ".cpp"),
        one,
      ]),
  },
  {
    extensions: /\.php$/,
    names: /^\s*use\s+([\w\\]+)/gm,
    files: (module) => [`**/${module.split("\\").at(-1)}.php`],
  },
];

/** Files of the tree that a file imports, in its own order, itself left out; a Go file has those of its folder. */
export function importedFiles(file: string, text: string, paths: ReadonlySet<string>): readonly string[] {
  const found = new Set<string>();
  for (const { names, files } of IMPORTS.filter(({ extensions }) => extensions.test(file))) {
    for (const match of text.matchAll(names)) {
      const module = match[1] ?? match[0].replace(/^\s*import\s+/, "");
      for (const candidate of files(module, file)) {
        const there = inTree(candidate, paths);
        if (there !== null) found.add(there);
      }
    }
  }
  if (file.endsWith(".go")) {
    const folder = path.posix.dirname(file);
    for (const one of paths) if (one.endsWith(".go") && path.posix.dirname(one) === folder) found.add(one);
  }
  found.delete(file);
  return [...found];
}

/** Files that a test is named after: `fee.test.ts`, `test_fee.py`, `FeeTest.java`, `fee_spec.rb` → `fee`. */
export function namesakes(test: string, paths: ReadonlySet<string>): readonly string[] {
  const { name, ext } = path.posix.parse(test);
  const stem = name.replace(/^test_|(?:[._-](?:test|spec|e2e)|Tests?|Spec)$/g, "");
  if (stem === name || stem === "") return [];
  const family = /^\.[cm]?[jt]sx?$/.test(ext) ? /^\.(?:[cm]?[jt]sx?|vue|svelte)$/ : null;
  return [...paths].filter((one) => {
    const parsed = path.posix.parse(one);
    return one !== test && parsed.name === stem && (family === null ? parsed.ext === ext : family.test(parsed.ext));
  });
}

function pythonFiles(statement: string, from: string): readonly string[] {
  const [module = "", names = ""] = statement.split(/[ \t]+import[ \t]+/);
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const road = module.slice(dots).replaceAll(".", "/");
  const folder = dots === 0 ? "" : beside(from, `${"../".repeat(dots - 1)}.`);
  const base = path.posix.join(folder, road);
  const members = names.split(/[,\s(]+/).filter((name) => /^\w+$/.test(name));
  const bases = [base, ...members.map((member) => path.posix.join(base, member))];
  // Sources of a package often lie one folder down; the tests' own folder is a root as well.
  const roots = dots > 0 ? [""] : ["", "src", "lib", path.posix.dirname(from)];
  return roots.flatMap((root) =>
    bases.flatMap((one) => [path.posix.join(root, `${one}.py`), path.posix.join(root, one, "__init__.py")]),
  );
}

function beside(file: string, module: string): string {
  return path.posix.join(path.posix.dirname(file), module);
}

/** `**\/a/b.java`: the only path that ends so. */
function inTree(candidate: string, paths: ReadonlySet<string>): string | null {
  if (!candidate.startsWith("**/")) return paths.has(candidate) ? candidate : null;
  const ending = candidate.slice(2);
  const found = [...paths].filter((one) => `/${one}`.endsWith(ending));
  return found.length === 1 ? (found[0] ?? null) : null;
}
