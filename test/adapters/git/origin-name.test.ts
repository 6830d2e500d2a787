import { expect, it } from "vitest";
import { originName } from "../../../src/adapters/git/origin-name.ts";

it.each([
  ["https://github.com/ada/sum.git", "ada/sum"],
  ["https://github.com/ada/sum", "ada/sum"],
  ["https://github.com/ada/sum/", "ada/sum"],
  ["https://token@ghe.example.org:8443/ada/sum.js.git", "ada/sum.js"],
  ["http://localhost:3000/ada/sum", "ada/sum"],
  ["git@github.com:ada/sum.git", "ada/sum"],
  ["github.com:ada/sum", "ada/sum"],
  ["ssh://git@ssh.github.com:443/ada/sum.git", "ada/sum"],
  ["git://example.org/ada/sum.git\n", "ada/sum"],
  ["https://gitlab.example.org/group/sub/sum.git", null],
  ["https://example.org/sum.git", null],
  ["/srv/ada/sum.git", null],
  ["../ada/sum", null],
  ["file:///srv/ada/sum.git", null],
  ["C:/ada/sum", null],
  ["", null],
])("the owner and name of %j are %j", (address, expected) => {
  expect(originName(address)).toBe(expected);
});
