import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** Command lines of running processes that name a folder; a sandbox names the folders it shows. */
export function processesNaming(folder: string): readonly string[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return line.includes(folder) ? [line] : [];
    } catch {
      return []; // it has ended in between
    }
  });
}

/** What a repair has left in the folders it works in. */
export function leftovers(dataDir: string): readonly string[] {
  return ["work", "rooms"].flatMap((folder) => listed(path.join(dataDir, folder)));
}

/** All that the transcripts say. */
export function transcripts(dataDir: string): string {
  const folder = path.join(dataDir, "transcripts");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8")).join("");
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => path.join(folder, name));
  } catch {
    return []; // never made
  }
}
