import { performance } from "node:perf_hooks";
import { bwrapSandbox, type SandboxOptions } from "../../../src/adapters/sandbox/bwrap.ts";

/** As an operator's machine would hand them in, with the tools of this one. */
export function bwrapOptions(rooms: string, more: Partial<SandboxOptions> = {}): SandboxOptions {
  return {
    searchPath: process.env.PATH ?? "/usr/bin:/bin",
    home: process.env.HOME ?? "/root",
    folder: rooms,
    setupEnv: {},
    setupNetwork: "on",
    world: { monotonicMs: () => performance.now() },
    ...more,
  };
}

/** Why bwrap cannot be had here, or null. On a CI machine it must be had: the tests run and fail. */
export const bwrapMissing =
  process.env.CI === undefined ? await bwrapSandbox(bwrapOptions("/nowhere")).unavailable() : null;

/** The title of a group of tests, with the reason when it is skipped. */
export const titled = (title: string): string => (bwrapMissing === null ? title : `${title} (${bwrapMissing})`);
