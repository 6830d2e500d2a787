import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { GitFailed } from "../../ports/git.ts";
import type { Histories, History, StepChange, WayCommit } from "../../ports/history.ts";
import { type FileDiff, parseDiff } from "../../text/diff.ts";
import { blameLines, commitFacts } from "./blame.ts";
import { borrowObjects } from "./foreign-repository.ts";
import { OUR_ATTRIBUTES, writeAttributes } from "./our-attributes.ts";
import { decodeText } from "./path-bytes.ts";
import { firstComplaint, gitOutput, gitRunner, type RunGit } from "./run-git.ts";

export interface GitHistoriesOptions {
  /** PATH on which git is looked for; the usual places without it. */
  readonly path?: string;
  /** Where short-lived folders go; the system's own without it. */
  readonly tempFolder?: string;
}

/**
 * Histories as the `git` program tells them. Everything runs on a git directory made for the moment that only borrows the
 * clone's objects: no configuration, attribute or driver of the clone has a say in what a difference looks like.
 */
export function gitHistories({ path: searchPath, tempFolder = tmpdir() }: GitHistoriesOptions): Histories {
  const run = gitRunner(searchPath);
  return {
    open: async (dir) => {
      const gitDir = await mkdtemp(path.join(tempFolder, "retrace-history-"));
      const close = (): Promise<void> => rm(gitDir, { recursive: true, force: true });
      try {
        await borrowObjects(run, dir, gitDir);
        await writeAttributes(gitDir, OUR_ATTRIBUTES);
      } catch (error) {
        await close();
        throw error;
      }
      return historyIn(run, gitDir, close);
    },
  };
}

function historyIn(run: RunGit, gitDir: string, close: () => Promise<void>): History {
  const call = (args: readonly string[], input = ""): Promise<Buffer> =>
    gitOutput(run, { args, cwd: gitDir, gitDir, input });
  return {
    way: (from, to) => findWay(call, from, to),
    changes: (way) => readChanges(call, way),
    diff: async (from, to, context) => {
      const args = ["diff-tree", ...DIFF_ARGS, `-U${context}`, "--end-of-options", from, to];
      return parseDiff((await call(args)).toString("utf8"));
    },
    read: async (commit, file) => {
      const blob = await run({ args: ["cat-file", "blob", `${commit}:${file}`], cwd: gitDir, gitDir });
      if (blob.exitCode !== 0 || blob.stdout.includes(0)) return null;
      return decodeText(blob.stdout);
    },
    blame: (commit, file, ranges, ignored) => blameLines(run, gitDir, { commit, file, ranges, ignored }),
    facts: (commit) => commitFacts(run, gitDir, commit),
    between: async (from, to) => {
      const listed = (await call(["rev-list", "--end-of-options", `${from}..${to}`])).toString("utf8");
      return new Set(listed.split("\n").filter((sha) => sha !== ""));
    },
    mergeBase: async (one, other) => {
      const found = await run({ args: ["merge-base", "--end-of-options", one, other], cwd: gitDir, gitDir });
      // 1: nothing in common; anything else is a mistake.
      if (found.exitCode > 1) throw new GitFailed(firstComplaint(found.stderr) ?? "git merge-base failed");
      return found.exitCode === 1 ? null : found.stdout.toString("utf8").trim();
    },
    close,
  };
}

type Call = (args: readonly string[], input?: string) => Promise<Buffer>;

// Fixed here, so that no setting and no newer default changes where a hunk begins.
const DIFF_ARGS = [
  "-r",
  "-p",
  "-M50%",
  "--diff-algorithm=myers",
  "--indent-heuristic",
  "--no-ext-diff",
  "--no-textconv",
  "--no-color",
];

const FORMAT = "--format=%H%x00%P%x00%an%x00%ae%x00%s";

async function findWay(call: Call, from: string, to: string): Promise<readonly WayCommit[] | null> {
  if (from === to) return [];
  const args = ["log", "-z", FORMAT, "--ancestry-path", "--end-of-options", `${from}..${to}`];
  const fields = (await call(args)).toString("utf8").split("\0");
  const commits = new Map<string, Omit<WayCommit, "before" | "others"> & { readonly parents: readonly string[] }>();
  for (let at = 0; at + 4 < fields.length; at += 5) {
    const [sha = "", parents = "", name = "", email = "", subject = ""] = fields.slice(at, at + 5);
    commits.set(sha, { sha, parents: parents.split(" "), author: { name, email }, subject });
  }
  const way: WayCommit[] = [];
  for (let sha = to; sha !== from; ) {
    const commit = commits.get(sha);
    const before = commit?.parents.find((parent) => parent === from || commits.has(parent));
    if (commit === undefined || before === undefined) return null;
    const { parents, ...rest } = commit;
    way.unshift({ ...rest, before, others: parents.filter((parent) => parent !== before) });
    sha = before;
  }
  return way;
}

// One git process for many steps; the text of so many is held at once.
const STEPS_AT_ONCE = 100;

async function* readChanges(call: Call, way: readonly WayCommit[]): AsyncIterable<StepChange> {
  for (let at = 0; at < way.length; at += STEPS_AT_ONCE) {
    const batch = way.slice(at, at + STEPS_AT_ONCE);
    const asked = batch.flatMap((commit) =>
      [commit.before, ...commit.others].map((parent) => `${commit.sha} ${parent}`),
    );
    const args = ["diff-tree", "--stdin", "--always", ...DIFF_ARGS, "-U0"];
    const texts = splitAnswers((await call(args, `${asked.join("\n")}\n`)).toString("utf8"));
    if (texts.length !== asked.length) throw new GitFailed("git did not tell what every commit changed");
    let next = 0;
    for (const commit of batch) {
      const diffs: (readonly FileDiff[])[] = [commit.before, ...commit.others].map(() =>
        parseDiff(texts[next++] ?? ""),
      );
      yield { commit, files: diffs[0] ?? [], againstOthers: diffs.slice(1) };
    }
  }
}

/** Each answer begins with the commit's id on a line of its own; no line of a patch looks like that. */
function splitAnswers(text: string): string[] {
  // Not `^` and `$`: to them a carriage return within a changed line would end it too.
  return `\n${text}\n`
    .split(/\n(?:[0-9a-f]{64}|[0-9a-f]{40})(?=\n)/)
    .slice(1)
    .map((part) => part.slice(1));
}
