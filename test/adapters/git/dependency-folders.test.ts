import { describe, expect, it } from "vitest";
import { dependencyFoldersOf, wholeFolders } from "../../../src/adapters/git/dependency-folders.ts";

describe("dependency folders", () => {
  it.each([
    [
      ["node_modules/", "packages/a/node_modules/", "dist/"],
      ["node_modules", "packages/a/node_modules"],
    ],
    [
      ["vendor/bundle/", "a.log"],
      ["vendor", "vendor/bundle"],
    ],
    [[".venv/bin/", ".venv/pyvenv.cfg"], [".venv"]],
    [["target"], []],
    [["my_node_modules/", "retarget/"], []],
  ])("of %j are %j", (ignored, expected) => {
    expect(dependencyFoldersOf(ignored)).toEqual(expected);
  });

  it.each([
    [["vendor", "vendor/bundle"], ["vendor/kept.php"], ["vendor/bundle"]],
    [["vendor", "vendor/bundle"], ["lib/a.php"], ["vendor"]],
    [["node_modules", "node_modules/a/vendor"], [], ["node_modules"]],
    [["venv"], ["venv/"], []],
  ])("%j beside %j are whole in %j", (folders, kept, expected) => {
    expect(wholeFolders(folders, kept)).toEqual(expected);
  });
});
