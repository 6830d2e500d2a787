import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const ROOT = path.resolve(import.meta.dirname, "../../..");
/** The built product. */
export const BUILT = path.dirname(process.env.RETRACE_MAIN ?? path.join(ROOT, "dist/main.js"));

export interface Running {
  readonly address: string;
  readonly child: ChildProcess;
  readonly logged: () => string;
  /** Sends the signal and resolves with the exit code, null where the signal itself ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a server and waits for the line that says where it listens. Rejects when it ends before. */
export async function startServer(words: readonly string[], env: Readonly<Record<string, string>>): Promise<Running> {
  const child = spawn(process.execPath, [...words], {
    cwd: "/",
    env: { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: process.env.HOME ?? "/", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let logged = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    logged += text;
  });
  const exited = once(child, "exit");
  let said = "";
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      const found = /http:\S+/.exec(said)?.[0];
      if (found !== undefined && said.endsWith("\n")) resolve(found);
    });
    void exited.then(([code]) => reject(new Error(`it ended with ${code}: ${said}${logged}`)));
  });
  return {
    address,
    child,
    logged: () => logged,
    end: async (signal) => {
      child.kill(signal);
      return (await exited)[0] as number | null;
    },
  };
}

/** Waits until `ask` gives something; rejects after `withinMs`. */
export async function until<T>(
  withinMs: number,
  ask: () => T | null | undefined | false | Promise<T | null>,
): Promise<T> {
  const limit = performance.now() + withinMs;
  for (;;) {
    const found = await ask();
    if (found !== null && found !== undefined && found !== false) return found;
    if (performance.now() > limit) throw new Error(`did not happen within ${withinMs} ms`);
    await sleep(25);
  }
}

/** Whether any process of this machine has these words in its command line. */
export function isRunning(words: string): boolean {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").includes(words);
      } catch {
        return false;
      }
    });
}
