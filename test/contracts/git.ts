import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { type Git, GitFailed, type WorkingCopy } from "../../src/ports/git.ts";
import {
  commit,
  type FileSpec,
  files,
  fingerprint,
  git,
  gitApply,
  repository,
  tempFolder,
  write,
} from "./git-repositories.ts";

const PROGRAM = {
  "src/sum.js": "export const sum = (a, b) => a - b;\n",
  "README.md": "# Sum\n",
  ".gitignore": "dist/\n*.log\n",
};

async function copyOf(adapter: Git, from: string, at = "HEAD"): Promise<WorkingCopy> {
  const id = git(from, "rev-parse", at).trim();
  return adapter.checkout(from, id, path.join(tempFolder(), "work"));
}

/** Every change a patch can carry, one row each: what is written over the program above. */
const CHANGES: readonly [string, Readonly<Record<string, FileSpec>>][] = [
  ["a changed line", { "src/sum.js": "export const sum = (a, b) => a + b;\n" }],
  ["a line without its end", { "src/sum.js": "export const sum = (a, b) => a + b;" }],
  ["a new file", { "src/new/deep.js": "1;\n" }],
  ["an empty file", { "src/empty.js": "" }],
  ["a deleted file", { "README.md": null }],
  ["a moved file", { "README.md": null, "docs/README.md": "# Sum\n" }],
  ["an executable", { "run.sh": { script: "#!/bin/sh\n" } }],
  ["a mode alone", { "src/sum.js": { script: PROGRAM["src/sum.js"] } }],
  ["a link", { here: { link: "src/sum.js" } }],
  ["a file that became a link", { "README.md": { link: "src/sum.js" } }],
  ["a file that became a folder", { "README.md": null, "README.md/inner.md": "in\n" }],
  ["a folder that became a file", { src: "no folder any more\n" }],
  ["a folder that became a link", { src: null, "lib/sum.js": "moved\n", "src ": "x", "README.md": "x" }],
  ["bytes", { "logo.png": Buffer.from([137, 80, 78, 71, 0, 1, 2, 255]) }],
  ["text in Latin-1", { "README.md": Buffer.from("caf\xe9\n", "latin1") }],
  ["text with a NUL far inside", { "README.md": Buffer.from(`${"x\n".repeat(9000)}\0\n`) }],
  ["line ends of another system", { "src/sum.js": "export const sum = 1;\r\nexport const two = 2;\r\n" }],
  ["a byte order mark", { "README.md": "\ufeff# Sum\n" }],
  ["a name beyond ASCII", { "docs/größe 数.md": "1\n" }],
  ["a name with odd characters", { 'a "b"\tc\\d*?[e].md': "1\n", "-n": "2\n", ":(top)x": "3\n" }],
  ["a name that is no UTF-8", { "docs/caf\xe9.md": "1\n" }],
  ["a repository inside the tree", { "inner/a.txt": "1\n" }],
];

/** What every Git must keep to. `make` gives the adapter under test. */
export function gitContract(name: string, make: () => Git): void {
  describe(`${name}: looking at a clone`, () => {
    it("tells root, head, branch, origin and what is not committed, from a folder inside too", async () => {
      const clone = repository(PROGRAM);
      git(clone, "remote", "add", "origin", "git@github.com:ada/sum.git");
      write(clone, {
        "src/sum.js": "changed\n",
        "new.txt": "1\n",
        "more/a.txt": "1\n",
        "more/b.txt": "2\n",
        "x.log": "1\n",
      });

      const facts = await make().inspect(path.join(clone, "src"));

      expect(facts).toEqual({
        root: clone,
        bare: false,
        head: git(clone, "rev-parse", "HEAD").trim(),
        branch: "main",
        origin: "ada/sum",
        uncommitted: ["src/sum.js", "more/", "new.txt"],
        dependencyFolders: [],
      });
    });

    it("names ignored folders of installed dependencies at any depth, and no tracked one", async () => {
      const clone = repository({
        ".gitignore": "node_modules/\n/target\n*.log\n",
        "vendor/lib.php": "tracked\n",
        "packages/a/package.json": "{}\n",
      });
      write(clone, {
        "node_modules/a/index.js": "1\n",
        "node_modules/a/node_modules/b/index.js": "1\n",
        "packages/a/node_modules/c/index.js": "1\n",
        "target/debug/x": "1\n",
        "vendor/x.log": "1\n",
        ".venv/.gitignore": "*\n",
        ".venv/bin/python": "1\n",
        "venv/bin/python": "not ignored\n",
      });

      const facts = await make().inspect(clone);

      expect(facts.dependencyFolders).toEqual([".venv", "node_modules", "packages/a/node_modules", "target"]);
    });

    it("knows a repository without commits, a bare one, a second work tree and a detached head", async () => {
      const adapter = make();
      const clone = repository(PROGRAM);
      const head = git(clone, "rev-parse", "HEAD").trim();
      const folder = tempFolder();
      git(folder, "init", "-q", "-b", "main", "unborn");
      git(folder, "clone", "-q", "--bare", clone, "bare.git");
      git(clone, "worktree", "add", "-q", "--detach", path.join(folder, "second"));
      write(folder, { "second/new.txt": "1\n" });

      const facts = await Promise.all(
        ["unborn", "bare.git", "second"].map((name) => adapter.inspect(path.join(folder, name))),
      );

      const none = { bare: false, origin: null, dependencyFolders: [] };
      expect(facts).toEqual([
        { ...none, root: path.join(folder, "unborn"), head: null, branch: "main", uncommitted: [] },
        { ...none, root: path.join(folder, "bare.git"), bare: true, head, branch: "main", uncommitted: [] },
        { ...none, root: path.join(folder, "second"), head, branch: null, uncommitted: ["new.txt"] },
      ]);
    });

    it.each([
      ["a folder without a repository", (folder: string) => folder],
      ["a folder that is not there", (folder: string) => path.join(folder, "gone")],
    ])("refuses %s with one line", async (_, where) => {
      const dir = where(tempFolder());

      const failure = await make()
        .inspect(dir)
        .catch((error: unknown) => error);

      expect(failure).toBeInstanceOf(GitFailed);
      expect((failure as GitFailed).message).toMatch(new RegExp(`^${dir}[^\n]+$`));
    });

    it("resolves revisions to commits and says null for what is not there", async () => {
      const clone = repository(PROGRAM);
      const head = git(clone, "rev-parse", "HEAD").trim();
      git(clone, "tag", "-a", "-m", "first", "v1");
      const adapter = make();

      const revisions = [
        "HEAD",
        "v1",
        head.slice(0, 8),
        "main",
        "nothing",
        "f".repeat(40),
        "--all",
        "HEAD:README.md",
        "",
      ];
      const found = await Promise.all(revisions.map((revision) => adapter.resolve(clone, revision)));

      expect(found).toEqual([head, head, head, head, null, null, null, null, null]);
    });
  });

  describe(`${name}: a working copy`, () => {
    it("holds the files of the commit, not of the clone's work tree, and its own repository with the history up to there", async () => {
      const clone = repository(PROGRAM);
      git(clone, "tag", "v1");
      const failing = commit(clone, { "src/sum.js": "broken\n" }, "break it");
      const later = commit(clone, { "src/sum.js": "mended\n" }, "mend it");
      git(clone, "tag", "v2");
      git(clone, "remote", "add", "origin", "https://token@example.org/ada/sum.git");
      write(clone, { "README.md": "not committed\n" });

      const copy = await copyOf(make(), clone, failing);

      expect(files(copy.tree)).toEqual({
        ".gitignore": JSON.stringify(PROGRAM[".gitignore"]),
        "README.md": JSON.stringify(PROGRAM["README.md"]),
        "src/sum.js": JSON.stringify("broken\n"),
      });
      expect(copy.commit).toBe(failing);
      expect(copy.base).toBe(git(clone, "rev-parse", `${failing}^{tree}`).trim());
      expect(git(copy.tree, "log", "--format=%s").trim()).toBe("break it\na change");
      expect(git(copy.tree, "status", "--porcelain")).toBe("");
      expect(git(copy.tree, "blame", "-s", "src/sum.js")).toContain("broken");
      expect(git(copy.tree, "tag")).toBe("v1\n");
      expect(git(copy.tree, "remote")).toBe("");
      expect(() => git(copy.tree, "cat-file", "-e", later)).toThrow();
      expect(readFileSync(path.join(copy.tree, ".git/config"), "utf8")).not.toContain("token");
    });

    it.each(CHANGES)("snapshots, diffs, restores and applies %s", async (_, change) => {
      const clone = repository(PROGRAM);
      const copy = await copyOf(make(), clone);
      write(copy.tree, change);
      if ("inner/a.txt" in change) git(path.join(copy.tree, "inner"), "init", "-q");
      const changed = files(copy.tree);

      const after = await copy.snapshot();
      const patch = await copy.diff(copy.base, after);
      await copy.restore(copy.base);
      const restored = files(copy.tree);
      const complaint = await copy.apply(patch);

      expect(after).not.toBe(copy.base);
      expect(Buffer.from(patch).toString()).toBe(patch);
      expect(patch).not.toContain("\ufffd");
      expect(patch).not.toContain("\0");
      expect(restored).toEqual(files(clone));
      expect(complaint).toBeNull();
      expect(await copy.snapshot()).toBe(after);
      expect(files(copy.tree)).toEqual(changed);
      const fresh = path.join(tempFolder(), "fresh");
      git(clone, "clone", "-q", clone, fresh);
      gitApply(fresh, patch);
      expect(files(fresh)).toEqual(changed);
    });

    it("keeps ignored files out of snapshots and through a restore, even when the rules change", async () => {
      const copy = await copyOf(make(), repository(PROGRAM));
      write(copy.tree, { "dist/out.js": "1\n", "x.log": "1\n", "src/sum.js": "changed\n" });
      const first = await copy.snapshot();
      write(copy.tree, { ".gitignore": "dist/\n*.log\nhidden.js\n", "hidden.js": "1\n", "src/new.js": "1\n" });

      await copy.restore(first);

      expect(await copy.snapshot()).toBe(first);
      expect(await copy.changedFiles(copy.base, first)).toEqual(["src/sum.js"]);
      expect(Object.keys(files(copy.tree)).sort()).toEqual([
        ".gitignore",
        "README.md",
        "dist/out.js",
        "src/sum.js",
        "x.log",
      ]);
    });

    it("keeps to the clone's own excludes", async () => {
      const clone = repository(PROGRAM);
      write(clone, { ".git/info/exclude": "notes/\n" });
      const copy = await copyOf(make(), clone);
      write(copy.tree, { "notes/a.txt": "1\n" });

      expect(await copy.snapshot()).toBe(copy.base);
    });

    it("takes no side in line ends, whatever the clone's configuration says", async () => {
      const clone = repository({ "a.txt": "one\r\ntwo\r\n", "b.txt": "one\ntwo\n" });
      git(clone, "config", "core.autocrlf", "true");

      const copy = await copyOf(make(), clone);

      expect(files(copy.tree)).toEqual({
        "a.txt": JSON.stringify("one\r\ntwo\r\n"),
        "b.txt": JSON.stringify("one\ntwo\n"),
      });
      expect(await copy.snapshot()).toBe(copy.base);
    });

    it("checks out the line ends that the repository declares, and its patch fits a clone that does so too", async () => {
      const clone = repository({ ".gitattributes": "*.bat text eol=crlf\n", "a.bat": "echo one\necho two\n" });
      const copy = await copyOf(make(), clone);
      expect(files(copy.tree)["a.bat"]).toBe(JSON.stringify("echo one\r\necho two\r\n"));
      write(copy.tree, { "a.bat": "echo one\r\necho three\r\n" });

      const patch = await copy.diff(copy.base, await copy.snapshot());

      const fresh = path.join(tempFolder(), "fresh");
      git(clone, "clone", "-q", clone, fresh);
      gitApply(fresh, patch);
      expect(patch).toContain("+echo three\n");
      expect(files(fresh)["a.bat"]).toBe(files(copy.tree)["a.bat"]);
    });

    it("applies a patch whole or not at all, and says git's first complaint", async () => {
      const copy = await copyOf(make(), repository(PROGRAM));
      write(copy.tree, { "src/sum.js": "mine\n", "x.log": "kept\n" });
      const before = files(copy.tree);
      const good = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Sum\n+# Total\n";
      const bad = "--- a/src/sum.js\n+++ b/src/sum.js\n@@ -1 +1 @@\n-nothing like it\n+x\n";

      const complaints = [
        await copy.apply(good + bad),
        await copy.apply("no patch"),
        await copy.apply("--- a/../out.txt\n+++ b/../out.txt\n@@ -0,0 +1 @@\n+x\n"),
        await copy.apply("--- /dev/null\n+++ b/.git/hooks/x\n@@ -0,0 +1 @@\n+x\n"),
      ];

      expect(complaints).toEqual([
        "patch failed: src/sum.js:1",
        expect.stringMatching(/^No valid patches in input/),
        expect.stringMatching(/^invalid path/),
        expect.stringMatching(/^invalid path/),
      ]);
      expect(files(copy.tree)).toEqual(before);
      expect(await copy.apply(good.trimEnd())).toBeNull();
      expect(files(copy.tree)).toEqual({ ...before, "README.md": JSON.stringify("# Total\n") });
    });

    it("applies what creates an ignored file so that it counts", async () => {
      const copy = await copyOf(make(), repository(PROGRAM));

      const complaint = await copy.apply("--- /dev/null\n+++ b/dist/out.js\n@@ -0,0 +1 @@\n+1;\n");

      expect(complaint).toBeNull();
      expect(await copy.changedFiles(copy.base, await copy.snapshot())).toEqual(["dist/out.js"]);
    });

    it("lists, reads and names changes", async () => {
      const clone = repository({
        ...PROGRAM,
        "logo.png": Buffer.from([0, 255]),
        link: { link: "README.md" },
        "caf\xe9.md": "1\n",
      });
      const copy = await copyOf(make(), clone);
      write(copy.tree, { "README.md": "changed\n", "new.md": "new\n", "caf\xe9.md": null });
      const after = await copy.snapshot();

      const read = (id: string) =>
        Promise.all(
          ["README.md", "./README.md", "new.md", "logo.png", "link", "src", "../x", "", '"caf\\351.md"'].map((file) =>
            copy.read(id, file),
          ),
        );

      expect(await copy.listFiles()).toEqual([
        ".gitignore",
        "README.md",
        '"caf\\351.md"',
        "link",
        "logo.png",
        "src/sum.js",
      ]);
      expect(await copy.changedFiles(copy.base, after)).toEqual(["README.md", '"caf\\351.md"', "new.md"]);
      expect(await read(copy.base)).toEqual(["# Sum\n", "# Sum\n", null, null, null, null, null, null, "1\n"]);
      expect(await read(after)).toEqual(["changed\n", "changed\n", "new\n", null, null, null, null, null, null]);
      expect(await copy.diff(after, after)).toBe("");
    });

    it("gives the next one a repository without what the last one left in it", async () => {
      const copy = await copyOf(make(), repository(PROGRAM));
      commit(copy.tree, { "src/sum.js": "mine\n" }, "a try");
      git(copy.tree, "branch", "a-try");
      write(copy.tree, { ".git/hooks/pre-commit": { script: "#!/bin/sh\n" } });

      await copy.restore(copy.base);

      expect(git(copy.tree, "log", "--all", "--format=%s").trim()).toBe("a change");
      expect(git(copy.tree, "fsck", "--unreachable")).toBe("");
      expect(git(copy.tree, "status", "--porcelain")).toBe("");
      expect(existsSync(path.join(copy.tree, ".git/hooks"))).toBe(false);
    });

    it("survives a throw-away repository that is gone, broken or a link elsewhere", async () => {
      const clone = repository(PROGRAM);
      const copy = await copyOf(make(), clone);
      const before = fingerprint(clone);
      const results = [];

      for (const spec of [null, "no repository\n", { link: path.join(clone, ".git") }]) {
        write(copy.tree, { ".git": spec, "src/sum.js": "mine\n" });
        results.push(await copy.changedFiles(copy.base, await copy.snapshot()));
        await copy.restore(copy.base);
        results.push(git(copy.tree, "status", "--porcelain"));
      }

      expect(results).toEqual([["src/sum.js"], "", ["src/sum.js"], "", ["src/sum.js"], ""]);
      expect(fingerprint(clone)).toEqual(before);
    });

    it("leaves submodules and LFS pointers as they are and names them", async () => {
      const library = repository({ "lib.txt": "1\n" });
      const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
      const clone = repository({ ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin": pointer });
      git(clone, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "deps/lib");
      git(clone, "commit", "-q", "-m", "a submodule");

      const copy = await copyOf(make(), clone);
      write(copy.tree, { "deps/lib/inside.txt": "1\n", "b.txt": "1\n" });
      const after = await copy.snapshot();

      expect(copy.notFilled).toEqual({ submodules: ["deps/lib"], lfs: ["a.bin"] });
      expect(readFileSync(path.join(copy.tree, "a.bin"), "utf8")).toBe(pointer);
      expect(await copy.changedFiles(copy.base, after)).toEqual(["b.txt"]);
      expect(await copy.listFiles()).not.toContain("deps/lib");
    });

    it("is made from a subfolder, a bare repository, a second work tree and a shallow clone", async () => {
      const adapter = make();
      const clone = repository(PROGRAM);
      commit(clone, { "src/sum.js": "second\n" });
      const folder = tempFolder();
      git(folder, "clone", "-q", "--bare", clone, "bare.git");
      git(clone, "worktree", "add", "-q", "--detach", path.join(folder, "second"));
      git(folder, "clone", "-q", "--depth=1", `file://${clone}`, "shallow");

      for (const from of [
        path.join(clone, "src"),
        ...["bare.git", "second", "shallow"].map((name) => path.join(folder, name)),
      ]) {
        const copy = await copyOf(adapter, from);

        expect(await copy.snapshot()).toBe(git(clone, "rev-parse", "HEAD^{tree}").trim());
        expect(git(copy.tree, "log", "--format=%s").trim().split("\n").length).toBe(from.endsWith("shallow") ? 1 : 2);
      }
    });

    it("takes a partial clone as far as its files go, and says so where they do not", async () => {
      const adapter = make();
      const origin = repository({ "old.txt": "old\n" });
      commit(origin, { "old.txt": null, "new.txt": "new\n" });
      git(origin, "config", "uploadpack.allowFilter", "true");
      const clone = path.join(tempFolder(), "partial");
      git(origin, "clone", "-q", "--filter=blob:none", `file://${origin}`, clone);

      const copy = await copyOf(adapter, clone);
      const failure = await copyOf(adapter, clone, "HEAD~1").catch((error: unknown) => error);

      expect(files(copy.tree)).toEqual({ "new.txt": JSON.stringify("new\n") });
      expect(await copy.snapshot()).toBe(copy.base);
      expect(failure).toBeInstanceOf(GitFailed);
      expect((failure as GitFailed).message).toMatch(/^[^\n]*: the clone is partial; a full one is needed$/);
    });

    it("works with repositories of another owner and of another object format", async () => {
      const adapter = make();
      const folder = tempFolder();
      git(folder, "init", "-q", "--object-format=sha256", "long");
      const head = commit(path.join(folder, "long"), PROGRAM);
      if (process.getuid?.() === 0) execFileSync("chown", ["-R", "1234:1234", folder]);

      const copy = await adapter.checkout(path.join(folder, "long"), "HEAD", path.join(tempFolder(), "work"));
      write(copy.tree, { "README.md": "changed\n" });
      const tree = await copy.snapshot();
      const made = await adapter.commitOnBranch(path.join(folder, "long"), "fix", head, [{ copy, tree, message: "x" }]);

      expect(copy.commit).toBe(head);
      expect(await copy.changedFiles(copy.base, tree)).toEqual(["README.md"]);
      expect(git(folder, "-c", "safe.directory=*", "-C", "long", "rev-parse", "fix").trim()).toBe(made[0]);
    });

    it("keeps files in the encoding that the repository declares, and survives one that its files are not in", async () => {
      const utf16 = Buffer.from("caf\u00e9\n", "utf16le");
      const clone = repository({ ".gitattributes": "*.rc working-tree-encoding=UTF-16LE\n", "a.rc": utf16 });
      const copy = await copyOf(make(), clone);
      const asChecked = files(copy.tree)["a.rc"];
      write(copy.tree, { ".gitattributes": "* working-tree-encoding=UTF-16\n", "b.txt": "no UTF-16\n" });

      const after = await copy.snapshot();
      await copy.restore(copy.base);

      expect(asChecked).toBe(JSON.stringify(utf16.toString("latin1")));
      expect(await copy.read(after, "b.txt")).toBe("no UTF-16\n");
      expect(files(copy.tree)).toEqual(files(clone));
      expect(await copy.snapshot()).toBe(copy.base);
    });

    it("refuses a folder that exists and a commit that does not, and leaves nothing behind", async () => {
      const adapter = make();
      const clone = repository(PROGRAM);
      const folder = tempFolder();

      const failures = await Promise.all([
        adapter.checkout(clone, "HEAD", folder).catch((error: unknown) => error),
        adapter.checkout(clone, "f".repeat(40), path.join(folder, "work")).catch((error: unknown) => error),
      ]);

      expect(failures).toEqual([
        new GitFailed(`${folder} exists already`),
        new GitFailed(`${clone} has no commit ${"f".repeat(40)}`),
      ]);
      expect(existsSync(path.join(folder, "work"))).toBe(false);
    });

    it("is gone when removed", async () => {
      const copy = await copyOf(make(), repository(PROGRAM));

      await copy.remove();

      expect(existsSync(path.dirname(copy.tree))).toBe(false);
    });
  });

  describe(`${name}: the clone it works from`, () => {
    it("is not written to by looking, resolving, checking out and working in the copy", async () => {
      const adapter = make();
      const clone = repository(PROGRAM);
      write(clone, { "README.md": "touched\n", "src/sum.js": PROGRAM["src/sum.js"], "new.txt": "1\n" });
      const before = fingerprint(clone);

      await adapter.inspect(clone);
      await adapter.resolve(clone, "main");
      const copy = await copyOf(adapter, clone);
      write(copy.tree, { "src/sum.js": "1\n", "new.txt": "1\n", "again.js": PROGRAM["src/sum.js"] });
      const after = await copy.snapshot();
      await copy.diff(copy.base, after);
      await copy.restore(copy.base);
      await copy.remove();

      expect(fingerprint(clone)).toEqual(before);
    });

    it("gets commits on a new branch, its work tree, index and HEAD as they were", async () => {
      const adapter = make();
      const clone = repository(PROGRAM);
      const head = git(clone, "rev-parse", "HEAD").trim();
      const copy = await copyOf(adapter, clone);
      write(copy.tree, { "src/sum.js": "mended\n" });
      const first = await copy.snapshot();
      write(copy.tree, { "README.md": "# Mended\n" });
      const second = await copy.snapshot();
      write(clone, { "README.md": "in work\n" });
      git(clone, "add", "README.md");
      const before = {
        status: git(clone, "status", "--porcelain"),
        head: readFileSync(path.join(clone, ".git/HEAD"), "utf8"),
      };

      const made = await adapter.commitOnBranch(clone, "retrace/fix", head, [
        { copy, tree: first, message: "fix: größer\n\nBecause.\n" },
        { copy, tree: second, message: "docs: say so" },
      ]);

      expect(git(clone, "rev-list", "--reverse", `${head}..retrace/fix`).trim().split("\n")).toEqual(made);
      expect(
        git(clone, "log", "--reverse", "--format=%T %s|%an <%ae> %at", `${head}..retrace/fix`).trim().split("\n"),
      ).toEqual([
        `${first} fix: größer|Retrace <retrace@example.org> 1700000000`,
        `${second} docs: say so|Retrace <retrace@example.org> 1700000000`,
      ]);
      expect(git(clone, "show", "retrace/fix:src/sum.js")).toBe("mended\n");
      expect({
        status: git(clone, "status", "--porcelain"),
        head: readFileSync(path.join(clone, ".git/HEAD"), "utf8"),
      }).toEqual(before);
      expect(git(clone, "fsck", "--strict")).toBe("");
    });

    it.each([
      ["main", "the branch main exists already"],
      ["bad..name", "bad..name is no name for a branch"],
      ["-x", "-x is no name for a branch"],
      ["", " is no name for a branch"],
    ])("refuses the branch name %j", async (branch, message) => {
      const adapter = make();
      const clone = repository(PROGRAM);
      const copy = await copyOf(adapter, clone);
      const before = fingerprint(clone);

      const call = adapter.commitOnBranch(clone, branch, "HEAD", [{ copy, tree: copy.base, message: "x" }]);

      await expect(call).rejects.toEqual(new GitFailed(message));
      expect(fingerprint(clone)).toEqual(before);
    });

    it("gets a patch applied to its work tree whole or not at all, its index untouched", async () => {
      const adapter = make();
      const clone = repository(PROGRAM);
      write(clone, { "src/sum.js": "in work\n" });
      const good = "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Sum\n+# Total\n";
      const bad = "--- a/src/sum.js\n+++ b/src/sum.js\n@@ -1 +1 @@\n-nothing like it\n+x\n";
      const before = fingerprint(clone);

      await expect(adapter.applyToWorkTree(clone, good + bad)).rejects.toEqual(
        new GitFailed("patch failed: src/sum.js:1"),
      );
      expect(fingerprint(clone)).toEqual(before);
      await adapter.applyToWorkTree(path.join(clone, "src"), good);

      const now = fingerprint(clone);
      expect(readFileSync(path.join(clone, "README.md"), "utf8")).toBe("# Total\n");
      expect(Object.keys(now).filter((file) => now[file] !== before[file] && file !== "README.md")).toEqual([]);
    });
  });

  describe(`${name}: hostile repositories`, () => {
    /** Everything a repository can name that git would run, each touching the marker. */
    function trap(gitDir: string, marker: string): void {
      const program = path.join(path.dirname(marker), "trap.sh");
      write(path.dirname(marker), { "trap.sh": { script: `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n` } });
      const keys = [
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "core.alternateRefsCommand",
        "diff.external",
        "diff.evil.command",
        "diff.evil.textconv",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        "filter.lfs.clean",
        "filter.lfs.smudge",
        "merge.evil.driver",
        "gpg.program",
        "credential.helper",
      ];
      mkdirSync(path.join(gitDir, "hooks"), { recursive: true });
      for (const key of keys) git(tempFolder(), "config", "--file", path.join(gitDir, "config"), key, program);
      git(tempFolder(), "config", "--file", path.join(gitDir, "config"), "core.hooksPath", path.join(gitDir, "hooks"));
      for (const hook of ["post-index-change", "post-checkout", "reference-transaction", "pre-commit", "pre-auto-gc"]) {
        write(gitDir, { [`hooks/${hook}`]: { script: `#!/bin/sh\n'${program}' ${hook} </dev/null\n` } });
      }
    }

    /** Whether git as a person calls it walks into the trap: else the test above proves nothing. */
    function plainStatusSprings(root: string, marker: string): boolean {
      try {
        git(root, "status");
      } catch {
        // The trap speaks no filter protocol; that it was asked is what counts.
      }
      return existsSync(marker);
    }

    const ATTRIBUTES = "* filter=evil diff=evil merge=evil\n*.bin filter=lfs\n";

    it("runs nothing that whoever works in the tree has planted there", async () => {
      const adapter = make();
      const marker = path.join(tempFolder(), "marker");
      const library = repository({ "lib.txt": "1\n" });
      const clone = repository(PROGRAM);
      git(clone, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", library, "lib");
      git(clone, "commit", "-q", "-m", "a submodule");
      const copy = await copyOf(adapter, clone);
      git(copy.tree, "clone", "-q", library, "inner");
      git(copy.tree, "clone", "-q", library, "lib");
      for (const at of [".git", "inner/.git", "lib/.git"]) trap(path.join(copy.tree, at), marker);
      write(copy.tree, {
        ".gitattributes": ATTRIBUTES,
        "lib/lib.txt": "changed\n",
        "src/sum.js": "mine\n",
        "a.bin": "1\n",
      });
      write(copy.tree, {
        ".gitmodules": `[submodule "lib"]\n\tpath = lib\n\turl = x\n\tupdate = !touch ${marker}\n\tignore = none\n`,
      });

      const after = await copy.snapshot();
      const patch = await copy.diff(copy.base, after);
      await copy.changedFiles(copy.base, after);
      await copy.read(after, "src/sum.js");
      await copy.restore(copy.base);
      trap(path.join(copy.tree, ".git"), marker);
      await copy.apply(patch);
      await adapter.commitOnBranch(clone, "fix", copy.commit, [{ copy, tree: after, message: "x" }]);

      expect(existsSync(marker)).toBe(false);
      expect(plainStatusSprings(copy.tree, marker)).toBe(true);
      expect(await copy.changedFiles(copy.base, after)).toEqual([
        ".gitattributes",
        ".gitmodules",
        "a.bin",
        "inner/lib.txt",
        "src/sum.js",
      ]);
    });

    it("runs nothing that the clone itself names", async () => {
      const adapter = make();
      const marker = path.join(tempFolder(), "marker");
      const clone = repository({ ...PROGRAM, ".gitattributes": ATTRIBUTES, "a.bin": "1\n" });
      trap(path.join(clone, ".git"), marker);
      write(clone, { "src/sum.js": "touched\n", "a.bin": "1\n" });

      await adapter.inspect(clone);
      const copy = await adapter.checkout(clone, "HEAD", path.join(tempFolder(), "work"));
      write(copy.tree, { "README.md": "# Mended\n" });
      const after = await copy.snapshot();
      await adapter.commitOnBranch(clone, "fix", "HEAD", [{ copy, tree: after, message: "x" }]);
      await adapter.applyToWorkTree(clone, await copy.diff(copy.base, after));

      expect(existsSync(marker)).toBe(false);
      expect(plainStatusSprings(clone, marker)).toBe(true);
      expect(readFileSync(path.join(clone, "README.md"), "utf8")).toBe("# Mended\n");
    });

    it("does not follow a folder that became a link out of the tree", async () => {
      const copy = await copyOf(make(), repository(PROGRAM));
      const outside = tempFolder();
      write(outside, { "sum.js": "a secret\n" });
      write(copy.tree, { src: { link: outside } });

      const after = await copy.snapshot();
      await copy.restore(copy.base);

      expect(await copy.changedFiles(copy.base, after)).toEqual(["src", "src/sum.js"]);
      expect(await copy.diff(copy.base, after)).not.toContain("a secret");
      expect(readFileSync(path.join(outside, "sum.js"), "utf8")).toBe("a secret\n");
      expect(readFileSync(path.join(copy.tree, "src/sum.js"), "utf8")).toBe(PROGRAM["src/sum.js"]);
    });
  });
}
