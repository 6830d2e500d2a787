import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { localGit } from "../../src/adapters/git/local-git.ts";
import type { WorkingCopy } from "../../src/ports/git.ts";
import { type LentFolder, lendFolders } from "../../src/validate/lend.ts";
import { runCheck } from "../../src/validate/run.ts";
import { files, fingerprint, git, repository, tempFolder, write } from "../contracts/git-repositories.ts";
import { openRoom } from "./room.ts";
import { check } from "./validations.ts";

const adapter = localGit({ world: { now: () => new Date(0) }, identity: { name: "R", email: "r@example.org" } });

async function lend(clone: string, at = "HEAD"): Promise<{ copy: WorkingCopy; lent: readonly LentFolder[] }> {
  const copy = await adapter.checkout(clone, at, path.join(tempFolder(), "work"));
  return { copy, lent: await lendFolders(await adapter.inspect(clone), copy) };
}

describe("lending the clone's dependency folders", () => {
  it("copies them to the same places, links as links, and none into a snapshot; the clone stays as it is", async () => {
    const clone = repository({ ".gitignore": "node_modules\n", "packages/a/package.json": "{}\n" });
    write(clone, {
      "node_modules/tool/cli.js": { script: "#!/usr/bin/env node\n" },
      "node_modules/.bin/tool": { link: "../tool/cli.js" },
      "node_modules/a": { link: "../packages/a" },
      "packages/a/node_modules/b/index.js": "1\n",
    });
    const before = fingerprint(clone);

    const { copy, lent } = await lend(clone);

    expect(lent).toEqual([
      { folder: "node_modules", notUsable: null, env: {} },
      { folder: "packages/a/node_modules", notUsable: null, env: {} },
    ]);
    expect(files(copy.tree)).toEqual(files(clone));
    expect(await copy.snapshot()).toBe(copy.base);
    expect(fingerprint(clone)).toEqual(before);
  });

  it("says why a folder is not lent", async () => {
    const clone = repository({ "vendor/kept.php": "tracked\n", "README.md": "1\n" });
    git(clone, "rm", "-q", "--cached", "vendor/kept.php");
    git(clone, "commit", "-q", "-m", "vendor is installed from now on");
    write(clone, {
      ".gitignore": "vendor/\nnode_modules/\n",
      "node_modules/a/index.js": "1\n",
      "web/node_modules/b/index.js": "1\n",
    });

    const { copy, lent } = await lend(clone, "HEAD~1");

    expect(lent).toEqual([
      { folder: "node_modules", notUsable: "git does not ignore it at this commit", env: {} },
      { folder: "vendor", notUsable: "there is one in the repository itself", env: {} },
      { folder: "web/node_modules", notUsable: "the folder it lies in is not there at this commit", env: {} },
    ]);
    expect(Object.keys(files(copy.tree))).toEqual(["README.md", "vendor/kept.php"]);
  });

  it("does not follow a link of the commit out of the tree", async () => {
    const outside = tempFolder();
    const clone = repository({ ".gitignore": "node_modules\n", web: { link: outside } });
    write(clone, { web: null, "web/node_modules/a.js": "1\n" });

    const { lent } = await lend(clone);

    expect(lent).toEqual([{ folder: "web/node_modules", notUsable: "the folder it lies in is a link", env: {} }]);
    expect(existsSync(path.join(outside, "node_modules"))).toBe(false);
  });

  it("moves a virtual environment, its scripts and its editable packages to the copy", async () => {
    const clone = repository({ ".gitignore": ".venv/\n__pycache__/\n", "src/thing.py": "WHERE = 'the commit'\n" });
    execFileSync("/usr/bin/python3", ["-m", "venv", "--without-pip", path.join(clone, ".venv")]);
    const version = /python3\.\d+/.exec(
      execFileSync("/bin/ls", [path.join(clone, ".venv/lib")], { encoding: "utf8" }),
    )?.[0];
    write(clone, {
      "src/thing.py": "WHERE = 'the work tree of the clone'\n",
      ".venv/bin/say": { script: `#!${clone}/.venv/bin/python\nimport sys, thing\nprint(thing.WHERE, sys.prefix)\n` },
      [`.venv/lib/${version}/site-packages/_thing.pth`]: `${clone}/src\n`,
      [`.venv/lib/${version}/site-packages/thing-1.dist-info/direct_url.json`]: `{"url":"file://${clone}","dir_info":{"editable":true}}`,
      [`.venv/lib/${version}/site-packages/data.bin`]: Buffer.from(`\0${clone}/src`),
    });

    const { copy, lent } = await lend(clone);
    const place = path.join(copy.tree, ".venv");
    const run = await runCheck(await openRoom(copy.tree), check({ command: "say", env: lent[0]?.env ?? {} }), () => []);

    expect(lent).toEqual([
      { folder: ".venv", notUsable: null, env: { BASH_ENV: path.join(place, "bin/activate"), VIRTUAL_ENV: place } },
    ]);
    expect([run.exitCode, run.output]).toEqual([0, `the commit ${place}\n`]);
    const packages = path.join(place, `lib/${version}/site-packages`);
    expect(readFileSync(path.join(packages, "thing-1.dist-info/direct_url.json"), "utf8")).toContain(
      `file://${copy.tree}"`,
    );
    expect(readFileSync(path.join(packages, "data.bin"), "latin1")).toBe(`\0${clone}/src`);
    expect(await copy.snapshot()).toBe(copy.base);
  });

  it("leaves files alone that a virtual environment reaches through a link out of the tree", async () => {
    const clone = repository({ ".gitignore": ".venv/\n" });
    const shared = tempFolder();
    write(shared, { python: "1\n", activate: `VIRTUAL_ENV="${clone}/.venv"\n` });
    write(clone, { ".venv/pyvenv.cfg": `home = ${clone}\n`, ".venv/bin": { link: shared } });
    const before = fingerprint(shared);

    const { copy } = await lend(clone);

    expect(fingerprint(shared)).toEqual(before);
    expect(readFileSync(path.join(copy.tree, ".venv/pyvenv.cfg"), "utf8")).toBe(`home = ${copy.tree}\n`);
  });

  it("leaves out pipes and sockets, which nobody can copy", async () => {
    const clone = repository({ ".gitignore": "node_modules\n" });
    write(clone, { "node_modules/a/index.js": "1\n" });
    execFileSync("/usr/bin/mkfifo", [path.join(clone, "node_modules/a/watch")]);

    const { copy, lent } = await lend(clone);

    expect(lent).toEqual([{ folder: "node_modules", notUsable: null, env: {} }]);
    expect(readdirSync(path.join(copy.tree, "node_modules/a"))).toEqual(["index.js"]);
  });

  it("says that a virtual environment without its interpreter cannot be used", async () => {
    const clone = repository({ ".gitignore": ".venv/\n.tox/\n" });
    write(clone, {
      ".venv/pyvenv.cfg": "home = /gone\n",
      ".venv/bin/python": { link: "/gone/bin/python3" },
      ".tox/py/pyvenv.cfg": "home = /gone\n",
      ".tox/py/bin/pip": "1\n",
    });

    const { lent } = await lend(clone);

    expect(lent).toEqual([
      { folder: ".tox", notUsable: "py: it has no bin/python", env: {} },
      { folder: ".venv", notUsable: "its interpreter is gone", env: {} },
    ]);
  });
});
