import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** A commit to write: what changes against its first parent; null deletes a file. */
export interface WrittenCommit {
  readonly files: Readonly<Record<string, string | Uint8Array | null>>;
  readonly subject?: string;
  /** Places in the list; the commit before by default, none for the first. */
  readonly parents?: readonly number[];
  readonly executable?: readonly string[];
  readonly author?: string;
}

export interface WrittenHistory {
  readonly dir: string;
  /** One for each commit, in order. */
  readonly shas: readonly string[];
  remove(): void;
}

/** A real repository with these commits, written in one go. */
export function writeHistory(commits: readonly WrittenCommit[]): WrittenHistory {
  const dir = mkdtempSync(path.join(tmpdir(), "written-history-"));
  const git = (args: string[], input?: Buffer): string =>
    execFileSync("git", args, { cwd: dir, input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
  git(["init", "-q", "-b", "main"]);
  const trees: Map<string, { readonly content: Buffer; readonly mode: string }>[] = [];
  const parts: Buffer[] = [];
  commits.forEach((commit, index) => {
    const parents = commit.parents ?? (index === 0 ? [] : [index - 1]);
    const tree = new Map(trees[parents[0] ?? -1] ?? []);
    for (const [name, content] of Object.entries(commit.files)) {
      if (content === null) tree.delete(name);
      else tree.set(name, { content: Buffer.from(content), mode: tree.get(name)?.mode ?? "100644" });
    }
    for (const name of commit.executable ?? []) {
      const file = tree.get(name);
      if (file !== undefined) tree.set(name, { ...file, mode: "100755" });
    }
    trees.push(tree);
    const subject = Buffer.from(commit.subject ?? `commit ${index}`);
    const who = `${commit.author ?? "Ada"} <ada@example.org> ${1_700_000_000 + index} +0000`;
    const [first, ...others] = parents;
    parts.push(
      Buffer.from(
        `commit refs/heads/c${index}\nmark :${index + 1}\nauthor ${who}\ncommitter ${who}\ndata ${subject.length}\n`,
      ),
      subject,
      Buffer.from("\n"),
      Buffer.from(first === undefined ? "" : `from :${first + 1}\n`),
      Buffer.from(others.map((other) => `merge :${other + 1}\n`).join("")),
      Buffer.from("deleteall\n"),
    );
    for (const [name, { content, mode }] of tree) {
      parts.push(
        Buffer.from(`M ${mode} inline ${JSON.stringify(name)}\ndata ${content.length}\n`),
        content,
        Buffer.from("\n"),
      );
    }
    parts.push(Buffer.from("\n"));
  });
  git(["fast-import", "--quiet", "--force"], Buffer.concat(parts));
  const shas = commits.map((_, index) => git(["rev-parse", `refs/heads/c${index}`]).trim());
  git(["symbolic-ref", "HEAD", `refs/heads/c${commits.length - 1}`]);
  return { dir, shas, remove: () => rmSync(dir, { recursive: true, force: true }) };
}
