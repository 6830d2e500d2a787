import { mkdtemp, readFile, rmdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram } from "./find-program.ts";

/** What the commands of a room may use. */
export interface Limits {
  /** Of all processes of the room together where a control group can be had, else of each process. */
  readonly memoryBytes: number;
  /** Processes and threads of the room. */
  readonly processes: number;
  readonly fileBytes: number;
  /** What tree, HOME and TMP may grow by after the room's first command began, together. */
  readonly diskBytes: number;
  /** Of one process. */
  readonly cpuSeconds: number;
  readonly openFiles: number;
}

const GIB = 1024 ** 3;

export const DEFAULT_LIMITS: Limits = {
  // A quarter of a standard runner's 16 GiB: enough for a type check or a test run, and two rooms fit on a small host.
  memoryBytes: 4 * GIB,
  // A parallel build on a few cores with its threads; a fork bomb ends here.
  processes: 512,
  // No artefact of a build is larger, and a runaway write to one file ends by SIGXFSZ at once.
  fileBytes: 4 * GIB,
  // A standard runner has 14 GiB of free disk; a repair needs its dependencies and its caches, not all of it.
  diskBytes: 8 * GIB,
  // The wall clock of a command is the real bound; this one ends a spinning process that outlived its parent.
  cpuSeconds: 3600,
  // Linux's usual soft limit is 1024; test runners and bundlers that watch many files need more.
  openFiles: 65_536,
};

/** The bounds of one room, made real. */
export interface Cage {
  readonly kind: "cgroup-v1" | "cgroup-v2" | "prlimit";
  /** Words to put in front of a program's words. */
  readonly prefix: readonly string[];
  /** Words for inside a user namespace made by the program, where only what runs in it is counted. */
  readonly innerPrefix: readonly string[];
  /** Ends every process in the cage; does nothing where there is only prlimit. */
  kill(): Promise<void>;
  remove(): Promise<void>;
}

// Joins the control groups named by its words up to `--`, closes what our own process inherited and did not mean to hand
// on (Node passes every file descriptor that is not marked), then becomes the program behind it.
const ENTER = `
while [ "$1" != -- ]; do echo $$ > "$1" || exit 126; shift; done; shift
for fd in /proc/$$/fd/*; do fd=\${fd##*/}; [ "$fd" -le 3 ] || eval "exec $fd>&-"; done
exec "$@"
`;

/**
 * Bounds for one room: a control group (v1 or v2) where this process may make one, for memory and processes; prlimit for
 * the rest, and for memory too where it must stand in. A number of processes does not bind real root without a control
 * group: see `watchProcesses`.
 */
export async function openCage(limits: Limits, searchPath: string, cgroups: "on" | "off" = "on"): Promise<Cage> {
  const prlimit = (await findProgram("prlimit", searchPath)) ?? "/usr/bin/prlimit";
  const hard = await hardLimits();
  const nice = (await findProgram("nice", searchPath)) ?? "/usr/bin/nice";
  const always = [
    nice,
    `--adjustment=${NICENESS}`,
    prlimit,
    bound("fsize", limits.fileBytes, hard),
    bound("cpu", limits.cpuSeconds, hard),
    bound("nofile", limits.openFiles, hard),
    "--core=0",
  ];
  // Not sh: only bash can close a file descriptor above 9.
  const enter = ["/bin/bash", "-c", ENTER, "enter"];
  const group = cgroups === "on" ? ((await openGroupV1(limits)) ?? (await openGroupV2(limits))) : null;
  if (group === null) {
    // Not --as: Node reserves far more addresses than it uses, and dies of it. --data counts what can be written to.
    const prefix = [...enter, "--", ...always, bound("data", limits.memoryBytes, hard)];
    const innerPrefix = [prlimit, bound("nproc", limits.processes, hard), "--"];
    return { kind: "prlimit", prefix, innerPrefix, kill: async () => undefined, remove: async () => undefined };
  }
  const procs = group.folders.map((folder) => path.join(folder, "cgroup.procs"));
  return {
    kind: group.kind,
    innerPrefix: [],
    prefix: [...enter, ...procs, "--", ...always],
    kill: () => killGroups(group.folders),
    remove: async () => {
      await killGroups(group.folders);
      for (const folder of group.folders) await removeGroup(folder);
    },
  };
}

// A repair may take every core there is: whoever answers webhooks on the same machine goes first.
const NICENESS = 10;

// Names as /proc/self/limits writes them.
const LIMIT_NAMES = {
  fsize: "Max file size",
  cpu: "Max cpu time",
  nofile: "Max open files",
  data: "Max data size",
  nproc: "Max processes",
} as const;

type LimitName = keyof typeof LIMIT_NAMES;

/** A limit as prlimit takes it. Asking for more than our own hard limit is refused to all but a privileged process. */
function bound(name: LimitName, wanted: number, hard: ReadonlyMap<string, number>): string {
  return `--${name}=${Math.min(wanted, hard.get(LIMIT_NAMES[name]) ?? wanted)}`;
}

async function hardLimits(): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const line of (await readFile("/proc/self/limits", "utf8").catch(() => "")).split("\n")) {
    const [, name, hard] = /^(Max .+?) {2,}\S+ +(\d+) /.exec(line) ?? [];
    if (name !== undefined) found.set(name, Number(hard));
  }
  return found;
}

interface Group {
  readonly kind: "cgroup-v1" | "cgroup-v2";
  readonly folders: readonly string[];
}

const MOUNT = "/sys/fs/cgroup";
const NAME = "retrace-";

async function openGroupV1(limits: Limits): Promise<Group | null> {
  const made: string[] = [];
  try {
    const memory = await mkdtemp(path.join(MOUNT, "memory", NAME));
    made.push(memory);
    const pids = await mkdtemp(path.join(MOUNT, "pids", NAME));
    made.push(pids);
    await writeFile(path.join(memory, "memory.limit_in_bytes"), String(limits.memoryBytes));
    await writeFile(path.join(pids, "pids.max"), String(limits.processes));
    return { kind: "cgroup-v1", folders: [memory, pids] };
  } catch {
    for (const folder of made) await removeGroup(folder);
    return null;
  }
}

async function openGroupV2(limits: Limits): Promise<Group | null> {
  let made: string | null = null;
  try {
    // Below the folder that may hand controllers on: our own group's parent, since a group with processes cannot.
    const own = /^0::(.*)$/m.exec(await readFile("/proc/self/cgroup", "utf8"))?.[1] ?? "/";
    const parent = path.join(MOUNT, path.dirname(own));
    await writeFile(path.join(parent, "cgroup.subtree_control"), "+memory +pids").catch(() => undefined);
    made = await mkdtemp(path.join(parent, NAME));
    await writeFile(path.join(made, "memory.max"), String(limits.memoryBytes));
    await writeFile(path.join(made, "memory.swap.max"), "0").catch(() => undefined);
    await writeFile(path.join(made, "pids.max"), String(limits.processes));
    return { kind: "cgroup-v2", folders: [made] };
  } catch {
    if (made !== null) await removeGroup(made);
    return null;
  }
}

async function processesIn(folder: string): Promise<number[]> {
  try {
    return (await readFile(path.join(folder, "cgroup.procs"), "utf8")).split("\n").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

// A killed process leaves its group within milliseconds; one stuck in the kernel may take longer. Then we go on.
const EMPTY_AFTER_MS = 5_000;
const LOOK_EVERY_MS = 10;

async function killGroups(folders: readonly string[]): Promise<void> {
  for (let waitedMs = 0; waitedMs < EMPTY_AFTER_MS; waitedMs += LOOK_EVERY_MS) {
    const alive = new Set((await Promise.all(folders.map(processesIn))).flat());
    if (alive.size === 0) return;
    for (const pid of alive) kill(pid);
    await sleep(LOOK_EVERY_MS);
  }
}

function kill(pid: number): void {
  // 0 is a process of a namespace we cannot see; as a target it would mean our own group.
  if (pid <= 0) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone in the meantime.
  }
}

async function removeGroup(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}
