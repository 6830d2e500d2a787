import { mkdir } from "node:fs/promises";
import { GitFailed } from "../../ports/git.ts";
import type { PushAnswer, Remote, RemoteGit } from "../../ports/remote-git.ts";
import { redact } from "../../text/redact.ts";
import { firstComplaint, type GitResult, gitOutput, gitRunner, type RunGit } from "./run-git.ts";

export interface RemoteGitOptions {
  readonly path?: string;
  /** Where certificate authorities are (GIT_SSL_CAINFO and the like); no secret. */
  readonly certificates?: Readonly<Record<string, string>>;
}

/** Git over HTTP as the `git` program speaks it. */
export function httpGit({ path, certificates = {} }: RemoteGitOptions = {}): RemoteGit {
  const run = gitRunner(path);
  return {
    async fetch(remote, wanted, folder) {
      await makeBare(run, folder);
      const found: (string | null)[] = [];
      for (const name of wanted) found.push(await fetchOne(run, remote, name, folder, certificates));
      return found;
    },

    async push(folder, commit, remote, branch, expected) {
      const ref = `refs/heads/${branch}`;
      const lease = `--force-with-lease=${ref}:${expected ?? ""}`;
      const args = ["push", "--porcelain", "--no-verify", lease, remote.url, `${commit}:${ref}`];
      const answer = await run({ args, cwd: folder, gitDir: folder, env: { ...access(remote), ...certificates } });
      return answer.exitCode === 0 ? { pushed: true } : readRefusal(answer, ref);
    },
  };
}

/** Making one where there is one changes nothing. */
async function makeBare(run: RunGit, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await gitOutput(run, { args: ["init", "--quiet", "--bare", "."], cwd: folder });
}

/** One name at a time: a missing one fails a fetch of many as a whole. */
async function fetchOne(
  run: RunGit,
  remote: Remote,
  name: string,
  folder: string,
  certificates: Readonly<Record<string, string>>,
): Promise<string | null> {
  const args = [
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-write-fetch-head",
    "--force",
    remote.url,
    `+${name}:refs/retrace/fetched`,
  ];
  const answer = await run({ args, cwd: folder, gitDir: folder, env: { ...access(remote), ...certificates } });
  if (answer.exitCode !== 0) {
    if (/couldn't find remote ref|not our ref|no such remote ref|unadvertised object/i.test(answer.stderr)) return null;
    throw new GitFailed(complaint(answer));
  }
  const parsed = await gitOutput(run, {
    args: ["rev-parse", "refs/retrace/fetched^{commit}"],
    cwd: folder,
    gitDir: folder,
  });
  const commit = parsed.toString("utf8").trim();
  // A ref of its own keeps it from being collected.
  await gitOutput(run, { args: ["update-ref", `refs/retrace/kept/${commit}`, commit], cwd: folder, gitDir: folder });
  return commit;
}

/** Transport for this call only. The header is bound to the remote's own host, so that a redirect does not carry it on. */
function access({ url, authorization }: Remote): Record<string, string> {
  const transport = { GIT_ALLOW_PROTOCOL: "http:https", GIT_NO_LAZY_FETCH: "1" };
  if (authorization === null) return transport;
  return {
    ...transport,
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: `http.${new URL(url).origin}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
  };
}

function readRefusal(answer: GitResult, ref: string): PushAnswer {
  const status = answer.stdout
    .toString("utf8")
    .split("\n")
    .find((line) => line.startsWith("!") && line.includes(ref));
  if (status === undefined) throw new GitFailed(complaint(answer));
  // Porcelain form: `!<TAB>from:to<TAB>[summary] (reason)`.
  const message = redact(status.split("\t").slice(2).join(" "));
  const moved = /stale info|non-fast-forward|fetch first|already exists/.test(status);
  const reason = answer.stderr.split("\n").find((line) => /^remote: (?:error|fatal)|refusing/i.test(line));
  return {
    pushed: false,
    because: moved ? "moved" : "refused",
    message: reason === undefined ? message : redact(reason),
  };
}

function complaint(answer: GitResult): string {
  return redact(firstComplaint(answer.stderr) ?? "git failed without a word");
}
