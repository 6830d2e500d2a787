import type { Policy } from "../domain/policy.ts";
import type { PullRequest, WorkflowRun } from "../domain/repository.ts";
import { matchesAny } from "../text/glob.ts";

/** Why a repository's settings keep us from working on these runs; null when they do not. Pure. */
export function whyNotAllowed(
  policy: Policy,
  runs: readonly WorkflowRun[],
  headBranch: string,
  pullRequest: PullRequest | null,
): string | null {
  if (!policy.enabled) return "the repository's settings switch repairs off";
  if (!runs.some((run) => isWatched(run, policy))) return "the repository's settings do not name this workflow";
  if (!matchesAny(policy.branches, headBranch)) return "the repository's settings do not name this branch";
  if (pullRequest?.labels.includes(policy.skipLabel)) return `the pull request carries the label ${policy.skipLabel}`;
  const author = pullRequest?.author ?? runs[0]?.actor ?? "";
  if (matchesAny(policy.authors.deny, author)) return "the repository's settings leave this author out";
  if (!matchesAny(policy.authors.allow, author)) return "the repository's settings do not name this author";
  return null;
}

/** By its name, its path, or its file's name. */
export function isWatched(run: Pick<WorkflowRun, "name" | "path">, policy: Pick<Policy, "workflows">): boolean {
  const names = [run.name, run.path, run.path.split("/").at(-1) ?? ""];
  return names.some((name) => matchesAny(policy.workflows, name));
}
