import { readdir, readlink, realpath, stat } from "node:fs/promises";
import path from "node:path";

/** What the operator's own tools need to be found inside. */
export interface ToolPrefixes {
  /** Absolute paths to be seen read-only at their own place; none holds another, none is a home folder. */
  readonly binds: readonly string[];
  /** Folders inside the binds that a tool rewrites after an installation; a room gets a copy of its own. */
  readonly copies: readonly string[];
  /** Folders of the search path inside, in the operator's order. */
  readonly searchPath: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A way tools are laid out below a folder: which part must be seen, and which variables say where it is. */
interface Layout {
  /** Matches a folder of the search path; group 1 is what `{1}` stands for. */
  readonly folder: RegExp;
  readonly binds: readonly string[];
  readonly copies?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

// Read as "for this folder of PATH, show these". Credentials lie beside the tools in many of these homes
// (~/.cargo/credentials.toml, ~/.npmrc), so only the part that is run is shown. pyenv's pip fails when it cannot write
// its shims anew, after everything was installed.
const LAYOUTS: readonly Layout[] = [
  {
    folder: /^(.*\/\.?pyenv)\/(?:shims|bin|plugins\/.*|versions\/.*)$/,
    binds: ["{1}"],
    copies: ["{1}/shims"],
    env: { PYENV_ROOT: "{1}" },
  },
  // The shims of rustup read its settings; cargo itself writes to CARGO_HOME, which stays private.
  { folder: /^(.*)\/\.cargo\/bin$/, binds: ["{1}/.cargo/bin", "{1}/.rustup"], env: { RUSTUP_HOME: "{1}/.rustup" } },
  { folder: /^(.*\/(?:\.rustup|rustup)\/toolchains\/[^/]+)\/bin$/, binds: ["{1}"] },
  { folder: /^(.*\/(?:\.nvm|nvm)\/versions\/node\/[^/]+)\/bin$/, binds: ["{1}"] },
  { folder: /^(.*\/fnm\/node-versions\/[^/]+)\/installation\/bin$/, binds: ["{1}"] },
  { folder: /^(.*\/\.volta)\/bin$/, binds: ["{1}/bin", "{1}/tools"], env: { VOLTA_HOME: "{1}" } },
  {
    folder: /^(.*\/\.asdf)\/(?:shims|bin)$/,
    binds: ["{1}"],
    copies: ["{1}/shims"],
    env: { ASDF_DIR: "{1}", ASDF_DATA_DIR: "{1}" },
  },
  {
    folder: /^(.*\/mise)\/(?:shims|installs\/.*)$/,
    binds: ["{1}/shims", "{1}/installs"],
    env: { MISE_DATA_DIR: "{1}" },
  },
  { folder: /^(.*\/\.sdkman\/candidates\/java)\/([^/]+)\/bin$/, binds: ["{1}"], env: { JAVA_HOME: "{1}/{2}" } },
  { folder: /^(.*\/\.sdkman\/candidates\/[^/]+)\/[^/]+\/bin$/, binds: ["{1}"] },
  { folder: /^(.*\/\.rbenv)\/(?:shims|bin)$/, binds: ["{1}"], copies: ["{1}/shims"], env: { RBENV_ROOT: "{1}" } },
  { folder: /^(.*\/\.(?:nodenv|goenv|jenv|phpenv))\/(?:shims|bin)$/, binds: ["{1}"] },
  { folder: /^(.*\/sdk\/go[^/]+)\/bin$/, binds: ["{1}"] },
  { folder: /^(.*\/(?:miniconda3|anaconda3|miniforge3|mambaforge))\/(?:bin|condabin)$/, binds: ["{1}"] },
  { folder: /^(.*\/\.dotnet)(?:\/tools)?$/, binds: ["{1}"], env: { DOTNET_ROOT: "{1}" } },
  { folder: /^(\/home\/linuxbrew\/\.linuxbrew)\/s?bin$/, binds: ["{1}"] },
  { folder: /^(\/nix)\/.*$/, binds: ["{1}/store"] },
  // One product a folder is the custom of /opt; /opt/bin itself is only its own files.
  { folder: /^(\/opt\/(?!bin\b)[^/]+)\/.*$/, binds: ["{1}"] },
];

// The system's own folders are in every room.
const SYSTEM = /^\/(?:usr|bin|sbin|lib\w*)(?:\/|$)/;

/**
 * Which folders outside the system's own must be seen for the commands of `searchPath` to work inside, without showing a
 * whole home. `apart` are folders that must not be shown by this way (our own data, the tree).
 */
export async function toolPrefixes(searchPath: string, home: string, apart: readonly string[]): Promise<ToolPrefixes> {
  const binds = new Set<string>();
  const copies = new Set<string>();
  const folders: string[] = [];
  const env: Record<string, string> = {};
  for (const named of new Set(searchPath.split(path.delimiter))) {
    if (!path.isAbsolute(named) || !(await isFolder(named))) continue;
    if (SYSTEM.test(named)) {
      folders.push(path.normalize(named));
      continue;
    }
    const found = await prefixOf(path.normalize(named));
    folders.push(found.folder);
    for (const bind of found.binds) binds.add(bind);
    for (const copy of found.copies) copies.add(copy);
    for (const [name, value] of Object.entries(found.env)) env[name] ??= value;
  }
  const allowed = [...binds].filter((bind) => !showsTooMuch(bind, [home, ...apart]));
  const shown = outermost(await existing(allowed));
  const copied = (await existing([...copies])).filter((copy) => shown.some((bind) => copy.startsWith(`${bind}/`)));
  return { binds: shown, copies: copied, searchPath: [...new Set(folders)], env };
}

interface Found {
  readonly folder: string;
  readonly binds: readonly string[];
  readonly copies: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

async function prefixOf(named: string): Promise<Found> {
  // A per-shell folder of links, as fnm makes, is gone with the shell: what it points to stays.
  const real = await realpath(named);
  for (const folder of new Set([named, real])) {
    const layout = LAYOUTS.find((row) => row.folder.test(folder));
    if (layout === undefined) continue;
    const groups = layout.folder.exec(folder) ?? [];
    const fill = (text: string): string => text.replace(/\{(\d)\}/g, (_, index) => groups[Number(index)] ?? "");
    const env = Object.entries(layout.env ?? {}).map(([name, value]) => [name, fill(value)]);
    const [binds, copies] = [layout.binds.map(fill), (layout.copies ?? []).map(fill)];
    return { folder, binds, copies, env: Object.fromEntries(env) };
  }
  return { folder: named, binds: [named, ...(await targetsOf(named))], copies: [], env: {} };
}

// Where tools that are installed for themselves keep what their links in a bin folder point to.
const TARGET_ROOTS = [
  /^(.*\/\.local\/share\/(?:uv|pipx)\/[^/]+(?:\/[^/]+)?)\/.*$/,
  /^(.*\/(?:pipx|\.pipx)\/venvs\/[^/]+)\/.*$/,
  /^(.*\/\.(?:bun|deno|volta|asdf))\/.*$/,
  /^(.*\/(?:nvm|\.nvm)\/versions\/node\/[^/]+)\/.*$/,
  /^(\/opt\/(?!bin\b)[^/]+)\/.*$/,
  // npm with a prefix of its own (~/.npm-global): a package, with what it was installed with.
  /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\/.*$/,
];

/** What the links in a bin folder point to: the tool's own folder when we know its layout, else the one file. */
async function targetsOf(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isSymbolicLink()) continue;
    const target = await targetOf(path.join(folder, entry.name));
    if (target === null || SYSTEM.test(target)) continue;
    const root = TARGET_ROOTS.map((pattern) => pattern.exec(target)?.[1]).find((match) => match !== undefined);
    found.push(root ?? target);
    // A virtual environment's python is a link of its own, to an interpreter that uv or pyenv keeps elsewhere.
    if (root !== undefined) found.push(...(await interpreterOf(root)));
  }
  return found;
}

async function targetOf(link: string): Promise<string | null> {
  return realpath(link).catch(() => null);
}

async function interpreterOf(root: string): Promise<string[]> {
  const python = path.join(root, "bin", "python");
  const link = await readlink(python).catch(() => null);
  if (link === null) return [];
  const real = await targetOf(python);
  return real === null || SYSTEM.test(real) ? [] : [path.dirname(path.dirname(real))];
}

/** A bind shows too much when it is, or holds, one of the folders that are none of the room's business. */
export function showsTooMuch(bind: string, apart: readonly string[]): boolean {
  if (bind.split("/").filter(Boolean).length === 0) return true;
  return apart.some((folder) => folder === bind || folder.startsWith(`${bind}/`));
}

/** Without those that lie inside another. */
function outermost(binds: readonly string[]): string[] {
  return [...new Set(binds)]
    .filter((bind) => !binds.some((other) => other !== bind && bind.startsWith(`${other}/`)))
    .sort();
}

async function existing(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const each of paths) {
    if (await stat(each).catch(() => null)) found.push(each);
  }
  return found;
}

async function isFolder(name: string): Promise<boolean> {
  return (await stat(name).catch(() => null))?.isDirectory() === true;
}
