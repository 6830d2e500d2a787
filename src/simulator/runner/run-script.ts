import { spawn } from "node:child_process";
import { StringDecoder } from "node:string_decoder";

export interface Script {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onLine: (line: string) => void;
  /** The process group, which may outlive the script: servers that a step starts in the background. */
  readonly onStart: (group: number) => void;
}

export type ScriptEnd =
  | { readonly ended: "exited"; readonly code: number }
  | { readonly ended: "timed-out" }
  | { readonly ended: "cancelled" };

/** After the shell has gone, what a background process still says is not waited for longer than this. */
const LAST_WORDS_MS = 300;

/** Runs a command in a process group of its own; stdout and stderr come as lines, in their order. */
export function runScript({ command, cwd, env, timeoutMs, signal, onLine, onStart }: Script): Promise<ScriptEnd> {
  return new Promise((resolve, reject) => {
    // One pipe for both streams, so that their order is the order of writing.
    const child = spawn("/bin/sh", ["-c", 'exec "$@" 2>&1', "sh", ...command], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    if (child.pid !== undefined) onStart(child.pid);
    let end: ScriptEnd | null = null;
    const stop = (why: ScriptEnd) => {
      end ??= why;
      if (child.pid !== undefined) killGroup(child.pid);
    };
    const timer = setTimeout(() => stop({ ended: "timed-out" }), timeoutMs);
    const cancel = () => stop({ ended: "cancelled" });
    if (signal.aborted) cancel();
    signal.addEventListener("abort", cancel, { once: true });

    const lines = splitLines(onLine);
    child.stdout.on("data", lines.push);
    child.on("error", reject);
    child.on("exit", (code, killedBy) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
      // 128 + signal, as a shell says it; only SIGKILL (9) and SIGTERM (15) are met in practice.
      end ??= { ended: "exited", code: code ?? (killedBy === "SIGKILL" ? 137 : 143) };
      setTimeout(() => child.stdout.destroy(), LAST_WORDS_MS).unref();
    });
    child.on("close", () => {
      lines.flush();
      resolve(end ?? { ended: "cancelled" });
    });
  });
}

/** Ends what is left of a process group; nothing left is fine. */
export function killGroup(group: number): void {
  try {
    process.kill(-group, "SIGKILL");
  } catch {
    // already gone
  }
}

function splitLines(onLine: (line: string) => void) {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  return {
    push(chunk: Buffer) {
      const parts = (rest + decoder.write(chunk)).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) onLine(part.replace(/\r$/, ""));
    },
    flush() {
      const last = rest + decoder.end();
      if (last !== "") onLine(last);
    },
  };
}
