import { lstat, readdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import path from "node:path";

// Scripts of a virtual environment are a few lines; nothing of this size is one.
const MOST_SCRIPT_BYTES = 1_000_000;

/** Files in site-packages that hold absolute paths: packages installed "editable", as links into the clone. */
const LINKS_INTO_CLONE = /^(?:.*\.pth|.*\.egg-link|__editable__.*\.py|direct_url\.json)$/;

/** Null when it can be used, else why not; and the variables with which commands use it. */
export interface Moved {
  readonly notUsable: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * A virtual environment works only at the place it was made for: its scripts name their interpreter by absolute path, and
 * editable packages point into the clone, so that a check would test the clone's files instead of the patched ones. Those
 * paths are rewritten. Anything but a virtual environment (or a folder of them: .tox, .nox) is left as it is.
 */
export async function moveVirtualEnvironments(root: string, tree: string, folder: string): Promise<Moved> {
  const place = path.join(tree, folder);
  if (await isVirtualEnvironment(place)) {
    const notUsable = await moveOne(root, tree, place);
    return { notUsable, env: notUsable === null ? activation(place) : {} };
  }
  if (!/^\.(?:tox|nox)$/.test(path.basename(folder))) return { notUsable: null, env: {} };
  const inner = (await readdir(place)).map((name) => path.join(place, name));
  const broken: string[] = [];
  for (const one of inner) {
    const why = (await isVirtualEnvironment(one)) ? await moveOne(root, tree, one) : null;
    if (why !== null) broken.push(`${path.basename(one)}: ${why}`);
  }
  return { notUsable: broken.length === 0 ? null : broken.join("; "), env: {} };
}

async function isVirtualEnvironment(folder: string): Promise<boolean> {
  return (await stat(path.join(folder, "pyvenv.cfg")).catch(() => null))?.isFile() === true;
}

/** A non-interactive bash reads this file first, which puts the environment's commands before all others. */
function activation(place: string): Record<string, string> {
  return { BASH_ENV: path.join(place, "bin/activate"), VIRTUAL_ENV: place };
}

async function moveOne(root: string, tree: string, place: string): Promise<string | null> {
  const original = path.join(root, path.relative(tree, place));
  const bin = await entries(path.join(place, "bin"));
  if (!bin.includes("python")) return "it has no bin/python";
  if ((await realpath(path.join(place, "bin/python")).catch(() => null)) === null) return "its interpreter is gone";
  const made = await madeFor(place);
  const moves = new Map([
    // First the place itself: an environment may have been made by another name of the clone (through a link).
    ...(made === null ? [] : [[made, place] as const]),
    [original, place] as const,
    [root, tree] as const,
  ]);
  const files = [path.join(place, "pyvenv.cfg"), ...bin.map((name) => path.join(place, "bin", name))];
  const within = await realpath(tree);
  for (const file of [...files, ...(await filesWithPaths(place))]) await rewrite(file, moves, within);
  return null;
}

/** The place its own activation script was written for. */
async function madeFor(place: string): Promise<string | null> {
  const script = await readFile(path.join(place, "bin/activate"), "utf8").catch(() => "");
  const named = /^\s*(?:export )?VIRTUAL_ENV=(["']?)(\/[^"'\n]+)\1$/m.exec(script)?.[2];
  return named ?? null;
}

async function filesWithPaths(place: string): Promise<string[]> {
  const found: string[] = [];
  for (const version of await entries(path.join(place, "lib"))) {
    const packages = path.join(place, "lib", version, "site-packages");
    for (const name of await entries(packages)) {
      if (LINKS_INTO_CLONE.test(name)) found.push(path.join(packages, name));
      if (name.endsWith(".dist-info")) found.push(path.join(packages, name, "direct_url.json"));
    }
  }
  return found;
}

async function entries(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/**
 * Replaces paths in a text file where they end at a boundary; links and binaries stay, and so does what is reached through a
 * linked folder that leads out of the tree: it is somebody else's file.
 */
async function rewrite(file: string, moves: ReadonlyMap<string, string>, within: string): Promise<void> {
  const folder = await realpath(path.dirname(file)).catch(() => null);
  if (folder === null || !folder.startsWith(`${within}/`)) return;
  const found = await lstat(file).catch(() => null);
  if (found?.isFile() !== true || found.size > MOST_SCRIPT_BYTES) return;
  const bytes = await readFile(file);
  if (bytes.includes(0)) return;
  const text = bytes.toString("latin1");
  const moved = replacePaths(text, new Map([...moves].map(([from, to]) => [toBytes(from), toBytes(to)])));
  if (moved !== text) await writeFile(file, Buffer.from(moved, "latin1"));
}

/** One character for each byte, as the file is read: names need not be ASCII. */
function toBytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** In one pass, the longest first: the new place may lie inside the old one. */
function replacePaths(text: string, moves: ReadonlyMap<string, string>): string {
  const longestFirst = [...moves.keys()].sort((a, b) => b.length - a.length);
  const escaped = longestFirst.map((from) => from.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`(?:${escaped.join("|")})(?=[/"'\\s:;,)\\]]|$)`, "g");
  return text.replace(pattern, (from) => moves.get(from) ?? from);
}
