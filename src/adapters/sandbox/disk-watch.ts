import { execFile } from "node:child_process";
import { statfs } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const execute = promisify(execFile);

// A fast disk takes about 1 GiB a second, so half a second costs at most that much beyond the limit.
const LOOK_EVERY_MS = 500;
// Counting all files takes seconds in a large tree: it is done only when the file system has lost an eighth of the limit.
const RECOUNT_SHARE = 1 / 8;

/**
 * Watches what `folders` hold together. Resolves with a sentence once that is `limitBytes` more than `before`, or with
 * null when stopped. A limit of a file system would be exact, but HOME and the tree are ordinary folders.
 */
export async function watchDisk(
  folders: readonly string[],
  before: Promise<number>,
  limitBytes: number,
  stop: AbortSignal,
): Promise<string | null> {
  let counted = await freeBytes(folders);
  while (await pause(stop)) {
    const free = await freeBytes(folders);
    if (free > counted) counted = free;
    if (counted - free < limitBytes * RECOUNT_SHARE) continue;
    counted = free;
    if ((await usedBytes(folders)) - (await before) > limitBytes) {
      return `the files of this room grew by more than ${limitBytes} bytes`;
    }
  }
  return null;
}

// A folder that went away holds nothing; what is wrong with it is said by whoever needs it.
const NOTHING = { bavail: 0, bsize: 0 };

async function pause(stop: AbortSignal): Promise<boolean> {
  return sleep(LOOK_EVERY_MS, !stop.aborted, { signal: stop }).catch(() => false);
}

/** Free space of the file systems the folders lie on; each counted as often as it occurs, which only makes us look sooner. */
async function freeBytes(folders: readonly string[]): Promise<number> {
  const stats = await Promise.all(folders.map((folder) => statfs(folder).catch(() => NOTHING)));
  return stats.reduce((sum, { bavail, bsize }) => sum + bavail * bsize, 0);
}

/** What the folders hold together. Never rejects. */
export async function usedBytes(folders: readonly string[]): Promise<number> {
  // Files that vanish while it counts make it complain and exit 1; what it counted still stands.
  const { stdout } = await execute("/usr/bin/du", ["-sxc", "-B1", "--", ...folders], { env: {} }).catch(
    (error: { stdout?: string }) => ({ stdout: error.stdout ?? "" }),
  );
  return Number(/^(\d+)\s+total$/m.exec(stdout)?.[1] ?? 0);
}
