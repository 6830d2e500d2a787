import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { removeTree } from "../../src/adapters/remove-tree.ts";
import { tempFolder } from "../contracts/git-repositories.ts";

it("removes folders nested deeper than a path may be long", async () => {
  const folder = path.join(tempFolder(), "work");
  mkdirSync(folder);
  // 150 names of 50 characters; a path may have 4096.
  const dig =
    "import os\nfor _ in range(150):\n    os.mkdir('d' * 50)\n    os.chdir('d' * 50)\nopen('file', 'w').close()";
  execFileSync("/usr/bin/python3", ["-c", dig], { cwd: folder });

  await removeTree(folder);

  expect(existsSync(folder)).toBe(false);
});

it("is content with a folder that is not there", async () => {
  await expect(removeTree(path.join(tempFolder(), "gone"))).resolves.toBeUndefined();
});
