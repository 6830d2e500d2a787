import { readFile } from "node:fs/promises";
import path from "node:path";
import type { LineRange } from "../../domain/experience.ts";
import type { BlamedLine, CommitFacts } from "../../ports/history.ts";
import { showPath, splitPaths } from "./path-bytes.ts";
import { gitOutput, type RunGit } from "./run-git.ts";

export interface BlameAsk {
  readonly commit: string;
  readonly file: string;
  readonly ranges: readonly LineRange[];
  readonly ignored: readonly string[];
}

/** `git blame` with moves, copies and white space followed (papers §2.3); see `History.blame`. */
export async function blameLines(run: RunGit, gitDir: string, ask: BlameAsk): Promise<readonly BlamedLine[]> {
  const call = (args: readonly string[], input = ""): Promise<Buffer> =>
    gitOutput(run, { args, cwd: gitDir, gitDir, input });
  const text = await call(["cat-file", "blob", `${ask.commit}:${ask.file}`]);
  const ranges = withinFile(ask.ranges, countLines(text));
  if (ranges.length === 0) return [];
  const ignored = await commitsThere(call, ask.ignored);
  const args = [
    "-c",
    "core.quotePath=false",
    "blame",
    "-w",
    "-M",
    "-C",
    "--root", // else a commit without parents is called a boundary, as where a shallow clone ends
    "--line-porcelain",
    ...ranges.map(({ start, end }) => `-L${start},${end}`),
    ...ignored.map((sha) => `--ignore-rev=${sha}`),
    ask.commit,
    "--",
    ask.file,
  ];
  return readPorcelain((await call(args)).toString("utf8"), await shallowCommits(gitDir));
}

function countLines(text: Buffer): number {
  const breaks = text.reduce((count, byte) => (byte === 10 ? count + 1 : count), 0);
  return text.length > 0 && text.at(-1) !== 10 ? breaks + 1 : breaks;
}

/** Git refuses a range that begins behind the end. */
function withinFile(ranges: readonly LineRange[], lines: number): readonly LineRange[] {
  return ranges
    .map(({ start, end }) => ({ start: Math.max(1, start), end: Math.min(end, lines) }))
    .filter(({ start, end }) => start <= end);
}

/** Those that are commits here: git gives up on any other. */
async function commitsThere(
  call: (args: readonly string[], input?: string) => Promise<Buffer>,
  ids: readonly string[],
): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const told = (await call(["cat-file", "--batch-check"], `${ids.join("\n")}\n`)).toString("utf8").split("\n");
  return told.flatMap((line) => /^([0-9a-f]+) commit /.exec(line)?.[1] ?? []);
}

async function shallowCommits(gitDir: string): Promise<ReadonlySet<string>> {
  const text = await readFile(path.join(gitDir, "shallow"), "utf8").catch(() => "");
  return new Set(text.split("\n").filter((line) => line !== ""));
}

function readPorcelain(text: string, shallow: ReadonlySet<string>): readonly BlamedLine[] {
  const lines: BlamedLine[] = [];
  let head: Pick<BlamedLine, "sha" | "line" | "from"> | null = null;
  let file = "";
  for (const row of text.split("\n")) {
    const opens: RegExpExecArray | null = head === null ? /^([0-9a-f]{40,64}) (\d+) (\d+)/.exec(row) : null;
    if (opens !== null) head = { sha: opens[1] ?? "", from: Number(opens[2]), line: Number(opens[3]) };
    else if (row.startsWith("filename ")) file = row.slice("filename ".length);
    else if (row.startsWith("\t") && head !== null) {
      lines.push({ ...head, path: file, boundary: shallow.has(head.sha) });
      head = null;
    }
  }
  return lines.sort((a, b) => a.line - b.line);
}

/** See `History.facts`. */
export async function commitFacts(run: RunGit, gitDir: string, commit: string): Promise<CommitFacts> {
  const call = (args: readonly string[]): Promise<Buffer> => gitOutput(run, { args, cwd: gitDir, gitDir });
  const told = await call(["log", "-1", "--format=%H%x00%P%x00%aI%x00%B", "--end-of-options", commit]);
  const [sha = "", parents = "", date = "", message = ""] = told.toString("utf8").split("\0");
  const parent = parents.split(" ")[0] || null;
  const between = parent === null ? ["--root", sha] : [parent, sha];
  const rows = splitPaths(
    await call(["diff-tree", "-r", "-z", "-M50%", "--name-status", "--no-commit-id", ...between]),
  );
  const files = readNameStatus(rows.map(showPath));
  const whitespaceOnly = parent !== null && mayBeWhitespace(files) && (await isWhitespace(call, parent, sha));
  return { sha, parent, date, message: message.trim(), files, whitespaceOnly };
}

/** More files than a person reformats by hand are told by their number; reading them all would cost seconds. */
const MOST_COMPARED = 200;

function mayBeWhitespace(files: CommitFacts["files"]): boolean {
  if (files.length === 0 || files.length > MOST_COMPARED) return false;
  return files.every(({ oldPath, newPath }) => oldPath === newPath);
}

async function isWhitespace(
  call: (args: readonly string[]) => Promise<Buffer>,
  parent: string,
  sha: string,
): Promise<boolean> {
  const args = ["diff-tree", "-r", "-p", "-w", "--ignore-blank-lines", "-U0", "--no-ext-diff", "--no-textconv"];
  return !/^(?:@@ |Binary files |GIT binary patch)/m.test((await call([...args, parent, sha])).toString("latin1"));
}

/** `M\0path`, `R087\0old\0new`. */
function readNameStatus(fields: readonly string[]): CommitFacts["files"] {
  const files: { oldPath: string | null; newPath: string | null }[] = [];
  for (let at = 0; at < fields.length; ) {
    const status = fields[at] ?? "";
    const [one = "", other = ""] = [fields[at + 1], fields[at + 2]];
    if (/^[RC]/.test(status)) {
      files.push({ oldPath: one, newPath: other });
      at += 3;
    } else {
      files.push({ oldPath: status === "A" ? null : one, newPath: status === "D" ? null : one });
      at += 2;
    }
  }
  return files;
}
