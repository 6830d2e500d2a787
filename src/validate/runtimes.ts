import type { SandboxRoom } from "../ports/sandbox.ts";
import { SandboxUnavailable } from "../ports/sandbox.ts";

/** How each runtime that a setup action can name says its version. */
const ASK: Readonly<Record<string, string>> = {
  node: "node --version",
  python: "python --version || python3 --version",
  go: "go version",
  java: "java -version",
  ruby: "ruby --version",
  rust: "rustc --version",
  php: "php --version",
  dotnet: "dotnet --version",
  deno: "deno --version",
  bun: "bun --version",
  pnpm: "pnpm --version",
};

// A shim that would rather download than answer.
const ASK_TIMEOUT_MS = 20_000;

/**
 * What these runtimes say of their version in the room, as `runtimeDifferences` takes it: null where there is none. A
 * name we cannot ask for is left out. `env` as the check has it: it may choose another interpreter.
 */
export async function readRuntimes(
  room: SandboxRoom,
  names: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string | null>>> {
  const found: Record<string, string | null> = {};
  for (const name of names) {
    const script = ASK[name];
    if (script !== undefined) found[name] = await ask(room, script, env);
  }
  return found;
}

async function ask(room: SandboxRoom, script: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  try {
    const command = { script, shell: null, cwd: "", env, network: "off", timeoutMs: ASK_TIMEOUT_MS } as const;
    const { exitCode, output } = await room.run(command);
    return exitCode === 0 ? output.trim() : null;
  } catch (error) {
    if (error instanceof SandboxUnavailable) return null;
    throw error;
  }
}
