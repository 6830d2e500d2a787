import { execFile } from "node:child_process";
import { cp, mkdir, readlink, realpath, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import {
  type Sandbox,
  type SandboxCommand,
  type SandboxResult,
  type SandboxRoom,
  SandboxUnavailable,
} from "../../ports/sandbox.ts";
import type { World } from "../../ports/world.ts";
import {
  bwrapArguments,
  DOOR,
  firstStep,
  type Inside,
  type RoomView,
  type SystemFolder,
  shieldsOf,
} from "./bwrap-arguments.ts";
import { usedBytes, watchDisk } from "./disk-watch.ts";
import { findProgram } from "./find-program.ts";
import { type Cage, DEFAULT_LIMITS, type Limits, openCage } from "./limits.ts";
import { showsTooMuch, toolPrefixes } from "./prefixes.ts";
import { roomIsEmpty, watchProcesses } from "./process-watch.ts";
import { roomEnvironment } from "./room-environment.ts";
import { makeRoomFolders, type RoomFolders, removeRoomFolders } from "./room-folders.ts";
import { filesNamedBy, registrySettings } from "./setup-files.ts";
import { openSetupNetwork, type SetupNetwork } from "./setup-network.ts";
import { type Ended, runProcess } from "./spawn.ts";
import { writeStep } from "./write-step.ts";

const execute = promisify(execFile);

export interface SandboxOptions {
  /** The operator's PATH: where bwrap and its helpers are found, and what commands inside find. */
  readonly searchPath: string;
  readonly home: string;
  /** Where the private folders of rooms are made. */
  readonly folder: string;
  /** Variables for commands with network `setup` only; the files they name are shown read-only. Never a secret. */
  readonly setupEnv: Readonly<Record<string, string>>;
  /** `off`: commands with network `setup` are refused. */
  readonly setupNetwork: "on" | "off";
  readonly world: Pick<World, "monotonicMs">;
  readonly limits?: Partial<Limits>;
  /** `off` makes prlimit do alone what it can. */
  readonly cgroups?: "on" | "off";
}

const HOW_TO_CHOOSE = "or choose another sandbox with RETRACE_SANDBOX";

/** Rooms made by bubblewrap: namespaces of the kernel, no daemon and no image. */
export function bwrapSandbox(options: SandboxOptions): Sandbox {
  let probed: Promise<Probe> | null = null;
  const probe = (): Promise<Probe> => {
    probed ??= probeBwrap(options.searchPath);
    return probed;
  };
  return {
    kind: "bwrap",
    unavailable: async () => (await probe()).missing,
    open: async (tree) => {
      const found = await probe();
      if (found.missing !== null) throw new SandboxUnavailable(found.missing);
      return openRoom(tree, found, options);
    },
  };
}

type Probe =
  | { readonly missing: string }
  | { readonly missing: null; readonly bwrap: string; readonly disableUserns: boolean };

async function probeBwrap(searchPath: string): Promise<Probe> {
  const bwrap = await findProgram("bwrap", searchPath);
  if (bwrap === null) {
    return { missing: `bwrap is not on PATH: install bubblewrap (apt-get install bubblewrap), ${HOW_TO_CHOOSE}` };
  }
  const complaint = await tryBwrap(bwrap, ["--disable-userns"]);
  if (complaint === null) return { missing: null, bwrap, disableUserns: true };
  // Versions before 0.8 do not know the flag.
  if ((await tryBwrap(bwrap, [])) === null) return { missing: null, bwrap, disableUserns: false };
  const cure = "allow unprivileged user namespaces (in a container: run it with its /proc unmasked)";
  return { missing: `bwrap cannot make a room here (${complaint}): ${cure}, ${HOW_TO_CHOOSE}` };
}

async function tryBwrap(bwrap: string, flags: readonly string[]): Promise<string | null> {
  const view = ["--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"];
  try {
    await execute(bwrap, ["--unshare-all", "--unshare-user", ...flags, ...view, "--", "/bin/sh", "-c", ":"], {
      env: {},
      cwd: "/",
      timeout: 10_000,
    });
    return null;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    return (stderr || message).trim().split("\n")[0] ?? message;
  }
}

type Bwrap = Extract<Probe, { missing: null }>;

async function openRoom(
  wanted: string,
  { bwrap, disableUserns }: Bwrap,
  options: SandboxOptions,
): Promise<SandboxRoom> {
  const tree = await checkedTree(wanted);
  // The operator's own home may be shown in part; the private one must be another.
  const home = HOMES.find((each) => each !== options.home) ?? "/home/sandbox";
  const inside: Inside = { home, tmp: "/tmp", scripts: "/run/step" };
  const folders = await makeRoomFolders(options.folder, home);
  try {
    const apart = [options.folder, tree];
    const prefixes = await toolPrefixes(options.searchPath, options.home, apart);
    const registries = await registrySettings(options.home);
    const named = [...registries.files, ...(await filesNamedBy(Object.values(options.setupEnv)))];
    const setupFiles = named.filter((file) => !showsTooMuch(file, [options.home, ...apart]));
    const setupEnv = { ...registries.env, ...options.setupEnv };
    const exposed = setupFiles.filter((file) => firstStep(file, inside) !== null);
    const binds = [...prefixes.binds, ...exposed].filter((bind) => bind !== tree && !bind.startsWith(`${tree}/`));
    const mounts = [tree, ...binds];
    await prepareMounts(mounts, inside, folders);
    const shields = shieldsOf(mounts, inside);
    const copies = await copyInto(folders, prefixes.copies);
    const view: RoomView = {
      tree,
      folders,
      inside,
      binds,
      copies,
      shields,
      disableUserns,
      system: await systemFolders(),
    };
    const env = await roomEnvironment(prefixes, { ...inside, tree });
    return new BwrapRoom(bwrap, view, setupFiles, env, { ...options, setupEnv });
  } catch (error) {
    await removeRoomFolders(folders);
    throw error;
  }
}

async function copyInto(folders: RoomFolders, wanted: readonly string[]): Promise<RoomView["copies"]> {
  const copies: { ours: string; seenAs: string }[] = [];
  for (const seenAs of wanted) {
    const ours = path.join(folders.root, `copy-${copies.length}`);
    await copyFolder(seenAs, ours);
    copies.push({ ours, seenAs });
  }
  return copies;
}

const COPY_TRIES = 3;

/** Version managers write their shims anew at times: a file that was listed may be gone when its turn comes. */
async function copyFolder(from: string, to: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await cp(from, to, { recursive: true, verbatimSymlinks: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || tries >= COPY_TRIES) throw error;
      await rm(to, { recursive: true, force: true });
    }
  }
}

/** Makes the places for mounts below HOME and TMP, before any command can put something else there. */
async function prepareMounts(mounts: readonly string[], inside: Inside, folders: RoomFolders): Promise<void> {
  for (const mount of mounts) {
    const first = firstStep(mount, inside);
    if (first === null) continue;
    const place = path.join(first.startsWith(`${inside.home}/`) ? folders.home : folders.tmp, path.basename(first));
    const isFile = first === mount && (await stat(mount)).isFile();
    await (isFile ? writeFile(place, "") : mkdir(place, { recursive: true }));
  }
}

// A hosted runner's home first, so that paths in messages read like those of CI.
const HOMES = ["/home/runner", "/home/sandbox"];

async function checkedTree(tree: string): Promise<string> {
  if (!path.isAbsolute(tree)) throw new SandboxUnavailable(`the tree must be an absolute path: ${tree}`);
  const found = await stat(tree).catch(() => null);
  if (found?.isDirectory() !== true) throw new SandboxUnavailable(`there is no folder ${tree}`);
  // Links on the way are followed once, here: nothing inside can change them later.
  const real = await realpath(tree);
  const top = real.split("/").filter(Boolean);
  if (top.length < 2) throw new SandboxUnavailable(`${real} is too near the root to be a tree`);
  return real;
}

const ROOT_FOLDERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** The root's own folders as they are here: links into /usr, or folders on older systems. */
async function systemFolders(): Promise<SystemFolder[]> {
  const found: SystemFolder[] = [];
  for (const name of ROOT_FOLDERS) {
    if ((await stat(name).catch(() => null)) === null) continue;
    found.push({ name, link: await readlink(name).catch(() => null) });
  }
  return found;
}

/** bwrap tells the exit code on its status pipe only when the room stood; a working directory that is not there is the command's fault. */
function refuseIfNotMade({ control, exitCode, text }: Ended): void {
  if (exitCode === null || exitCode === 0 || control.includes('"exit-code"')) return;
  const complaint = text.trim().split("\n").at(-1) ?? "";
  if (complaint.startsWith("bwrap: Can't chdir")) return;
  throw new SandboxUnavailable(`the room could not be made: ${complaint}`);
}

class BwrapRoom implements SandboxRoom {
  readonly treeInside: string;
  readonly #bwrap: string;
  readonly #view: RoomView;
  readonly #setupFiles: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #options: SandboxOptions;
  readonly #limits: Limits;
  readonly #closing = new AbortController();
  #before: Promise<number> | null = null;
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    bwrap: string,
    view: RoomView,
    setupFiles: readonly string[],
    env: Readonly<Record<string, string>>,
    options: SandboxOptions,
  ) {
    this.treeInside = view.tree;
    this.#bwrap = bwrap;
    this.#view = view;
    this.#setupFiles = setupFiles;
    this.#env = env;
    this.#options = options;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
  }

  async run(command: SandboxCommand): Promise<SandboxResult> {
    if (this.#closing.signal.aborted) throw new SandboxUnavailable("the room is closed");
    const { world } = this.#options;
    const startedMs = world.monotonicMs();
    const running = this.#launch(command);
    this.#running.add(running);
    try {
      const { exitCode, timedOut, text, omittedBytes } = await running;
      return { exitCode, timedOut, output: text, omittedBytes, ms: Math.round(world.monotonicMs() - startedMs) };
    } catch (error) {
      if (error instanceof SandboxUnavailable) throw error;
      throw new SandboxUnavailable(`the command could not be started: ${(error as Error).message}`);
    } finally {
      this.#running.delete(running);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#running);
    await removeRoomFolders(this.#view.folders);
  }

  async #launch(command: SandboxCommand): Promise<Ended> {
    const network = await this.#network(command);
    const step = await writeStep(command, this.#view.folders.scripts, this.#view.inside.scripts);
    const cage = await openCage(this.#limits, this.#options.searchPath, this.#options.cgroups);
    const { folders } = this.#view;
    try {
      const inside = this.#insideCommand(command, [...cage.innerPrefix, ...step.argv], network !== null);
      const argv = [...cage.prefix, ...(network?.prefix ?? []), this.#bwrap, ...inside];
      const ended = await runProcess({
        argv: argv as [string, ...string[]],
        // bwrap's own process is pid 1 inside, and its environment can be read there: it has none.
        env: {},
        cwd: "/",
        timeoutMs: command.timeoutMs,
        signals: [command.signal, this.#closing.signal],
        folder: folders.root,
        watch: (status, stop) => this.#watch(cage, status, stop),
        onEnd: roomIsEmpty,
        ...(network === null ? {} : { onStart: (pid, control) => network.connect(pid, control) }),
      });
      refuseIfNotMade(ended);
      return ended;
    } finally {
      network?.close();
      await cage.remove();
      await rm(step.folder, { recursive: true, force: true });
    }
  }

  #watch({ kind }: Cage, status: () => string, stop: AbortSignal): Promise<string | null> {
    const { tree, folders, copies } = this.#view;
    const { diskBytes, processes } = this.#limits;
    const watched = [tree, folders.home, folders.tmp, ...copies.map(({ ours }) => ours)];
    // Counted once: in a large tree it takes seconds.
    this.#before ??= usedBytes(watched);
    const disk = watchDisk(watched, this.#before, diskBytes, stop);
    return kind === "prlimit" ? Promise.race([disk, watchProcesses(status, processes, stop)]) : disk;
  }

  async #network({ network }: SandboxCommand): Promise<SetupNetwork | null> {
    if (network === "off") return null;
    if (this.#options.setupNetwork === "off") {
      throw new SandboxUnavailable("network for setup is switched off (RETRACE_SETUP_NETWORK)");
    }
    return openSetupNetwork(this.#options.searchPath);
  }

  #insideCommand(command: SandboxCommand, argv: readonly string[], sharedNetwork: boolean): string[] {
    const { tree, binds } = this.#view;
    const cwd = path.resolve(tree, command.cwd);
    if (cwd !== tree && !cwd.startsWith(`${tree}/`)) {
      throw new SandboxUnavailable(`the working directory ${command.cwd} is not in the tree`);
    }
    const view = sharedNetwork ? { ...this.#view, binds: [...binds, ...this.#setupFiles] } : this.#view;
    const door = command.door ?? null;
    const env = {
      ...this.#env,
      ...(sharedNetwork ? this.#options.setupEnv : {}),
      ...command.env,
      ...(door === null ? {} : { RETRACE_DOOR: DOOR }),
    };
    return bwrapArguments(view, { argv, cwd, env, sharedNetwork, door });
  }
}
