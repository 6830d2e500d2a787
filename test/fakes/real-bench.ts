import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { localGit } from "../../src/adapters/git/local-git.ts";
import { unsandboxed } from "../../src/adapters/sandbox/none.ts";
import { systemWorld } from "../../src/adapters/world.ts";
import { Budget } from "../../src/agent/budget.ts";
import { NO_TRANSCRIPT } from "../../src/agent/transcript.ts";
import type { Workbench } from "../../src/agent/workbench.ts";
import type { Check, CheckRun } from "../../src/domain/check.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const BINARIES = path.join(ROOT, "node_modules/.bin");
const LIMITS = { usd: 1, tokens: 1000, calls: 10, wallMs: 300_000 };

export type Files = Readonly<Record<string, string>>;

export interface RealBench {
  readonly bench: Workbench;
  readonly runs: readonly CheckRun[];
  close(): Promise<void>;
}

/**
 * A working copy of a repository with these files and a room around it, both real, without a model. Our own node_modules
 * are lent to it when `lendModules` says so, as a clone's would be; its package managers are ours either way.
 */
export async function openRealBench(files: Files, lendModules: boolean): Promise<RealBench> {
  const folder = mkdtempSync(path.join(tmpdir(), "autofix-"));
  const world = systemWorld();
  const clone = path.join(folder, "clone");
  commitFiles(clone, { ".gitignore": "node_modules\ntarget\n", ...files });
  const git = localGit({ world, identity: { name: "Bench", email: "bench@example.com" } });
  const copy = await git.checkout(clone, "HEAD", path.join(folder, "work"));
  if (lendModules) symlinkSync(path.join(ROOT, "node_modules"), path.join(copy.tree, "node_modules"));
  const rooms = path.join(folder, "rooms");
  mkdirSync(rooms);
  const sandbox = unsandboxed({
    searchPath: `${process.env.PATH ?? ""}:${BINARIES}`,
    home: process.env.HOME ?? "/",
    folder: rooms,
    setupEnv: {},
    world,
  });
  const room = await sandbox.open(copy.tree);
  const runs: CheckRun[] = [];
  const runCheck = async (check: Check): Promise<CheckRun> => {
    const { command: script, cwd, shell, env } = check;
    const network = check.installs ? "setup" : "off";
    const ran = await room.run({ script, cwd, shell, env, network, timeoutMs: 120_000 });
    const { exitCode, timedOut, output, ms } = ran;
    const run = { check, exitCode, timedOut, signatures: [], output, ms };
    runs.push(run);
    return run;
  };
  const budget = new Budget(LIMITS, null, world.monotonicMs);
  return {
    bench: { copy, room, llm: null, budget, world, transcript: NO_TRANSCRIPT, runCheck },
    runs,
    close: async () => {
      await room.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A check of this command, run in the root as a step without settings of its own. */
export function plainCheck(command: string, changes: Partial<Check> = {}): Check {
  return {
    command,
    cwd: "",
    shell: null,
    env: {},
    tool: null,
    installs: false,
    validation: "v1",
    notRun: null,
    ...changes,
  };
}

/** Whether a program is on PATH. On CI every program of the tests has to be there, so there the answer is always yes. */
export function canRun(program: string): boolean {
  if (process.env.CI !== undefined) return true;
  return (process.env.PATH ?? "").split(":").some((folder) => existsSync(path.join(folder, program)));
}

function commitFiles(dir: string, files: Files): void {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(dir, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=Bench", "-c", "user.email=bench@example.com", ...args], {
      cwd: dir,
      stdio: "pipe",
    });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
}
