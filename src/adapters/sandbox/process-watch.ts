import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

// A fork bomb makes a few thousand processes a second: often enough to end it before the machine feels it.
const LOOK_EVERY_MS = 100;

/** The process id, seen from outside, of a room's first process, from what bwrap says on its status pipe. */
export function firstProcess(status: string): number | null {
  const pid = /"child-pid": *(\d+)/.exec(status)?.[1];
  return pid === undefined ? null : Number(pid);
}

/**
 * Counts the processes of a room where no control group does. Resolves with a sentence once there are more than `most`,
 * or with null when stopped.
 */
export async function watchProcesses(status: () => string, most: number, stop: AbortSignal): Promise<string | null> {
  while (await sleep(LOOK_EVERY_MS, !stop.aborted, { signal: stop }).catch(() => false)) {
    const first = firstProcess(status());
    if (first === null) continue;
    // The room's own /proc lists the room's processes and no others.
    const names = await readdir(`/proc/${first}/root/proc`).catch(() => []);
    if (names.filter((name) => /^\d+$/.test(name)).length > most) return `more than ${most} processes`;
  }
  return null;
}

// Taking thousands of processes down takes the kernel seconds.
const GONE_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 5;

/** Resolves when a room's first process, and with it every other one of the room, is gone. */
export async function roomIsEmpty(status: string): Promise<void> {
  const first = firstProcess(status);
  if (first === null) return;
  for (let waitedMs = 0; waitedMs < GONE_WITHIN_MS; waitedMs += LOOK_AGAIN_MS) {
    const stat = await readFile(`/proc/${first}/stat`, "utf8").catch(() => null);
    // The first of a namespace becomes a zombie only when it is the last.
    if (stat === null || / [ZX] /.test(stat.slice(stat.lastIndexOf(")")))) return;
    await sleep(LOOK_AGAIN_MS);
  }
}
