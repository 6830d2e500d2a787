import { spawn } from "node:child_process";
import { stat } from "node:fs/promises";
import { GitFailed } from "../../ports/git.ts";

/** One git process. Paths may hold any bytes, so lists travel as bytes, NUL between them. */
export interface GitCall {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Instead of looking for one above `cwd`. */
  readonly gitDir?: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  readonly input?: Uint8Array | string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Runs git; resolves however it ends, rejects with GitFailed when it cannot be started. */
export type RunGit = (call: GitCall) => Promise<GitResult>;

// Where git may lie when nobody says: the caller's PATH is not read here.
const USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin";

/**
 * The whole environment of a git process. Nothing of the caller's goes in: no GIT_DIR of a hook we may run under, no
 * HOME whose configuration names programs, no credentials.
 */
const ENV: Readonly<Record<string, string>> = {
  LC_ALL: "C",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  // Without it `git status` rewrites the index of the clone it only looks at.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  // A partial clone fetches what it lacks, through programs its configuration names. No transport, no program.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_NO_LAZY_FETCH: "1",
  GIT_LITERAL_PATHSPECS: "1",
};

/** Settings that a repository's own configuration cannot override. */
const SETTINGS: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "core.excludesFile=/dev/null",
  "core.quotePath=true",
  "i18n.commitEncoding=UTF-8",
  "submodule.recurse=false",
  "gc.auto=0",
  "maintenance.auto=false",
  // Git refuses repositories of another owner because their configuration could run programs: ours runs none of it.
  "safe.directory=*",
];

/**
 * A plain spawn of git. simple-git refuses these very variables unless told that they are unsafe, returns text where
 * names and blobs are bytes, and has no standard input; here all of it is wanted.
 */
export function gitRunner(path: string = USUAL_PATH): RunGit {
  return (call) =>
    new Promise((resolve, reject) => {
      const child = spawn("git", [...SETTINGS.flatMap((setting) => ["-c", setting]), ...call.args], {
        cwd: call.cwd,
        env: { PATH: path, ...ENV, ...locations(call), ...call.env },
        stdio: "pipe",
      });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
      child.stderr.on("data", (chunk: Buffer) => err.push(chunk));
      // Git may end before it has read everything (a patch that is no patch): its exit code says so, not EPIPE.
      child.stdin.on("error", () => {});
      child.on("error", (error) => void whyNotStarted(call.cwd, error).then(reject));
      child.on("close", (code) =>
        resolve({ exitCode: code ?? 128, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString("utf8") }),
      );
      child.stdin.end(call.input ?? "");
    });
}

function locations(call: GitCall): Record<string, string> {
  return {
    ...(call.gitDir === undefined ? {} : { GIT_DIR: call.gitDir }),
    ...(call.workTree === undefined ? {} : { GIT_WORK_TREE: call.workTree }),
    ...(call.indexFile === undefined ? {} : { GIT_INDEX_FILE: call.indexFile }),
  };
}

/** A missing folder and a missing git give the same ENOENT. */
async function whyNotStarted(cwd: string, error: Error): Promise<GitFailed> {
  const folder = await stat(cwd).catch(() => null);
  if (folder === null) return new GitFailed(`${cwd} does not exist`);
  if (!folder.isDirectory()) return new GitFailed(`${cwd} is not a folder`);
  return new GitFailed(`git could not be started: ${error.message}`);
}

/** The standard output of a git process that must succeed; rejects with GitFailed, one line, when it does not. */
export async function gitOutput(run: RunGit, call: GitCall): Promise<Buffer> {
  const result = await run(call);
  if (result.exitCode !== 0) throw new GitFailed(firstComplaint(result.stderr) ?? `git ${call.args[0]} failed`);
  return result.stdout;
}

/** As `gitOutput`, for output that is one line of text. */
export async function gitLine(run: RunGit, call: GitCall): Promise<string> {
  return (await gitOutput(run, call)).toString("utf8").replace(/\n$/, "");
}

/** The first line that says what is wrong, without its label; null when git said nothing. */
export function firstComplaint(stderr: string): string | null {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((candidate) => /^(?:error|fatal): /.test(candidate)) ?? lines[0];
  return line === undefined ? null : line.replace(/^(?:error|fatal): /, "");
}
