import { readdir } from "node:fs/promises";
import path from "node:path";
import type { LogSource } from "../../ports/log-source.ts";
import { UnreadableSource } from "../../ports/log-source.ts";
import { inArchiveOrder, isLogName } from "./archive-order.ts";
import { logFile } from "./file-logs.ts";

// A run has at most 256 matrix jobs with some dozens of steps each; more is not a run's archive.
const MAX_FILES = 20_000;
// `<job>/<step>.txt` is one level; one more for archives unpacked into a folder of their own.
const MAX_DEPTH = 3;

/** A run archive's folder: every `.txt` and `.log` in it, names relative to the folder. */
export function folderLogs(folder: string): LogSource {
  return {
    files: async () => {
      const names = await logNames(folder, "", 0);
      if (names.length === 0) throw new UnreadableSource(`no log (.txt or .log) in folder ${folder}`);
      if (names.length > MAX_FILES) throw new UnreadableSource(`${folder} holds more than ${MAX_FILES} log files`);
      const files = names.map((name) => logFile(path.join(folder, name), name));
      return inArchiveOrder(files);
    },
  };
}

async function logNames(root: string, under: string, depth: number): Promise<string[]> {
  const entries = await readdir(path.join(root, under), { withFileTypes: true }).catch((error: Error) => {
    throw new UnreadableSource(`cannot read ${path.join(root, under)}: ${error.message.split("\n")[0]}`);
  });
  const names: string[] = [];
  for (const entry of entries) {
    const name = under === "" ? entry.name : `${under}/${entry.name}`;
    // Symbolic links are neither: an unpacked archive holds none, and they could lead anywhere.
    if (entry.isDirectory() && depth < MAX_DEPTH && !entry.name.startsWith(".")) {
      names.push(...(await logNames(root, name, depth + 1)));
    } else if (entry.isFile() && isLogName(name)) {
      names.push(name);
    }
    if (names.length > MAX_FILES) break;
  }
  return names;
}
