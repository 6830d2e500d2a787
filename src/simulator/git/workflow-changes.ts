import type { Git, GitOptions } from "./run-git.ts";

const FOLDER = ".github/workflows";

/**
 * The workflow files that moving a ref from `before` (null: a new ref) to `after` touches. A new ref is looked at commit
 * by commit, leaving out what other branches hold already; a moved one also by its two ends, so that merging someone
 * else's workflow change counts, as at GitHub.
 */
export async function changesWorkflows(
  git: Git,
  before: string | null,
  after: string,
  options: GitOptions = {},
): Promise<string[]> {
  const log = ["log", "-m", "--first-parent", "--name-only", "--format=", after, "--not", "--branches", "--", FOLDER];
  const commits = await git(log, options);
  const ends = before === null ? "" : await git(["diff", "--name-only", before, after, "--", FOLDER], options);
  return [...new Set(`${commits}\n${ends}`.split("\n").filter((file) => file !== ""))];
}
