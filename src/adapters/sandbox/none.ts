import { realpath, rm, stat } from "node:fs/promises";
import path from "node:path";
import {
  type Sandbox,
  type SandboxCommand,
  type SandboxResult,
  type SandboxRoom,
  SandboxUnavailable,
} from "../../ports/sandbox.ts";
import type { World } from "../../ports/world.ts";
import { DEFAULT_LIMITS, type Limits, openCage } from "./limits.ts";
import { toolPrefixes } from "./prefixes.ts";
import { roomEnvironment } from "./room-environment.ts";
import { makeRoomFolders, type RoomFolders, removeRoomFolders } from "./room-folders.ts";
import { type Ended, runProcess } from "./spawn.ts";
import { writeStep } from "./write-step.ts";

export interface UnsandboxedOptions {
  /** The operator's PATH. */
  readonly searchPath: string;
  readonly home: string;
  /** Where the private folders of rooms are made. */
  readonly folder: string;
  readonly setupEnv: Readonly<Record<string, string>>;
  readonly world: Pick<World, "monotonicMs">;
  readonly limits?: Partial<Limits>;
}

/**
 * No sandbox at all: commands run as we do, with our network, and can read and write what we can. Only for repositories
 * whose owner is the operator, when asked for by name. HOME, TMP, the environment and the limits are those of a room.
 */
export function unsandboxed(options: UnsandboxedOptions): Sandbox {
  return {
    kind: "none",
    unavailable: async () => null,
    open: (tree) => openRoom(tree, options),
  };
}

async function openRoom(named: string, options: UnsandboxedOptions): Promise<SandboxRoom> {
  const found = path.isAbsolute(named) ? await stat(named).catch(() => null) : null;
  if (found?.isDirectory() !== true) throw new SandboxUnavailable(`there is no folder ${named}`);
  const tree = await realpath(named);
  const folders = await makeRoomFolders(options.folder, "");
  const prefixes = await toolPrefixes(options.searchPath, options.home, []);
  const env = await roomEnvironment(prefixes, { home: folders.home, tmp: folders.tmp, tree });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    treeInside: tree,
    run: async (command) => {
      if (closing.signal.aborted) throw new SandboxUnavailable("the room is closed");
      const startedMs = options.world.monotonicMs();
      const launched = launch(command, { tree, folders, env, closing: closing.signal }, options);
      running.add(launched);
      try {
        const { exitCode, timedOut, text, omittedBytes } = await launched;
        const ms = Math.round(options.world.monotonicMs() - startedMs);
        return { exitCode, timedOut, output: text, omittedBytes, ms } satisfies SandboxResult;
      } catch (error) {
        if (error instanceof SandboxUnavailable) throw error;
        throw new SandboxUnavailable(`the command could not be started: ${(error as Error).message}`);
      } finally {
        running.delete(launched);
      }
    },
    close: async () => {
      closing.abort();
      await Promise.allSettled(running);
      await removeRoomFolders(folders);
    },
  };
}

interface Room {
  readonly tree: string;
  readonly folders: RoomFolders;
  readonly env: Readonly<Record<string, string>>;
  readonly closing: AbortSignal;
}

async function launch(command: SandboxCommand, room: Room, options: UnsandboxedOptions): Promise<Ended> {
  const step = await writeStep(command, room.folders.scripts, room.folders.scripts);
  const cage = await openCage({ ...DEFAULT_LIMITS, ...options.limits }, options.searchPath);
  try {
    return await runProcess({
      argv: ["/usr/bin/env", ...cage.prefix, ...step.argv],
      env: {
        ...room.env,
        ...(command.network === "setup" ? options.setupEnv : {}),
        ...command.env,
        ...(command.door === undefined ? {} : { RETRACE_DOOR: command.door }),
      },
      cwd: path.resolve(room.tree, command.cwd),
      timeoutMs: command.timeoutMs,
      signals: [command.signal, room.closing],
      folder: room.folders.root,
    });
  } finally {
    await cage.remove();
    await rm(step.folder, { recursive: true, force: true });
  }
}
