import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Real git as a client, with a token in the address and nothing of this machine's configuration. */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const env = {
    PATH: "/usr/local/bin:/usr/bin:/bin",
    HOME: cwd,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
    GIT_AUTHOR_NAME: "retrace[bot]",
    GIT_AUTHOR_EMAIL: "1+retrace[bot]@users.noreply.github.com",
    GIT_COMMITTER_NAME: "retrace[bot]",
    GIT_COMMITTER_EMAIL: "1+retrace[bot]@users.noreply.github.com",
  };
  return (await run("git", args, { cwd, env })).stdout.trim();
}

/** What git said on stderr when it failed; rejects when it did not fail. */
export async function gitRefusal(cwd: string, ...args: readonly string[]): Promise<string> {
  try {
    await git(cwd, ...args);
  } catch (error) {
    return (error as { stderr: string }).stderr;
  }
  throw new Error(`git ${args.join(" ")} did not fail`);
}
