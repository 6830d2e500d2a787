import { stat } from "node:fs/promises";
import path from "node:path";
import type { ToolPrefixes } from "./prefixes.ts";

// What a runner sets, plus what keeps output plain and nobody waiting. No colour is asked for and none forbidden: tools
// decide as they do on a runner, where output is no terminal either.
const PLAIN: Readonly<Record<string, string>> = {
  CI: "true",
  LANG: "C.UTF-8",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive",
  PIP_PROGRESS_BAR: "off",
  PIP_DISABLE_PIP_VERSION_CHECK: "1",
  // The system's Python refuses to install beside the system's packages; the room is thrown away.
  PIP_BREAK_SYSTEM_PACKAGES: "1",
  TQDM_DISABLE: "1",
  RUNNER_OS: "Linux",
  // A shim that fetches a toolchain would write to a prefix that is read-only; "not installed" is the clearer answer.
  RUSTUP_AUTO_INSTALL: "0",
};

// Where tools install commands when the system's folder is closed to them, as on a runner: pip, npm -g, cargo, go.
const INSTALLED = [".local/bin", ".npm-global/bin", ".cargo/bin", "go/bin"];

const HEADERS = "/usr/include/node/node.h";

/** The variables every command of a room starts with. */
export async function roomEnvironment(
  prefixes: Pick<ToolPrefixes, "searchPath" | "env">,
  inside: { readonly home: string; readonly tmp: string; readonly tree: string },
): Promise<Readonly<Record<string, string>>> {
  const installed = INSTALLED.map((folder) => path.join(inside.home, folder));
  return {
    ...PLAIN,
    PATH: [...installed, ...prefixes.searchPath].join(path.delimiter),
    HOME: inside.home,
    TMPDIR: inside.tmp,
    RUNNER_TEMP: inside.tmp,
    GITHUB_WORKSPACE: inside.tree,
    ...(await npmEnvironment(inside.home)),
    ...prefixes.env,
  };
}

async function npmEnvironment(home: string): Promise<Record<string, string>> {
  const env: Record<string, string> = { npm_config_prefix: path.join(home, ".npm-global") };
  // npm looks for the machine's settings below its prefix; ours is another one.
  if (await isThere("/usr/etc/npmrc")) env.npm_config_globalconfig = "/usr/etc/npmrc";
  // Native add-ons are built against the headers at hand; a download of them may not be possible.
  if (await isThere(HEADERS)) env.npm_config_nodedir = "/usr";
  return env;
}

async function isThere(file: string): Promise<boolean> {
  return (await stat(file).catch(() => null)) !== null;
}
