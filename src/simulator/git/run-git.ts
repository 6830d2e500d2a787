import { spawn } from "node:child_process";

export interface GitOptions {
  readonly input?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs one git command in its folder; stdout as text. Rejects with GitFailed. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<string>;

export class GitFailed extends Error {
  override readonly name = "GitFailed";
}

/** The environment of every git process here: no configuration, hooks or prompts of the machine it runs on. */
export function gitEnvironment(toolPath: string): Record<string, string> {
  return {
    PATH: toolPath,
    HOME: "/nonexistent",
    LANG: "C.UTF-8",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "GitHub",
    GIT_AUTHOR_EMAIL: "noreply@github.com",
    GIT_COMMITTER_NAME: "GitHub",
    GIT_COMMITTER_EMAIL: "noreply@github.com",
  };
}

/** git in one folder, found on this PATH. */
export function gitIn(folder: string, toolPath: string): Git {
  return async (args, options = {}) => (await runGit(folder, toolPath, args, options)).toString("utf8");
}

/** As `gitIn`, for output that may be binary. */
export function runGit(
  folder: string,
  toolPath: string,
  args: readonly string[],
  { input, env }: GitOptions = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn("git", args, { cwd: folder, env: { ...gitEnvironment(toolPath), ...env } });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
    child.stdin.on("error", () => {}); // git may end before it has read everything; its exit code tells
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) return resolve(Buffer.concat(out));
      reject(new GitFailed(`git ${args[0]} ended with ${code}: ${Buffer.concat(err).toString("utf8").trim()}`));
    });
    child.stdin.end(input);
  });
}
