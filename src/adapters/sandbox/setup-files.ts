import { readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";

const PIP_CONF = "/etc/pip.conf";

/** The machine's own settings for package managers, and the local indexes they name; /usr/etc/npmrc comes with /usr. */
export async function systemSetupFiles(): Promise<string[]> {
  const text = await readFile(PIP_CONF, "utf8").catch(() => null);
  if (text === null) return [];
  const words = text.split(/[\s=]+/).map((word) => word.replace(/^file:\/\//, ""));
  return [PIP_CONF, ...(await filesNamedBy(words))];
}

/** Absolute paths in values (also several, as in PATH) that are there and lie deep enough to be meant. */
export async function filesNamedBy(values: readonly string[]): Promise<string[]> {
  const found = new Set<string>();
  for (const value of values.flatMap((each) => each.split(path.delimiter))) {
    const depth = value.split("/").filter(Boolean).length;
    if (!path.isAbsolute(value) || depth < 2) continue;
    const real = await realpath(value).catch(() => null);
    if (real !== null && (await stat(real)) !== null) found.add(path.normalize(value));
  }
  return [...found];
}
