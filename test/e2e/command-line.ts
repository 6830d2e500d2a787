import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmdirSync, statSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OutcomeDocument } from "./documents.ts";

const ROOT = path.resolve(import.meta.dirname, "../..");
// Another build than this checkout's own can be tried by naming its main.js.
const MAIN = process.env.RETRACE_MAIN ?? path.join(ROOT, "dist/main.js");

export interface Ran {
  /** 128 + the signal's number where a signal ended the process, as shells count. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called with the process and what it has said on stderr so far, at every piece. */
  readonly onStderr?: (child: ChildProcess, said: string) => void;
}

/** Runs the built command line as a process of its own, with an environment that holds nothing of ours by accident. */
export function retrace(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: options.cwd ?? "/",
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: process.env.HOME ?? "/", ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said.stderr += text;
    options.onStderr?.(child, said.stderr);
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code: code ?? (signal === null ? null : -1), ...said }));
  });
}

/** `repair --json`, its document held to the contract. */
export async function repairJson(
  args: readonly string[],
  options: RunOptions = {},
): Promise<Ran & { readonly outcome: OutcomeDocument }> {
  const ran = await retrace(["repair", ...args, "--json"], options);
  if (ran.stdout === "") throw new Error(`nothing on stdout, exit ${ran.code}: ${ran.stderr}`);
  return { ...ran, outcome: OutcomeDocument.parse(JSON.parse(ran.stdout)) };
}

/** Builds the command line when it is missing or older than its sources; several callers at once build it once. */
export async function ensureBuilt(): Promise<void> {
  if (process.env.RETRACE_MAIN !== undefined) return;
  const lock = path.join(ROOT, "node_modules/.retrace-build-lock");
  while (isStale()) {
    try {
      mkdirSync(lock);
    } catch {
      await sleep(250);
      continue;
    }
    try {
      if (isStale()) execFileSync(process.execPath, [path.join(ROOT, "script/build.mjs")], { stdio: "pipe" });
    } finally {
      rmdirSync(lock);
    }
  }
}

function isStale(): boolean {
  const built = statSync(MAIN, { throwIfNoEntry: false });
  return built === undefined || newest(path.join(ROOT, "src")) > built.mtimeMs;
}

function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Math.max(...files.map((entry) => statSync(path.join(entry.parentPath, entry.name)).mtimeMs));
}
