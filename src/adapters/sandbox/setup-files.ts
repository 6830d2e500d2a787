import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";

/** What package managers of this machine need to reach their registries. */
export interface RegistrySettings {
  /** Shown read-only during setup. */
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

// Shown as they are; /usr/etc/npmrc comes with /usr.
const MACHINE_FILES = ["/etc/pip.conf", "/etc/xdg/pip/pip.conf"];

// A person's own files may hold credentials: of these only the places of registries are taken, never a line that could
// carry a token.
const PERSONAL: readonly { readonly file: string; readonly keys: Readonly<Record<string, string>> }[] = [
  ...[".config/pip/pip.conf", ".pip/pip.conf"].map((file) => ({
    file,
    keys: {
      "index-url": "PIP_INDEX_URL",
      "extra-index-url": "PIP_EXTRA_INDEX_URL",
      "find-links": "PIP_FIND_LINKS",
      "trusted-host": "PIP_TRUSTED_HOST",
    },
  })),
  { file: ".npmrc", keys: { registry: "npm_config_registry" } },
];

/** The settings of this machine and of the operator whose home is given; a registry with a user in its address is left out. */
export async function registrySettings(home: string): Promise<RegistrySettings> {
  const files: string[] = [];
  const env: Record<string, string> = {};
  for (const file of MACHINE_FILES) {
    const text = await readFile(file, "utf8").catch(() => null);
    if (text !== null) files.push(file, ...(await filesNamedBy(text.split(/[\s=]+/))));
  }
  for (const { file, keys } of PERSONAL) {
    const text = await readFile(path.join(home, file), "utf8").catch(() => "");
    for (const [, key, value] of text.matchAll(/^([a-z-]+)\s*=\s*(.+?)\s*$/gm)) {
      const name = keys[key ?? ""];
      if (name === undefined || value === undefined || value.includes("@")) continue;
      env[name] = value;
    }
  }
  files.push(...(await filesNamedBy(Object.values(env).flatMap((value) => value.split(/\s+/)))));
  return { files, env };
}

/** Absolute paths and file: addresses in values (also several paths, as in PATH) that are there and lie deep enough to be meant. */
export async function filesNamedBy(values: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const named of values.flatMap((each) => each.replace(/^file:\/\//, "").split(path.delimiter))) {
    // A local package index keeps its files beside its pages.
    const value = path.basename(named) === "simple" ? path.dirname(named) : named;
    const depth = value.split("/").filter(Boolean).length;
    if (!path.isAbsolute(value) || depth < 2) continue;
    const real = await realpath(value).catch(() => null);
    if (real !== null && (await stat(real)) !== null) found.add(path.normalize(value));
  }
  return [...found];
}
