import { expect, it } from "vitest";
import { localGit } from "../../../src/adapters/git/local-git.ts";
import { git, repository, tempFolder, write } from "../../contracts/git-repositories.ts";

const adapter = localGit({ world: { now: () => new Date(0) }, identity: { name: "R", email: "r@example.org" } });

it("does not follow core.worktree to folders that are none of the clone's", async () => {
  const clone = repository({ "README.md": "1\n" });
  const elsewhere = tempFolder();
  write(elsewhere, { ".cargo/credentials.toml": "private\n" });
  write(clone, { ".git/info/exclude": ".cargo/\n" });
  git(clone, "config", "core.worktree", elsewhere);

  await expect(adapter.inspect(clone)).rejects.toThrow(
    `${clone} has its work tree elsewhere, in ${elsewhere}: core.worktree is not followed`,
  );
});

it("finds the work tree of a submodule, whose core.worktree git itself has set", async () => {
  const inner = repository({ "a.txt": "1\n" });
  const outer = repository({ "README.md": "1\n" });
  git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "inner");

  const facts = await adapter.inspect(`${outer}/inner`);

  expect([facts.root, facts.bare]).toEqual([`${outer}/inner`, false]);
});
