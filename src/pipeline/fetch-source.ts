import { rm } from "node:fs/promises";
import path from "node:path";
import type { Incident } from "../domain/incident.ts";
import type { CommitFiles, Git } from "../ports/git.ts";
import type { GitHub } from "../ports/github.ts";
import type { RemoteGit } from "../ports/remote-git.ts";
import type { World } from "../ports/world.ts";
import { repairBranch } from "../publish/branch.ts";
import type { Repaired } from "./repair-run.ts";

export interface Source {
  /** Bare clone of ours. */
  readonly folder: string;
  /** What CI tested: the merge of a pull request where it can be had, else the head. */
  readonly tested: string;
  /** What the red change goes into, as far as it could be had: its own commits are those that this one does not reach. */
  readonly base: string | null;
  readonly files: CommitFiles;
}

export type Head = Pick<Incident, "repository" | "headSha" | "headBranch" | "isFork" | "pullRequest" | "runs">;

interface FetchParts {
  readonly git: Git;
  readonly remoteGit: RemoteGit;
}

/** Brings the failing commit, and what CI tested, into a bare clone under `work`, which is emptied first. */
export async function fetchSource(github: GitHub, head: Head, work: string, parts: FetchParts): Promise<Source> {
  const { repository, headSha, headBranch, pullRequest, runs } = head;
  // What a killed try left behind may be half written, locks included: begin anew.
  await rm(work, { recursive: true, force: true });
  const folder = path.join(work, "clone.git");
  const remote = { url: repository.cloneUrl, authorization: await github.gitAuthorization(repository, "read") };
  const ofPull = pullRequest !== null && runs.some((run) => run.event === "pull_request");
  const wanted = [
    headSha,
    ...(ofPull ? [`refs/pull/${pullRequest}/merge`] : []),
    ...(pullRequest === null ? [] : [`refs/pull/${pullRequest}/head`]),
  ];
  const onDefault = headBranch === repository.defaultBranch && !head.isFork;
  const found = await parts.remoteGit.fetch(remote, wanted, folder);
  const [line = null] = onDefault
    ? [null]
    : await parts.remoteGit.fetch(remote, [`refs/heads/${repository.defaultBranch}`], folder);
  // A host may not hand out commits by id: then the pull request's head, or the branch, brings it along. A fork's branch
  // is not among ours, whatever it is called.
  if (found[0] == null && !head.isFork) await parts.remoteGit.fetch(remote, [`refs/heads/${headBranch}`], folder);
  const merge = ofPull ? (found[1] ?? null) : null;
  const tested = merge !== null && (await isMergeOf(merge, headSha, folder, parts.git)) ? merge : headSha;
  const base = merge !== null && tested === merge ? await parts.git.resolve(folder, `${merge}^1`) : line;
  return { folder, tested, base, files: await parts.git.files(folder, tested) };
}

/** The merge ref moves with the base and the head: only one that merges this head is what was tested. */
async function isMergeOf(merge: string, headSha: string, folder: string, git: Git): Promise<boolean> {
  return (await git.resolve(folder, `${merge}^2`)) === headSha;
}

/**
 * One commit for each problem, on the failing head, whatever tree the repair was made on: what the base changed is no part
 * of it. Null when the repair does not apply without the base's changes.
 */
export async function commitOnHead(
  head: Head,
  { copy, commits }: Repaired,
  { folder, tested }: Source,
  work: string,
  { git, world }: { readonly git: Git; readonly world: World },
): Promise<{ readonly commit: string; readonly tree: string } | null> {
  if (copy === null || commits.length === 0) return null;
  const branch = repairBranch(head.headBranch, head.headSha);
  if (tested === head.headSha) {
    const trees = commits.map(({ tree, message }) => ({ copy, tree, message }));
    const ids = await git.commitOnBranch(folder, branch, head.headSha, trees);
    return { commit: ids.at(-1) ?? "", tree: trees.at(-1)?.tree ?? "" };
  }
  const onHead = await git.checkout(folder, head.headSha, path.join(work, world.id("head")));
  try {
    const trees = [];
    let from = copy.base;
    for (const { tree, message } of commits) {
      if ((await onHead.apply(await copy.diff(from, tree))) !== null) return null;
      trees.push({ copy: onHead, tree: await onHead.snapshot(), message });
      from = tree;
    }
    const ids = await git.commitOnBranch(folder, branch, head.headSha, trees);
    return { commit: ids.at(-1) ?? "", tree: trees.at(-1)?.tree ?? "" };
  } finally {
    await onHead.remove();
  }
}
