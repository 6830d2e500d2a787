import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { repairBranch } from "../../src/publish/branch.ts";

const SHA = "0123456789abcdef0123456789abcdef01234567";

it.each([
  ["main", "retrace/main-01234567"],
  ["feature/login", "retrace/feature/login-01234567"],
  ["x".repeat(80), `retrace/${"x".repeat(60)}-01234567`],
  [`${"x".repeat(59)}/y`, `retrace/${"x".repeat(59)}-01234567`],
  [`${"x".repeat(55)}.lock-more`, `retrace/${"x".repeat(55)}-01234567`],
])("the repair branch of %s is a valid name, always the same", (branch, expected) => {
  const name = repairBranch(branch, SHA);

  expect(name).toBe(expected);
  expect(() => execFileSync("git", ["check-ref-format", `refs/heads/${name}`])).not.toThrow();
});
