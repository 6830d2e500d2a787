import { z } from "zod";
import { isAncestor, readCommit, readRefs, resolve } from "../git/read-history.ts";
import { NO_COMMIT } from "../git/ref-change.ts";
import { runGit } from "../git/run-git.ts";
import { changesWorkflows } from "../git/workflow-changes.ts";
import { writeCommitOfTree, writeTree } from "../git/write-commit.ts";
import { moveBranch } from "../happenings/after-push.ts";
import { type Answer, created, found, noContent, ok, Refusal } from "../http/answers.ts";
import { whoActs } from "../http/caller.ts";
import { bodyOf, type RepositoryCall, type Route } from "../http/route.ts";
import { presentGitCommit } from "../present/present-commit.ts";
import { repositoryUrl } from "../present/present-repository.ts";
import { nodeId } from "../state/simulation.ts";

const READ = [{ contents: "read" }] as const;
const WRITE = [{ contents: "write" }] as const;

const Person = z.object({ name: z.string(), email: z.string(), date: z.string().optional() });
const NewRef = z.object({ ref: z.string().regex(/^refs\/.+\/.+/), sha: z.string() });
const MovedRef = z.object({ sha: z.string(), force: z.boolean().default(false) });
const NewCommit = z.object({
  message: z.string(),
  tree: z.string(),
  parents: z.array(z.string()).default([]),
  author: Person.optional(),
  committer: Person.optional(),
});
const NewTree = z.object({
  base_tree: z.string().optional(),
  tree: z.array(
    z.object({ path: z.string(), mode: z.string(), sha: z.string().nullish(), content: z.string().optional() }),
  ),
});
const NewBlob = z.object({ content: z.string(), encoding: z.enum(["utf-8", "base64"]).default("utf-8") });

/** The Git database: refs, commits, trees, blobs. */
export const GIT_DATA_ROUTES: readonly Route[] = [
  { method: "GET", path: "/git/ref/{+ref}", for: "repository", needs: READ, handle: readRef },
  { method: "GET", path: "/git/matching-refs/{+ref}", for: "repository", needs: READ, handle: matchRefs },
  { method: "POST", path: "/git/refs", for: "repository", needs: WRITE, handle: createRef },
  { method: "PATCH", path: "/git/refs/{+ref}", for: "repository", needs: WRITE, handle: moveRef },
  { method: "DELETE", path: "/git/refs/{+ref}", for: "repository", needs: WRITE, handle: deleteRef },
  { method: "GET", path: "/git/commits/{commit_sha}", for: "repository", needs: READ, handle: readGitCommit },
  { method: "POST", path: "/git/commits", for: "repository", needs: WRITE, handle: createCommit },
  { method: "GET", path: "/git/trees/{+tree_sha}", for: "repository", needs: READ, handle: readTree },
  { method: "POST", path: "/git/trees", for: "repository", needs: WRITE, handle: createTree },
  { method: "GET", path: "/git/blobs/{file_sha}", for: "repository", needs: READ, handle: readBlob },
  { method: "POST", path: "/git/blobs", for: "repository", needs: WRITE, handle: createBlob },
];

async function readRef(call: RepositoryCall): Promise<Answer> {
  const name = `refs/${call.params.ref}`;
  return ok(refOf(call, name, found(await resolve(call.repository.git, name))));
}

async function matchRefs(call: RepositoryCall): Promise<Answer> {
  const refs = [...(await readRefs(call.repository.git))];
  const start = `refs/${call.params.ref}`;
  return ok(refs.filter(([name]) => name.startsWith(start)).map(([name, sha]) => refOf(call, name, sha)));
}

async function createRef(call: RepositoryCall): Promise<Answer> {
  const { ref, sha } = bodyOf(NewRef, call, "Reference");
  const { repository } = call;
  if ((await resolve(repository.git, ref)) !== null) throw new Refusal(422, "Reference already exists");
  await pointRef(call, ref, sha, true);
  return created(refOf(call, ref, sha));
}

async function moveRef(call: RepositoryCall): Promise<Answer> {
  const { sha, force } = bodyOf(MovedRef, call, "Reference");
  const ref = `refs/${call.params.ref}`;
  if ((await resolve(call.repository.git, ref)) === null) throw new Refusal(422, "Reference does not exist");
  await pointRef(call, ref, sha, force);
  return ok(refOf(call, ref, sha));
}

async function deleteRef(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params, caller } = call;
  const ref = `refs/${params.ref}`;
  if ((await resolve(repository.git, ref)) === null) throw new Refusal(422, "Reference does not exist");
  const branch = branchOf(call, ref);
  if (branch === repository.defaultBranch) throw new Refusal(422, "Cannot delete the default branch");
  if (branch === null) await repository.git(["update-ref", "-d", ref]);
  else await moveBranch(simulation, repository, branch, NO_COMMIT, whoActs(simulation, caller));
  return noContent;
}

async function pointRef(call: RepositoryCall, ref: string, sha: string, force: boolean): Promise<void> {
  const { simulation, repository, caller } = call;
  const { git } = repository;
  if ((await resolve(git, `${sha}^{commit}`)) === null) throw new Refusal(422, "Object does not exist");
  const before = await resolve(git, ref);
  if (before !== null && !force && !(await isAncestor(git, before, sha))) {
    throw new Refusal(422, "Update is not a fast forward");
  }
  const branch = branchOf(call, ref);
  if (caller.kind === "installation" && caller.token.permissions.workflows !== "write") {
    const touched = await changesWorkflows(git, before, sha);
    if (touched.length > 0) throw new Refusal(403, "Resource not accessible by integration");
  }
  if (branch === null) await git(["update-ref", ref, sha]);
  else await moveBranch(simulation, repository, branch, sha, whoActs(simulation, caller));
}

/** The branch that a ref names, null for tags and others. Throws for what nobody may move. */
function branchOf({ repository }: RepositoryCall, ref: string): string | null {
  if (ref.startsWith("refs/pull/")) throw new Refusal(422, "Cannot update a hidden ref");
  if (!ref.startsWith("refs/heads/")) return null;
  const branch = ref.slice("refs/heads/".length);
  if (repository.protectedBranches.has(branch)) throw new Refusal(422, "Changes must be made through a pull request.");
  return branch;
}

async function readGitCommit({ simulation, repository, params }: RepositoryCall): Promise<Answer> {
  const commit = found(await readCommit(repository.git, params.commit_sha ?? ""));
  return ok(presentGitCommit(simulation, repository, commit));
}

async function createCommit(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, caller } = call;
  const wish = bodyOf(NewCommit, call, "Commit");
  for (const parent of wish.parents) {
    if ((await resolve(repository.git, `${parent}^{commit}`)) === null) {
      throw new Refusal(422, "Parent SHA does not exist or is not a commit object");
    }
  }
  if ((await resolve(repository.git, `${wish.tree}^{tree}`)) === null)
    throw new Refusal(422, "Tree SHA does not exist");
  const actor = whoActs(simulation, caller);
  const self = { name: actor.login, email: `${actor.id}+${actor.login}@users.noreply.github.com` };
  const date = wish.author?.date ?? wish.committer?.date;
  const sha = await writeCommitOfTree(repository.git, {
    tree: wish.tree,
    parents: wish.parents,
    message: wish.message,
    author: wish.author ?? self,
    committer: wish.committer ?? wish.author ?? self,
    at: date === undefined ? simulation.clock.now() : Date.parse(date),
  });
  return created(presentGitCommit(simulation, repository, found(await readCommit(repository.git, sha))));
}

async function readTree(call: RepositoryCall): Promise<Answer> {
  const sha = found(await resolve(call.repository.git, `${call.params.tree_sha}^{tree}`));
  return ok(await treeOf(call, sha, call.query.has("recursive")));
}

async function createTree(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository } = call;
  const wish = bodyOf(NewTree, call, "Tree");
  const entries = [];
  for (const { path, mode, sha, content } of wish.tree) {
    const blob = content === undefined ? sha : await hashBlob(call, Buffer.from(content));
    entries.push({ path, mode, sha: blob ?? null });
  }
  const base = wish.base_tree === undefined ? null : found(await resolve(repository.git, `${wish.base_tree}^{tree}`));
  const sha = await writeTree(repository.git, base, entries, simulation.folder);
  return created(await treeOf(call, sha, false));
}

async function treeOf({ simulation, repository }: RepositoryCall, sha: string, isDeep: boolean) {
  const url = `${repositoryUrl(simulation, repository)}/git`;
  const text = await repository.git(["ls-tree", "-l", "-z", ...(isDeep ? ["-r", "-t"] : []), sha]);
  const entries = text.split("\0").filter((line) => line !== "");
  const tree = entries.map((line) => {
    const [facts = "", path = ""] = line.split("\t");
    const [mode = "", type = "", object = "", size = ""] = facts.split(/ +/);
    const kind = type === "tree" ? "trees" : "blobs";
    return {
      path,
      mode,
      type,
      sha: object,
      ...(type === "blob" ? { size: Number(size) } : {}),
      url: `${url}/${kind}/${object}`,
    };
  });
  return { sha, url: `${url}/trees/${sha}`, tree, truncated: false };
}

async function readBlob(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params } = call;
  const sha = found(await resolve(repository.git, `${params.file_sha}^{blob}`));
  const content = await runGit(repository.folder, simulation.toolPath, ["cat-file", "blob", sha]);
  const url = `${repositoryUrl(simulation, repository)}/git/blobs/${sha}`;
  return ok({
    sha,
    node_id: nodeId("B", sha),
    size: content.length,
    url,
    content: content.toString("base64"),
    encoding: "base64",
  });
}

async function createBlob(call: RepositoryCall): Promise<Answer> {
  const { content, encoding } = bodyOf(NewBlob, call, "Blob");
  const sha = await hashBlob(call, Buffer.from(content, encoding === "base64" ? "base64" : "utf8"));
  return created({ sha, url: `${repositoryUrl(call.simulation, call.repository)}/git/blobs/${sha}` });
}

async function hashBlob({ repository }: RepositoryCall, content: Buffer): Promise<string> {
  return (await repository.git(["hash-object", "-w", "--stdin"], { input: content })).trim();
}

function refOf({ simulation, repository }: RepositoryCall, ref: string, sha: string) {
  const base = `${repositoryUrl(simulation, repository)}/git`;
  return {
    ref,
    node_id: nodeId("REF", `${repository.id}:${ref}`),
    url: `${base}/${ref}`,
    object: { sha, type: "commit", url: `${base}/commits/${sha}` },
  };
}
