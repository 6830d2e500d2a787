import { readDiff } from "../git/read-diff.ts";
import { isAncestor, mergeBase, readCommit, readCommits, readRefs, resolve } from "../git/read-history.ts";
import { runGit } from "../git/run-git.ts";
import { found, notFound, ok, Refusal } from "../http/answers.ts";
import { roleOf } from "../http/caller.ts";
import { pageOf, pageOfShown, type RepositoryCall, type Route } from "../http/route.ts";
import { presentCommit, presentFile } from "../present/present-commit.ts";
import { presentPullSimple } from "../present/present-pull.ts";
import { presentRepository, repositoryPage, repositoryUrl } from "../present/present-repository.ts";
import { presentUser } from "../present/present-user.ts";
import type { Role } from "../state/nouns.ts";
import { repositoryNamed, userNamed } from "../state/simulation.ts";

const READ = [{ contents: "read" }] as const;

/** The repository, its people, files, branches and commits. */
export const CONTENT_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "",
    for: "repository",
    needs: [],
    handle: ({ simulation, repository, caller }) => {
      const mayPush = caller.kind === "installation" && caller.token.permissions.contents === "write";
      const permissions = { admin: false, maintain: false, push: mayPush, triage: false, pull: true };
      return ok({ ...presentRepository(simulation, repository), permissions });
    },
  },
  { method: "GET", path: "/collaborators/{username}/permission", for: "repository", needs: [], handle: permissionOf },
  { method: "GET", path: "/contents/{+path}", for: "repository", needs: READ, handle: readContents },
  { method: "GET", path: "/contents", for: "repository", needs: READ, handle: readContents },
  { method: "GET", path: "/branches", for: "repository", needs: READ, handle: listBranches },
  { method: "GET", path: "/branches/{+branch}", for: "repository", needs: READ, handle: readBranch },
  { method: "GET", path: "/commits", for: "repository", needs: READ, handle: listCommits },
  {
    method: "GET",
    path: "/commits/{commit_sha}/pulls",
    for: "repository",
    needs: [{ pull_requests: "read" }, { contents: "read" }],
    handle: pullsOfCommit,
  },
  { method: "GET", path: "/commits/{+ref}", for: "repository", needs: READ, handle: readOneCommit },
  { method: "GET", path: "/compare/{+basehead}", for: "repository", needs: READ, handle: compare },
];

/** What GitHub's five roles count as in the older four-word scale. */
const PERMISSION_OF_ROLE: Readonly<Record<Role, string>> = {
  admin: "admin",
  maintain: "write",
  write: "write",
  triage: "read",
  read: "read",
};

function permissionOf({ simulation, repository, params }: RepositoryCall) {
  const login = params.username ?? "";
  const user = simulation.users.get(login.toLowerCase());
  if (user === undefined) throw new Refusal(404, `${login} is not a user`);
  const role = roleOf(repository, user);
  // Anyone can read a public repository; to a private one a stranger is nobody.
  const stranger = repository.isPrivate ? "none" : "read";
  return ok({
    permission: role === null ? stranger : PERMISSION_OF_ROLE[role],
    role_name: role ?? stranger,
    user: { ...presentUser(simulation, user), role_name: role ?? stranger },
  });
}

async function readContents(call: RepositoryCall) {
  const { simulation, repository, params, query, accept } = call;
  const { git } = repository;
  const commit = found(await resolve(git, `${query.get("ref") || repository.defaultBranch}^{commit}`));
  const path = (params.path ?? "").replace(/^\/+|\/+$/g, "");
  const object = found(await resolve(git, `${commit}:${path}`));
  const type = (await git(["cat-file", "-t", object])).trim();
  if (type === "tree") {
    const entries = await listTree(call, `${commit}:${path}`, path === "" ? "" : `${path}/`, commit);
    return ok(entries);
  }
  const content = await runGit(repository.folder, simulation.toolPath, ["cat-file", "blob", object]);
  if (/\braw\b/.test(accept))
    return { status: 200, raw: { type: "application/vnd.github.raw+json; charset=utf-8", content } };
  const encoded = content.toString("base64").replace(/.{60}/g, "$&\n");
  return ok({
    ...entryOf(call, { type: "file", path, sha: object, size: content.length }, commit),
    content: `${encoded}\n`,
    encoding: "base64",
  });
}

interface Entry {
  readonly type: string;
  readonly path: string;
  readonly sha: string;
  readonly size: number;
}

async function listTree(call: RepositoryCall, tree: string, under: string, commit: string) {
  const text = await call.repository.git(["ls-tree", "-l", "-z", tree]);
  const entries = text.split("\0").filter((line) => line !== "");
  return entries.map((line) => {
    const [facts = "", name = ""] = line.split("\t");
    const [mode = "", kind = "", sha = "", size = "0"] = facts.split(/ +/);
    const type = kind === "tree" ? "dir" : mode === "120000" ? "symlink" : "file";
    return entryOf(call, { type, path: under + name, sha, size: Number(size) || 0 }, commit);
  });
}

function entryOf({ simulation, repository }: RepositoryCall, { type, path, sha, size }: Entry, commit: string) {
  const base = repositoryUrl(simulation, repository);
  const name = encodeURI(path);
  const url = `${base}/contents/${name}?ref=${commit}`;
  const git_url = `${base}/git/${type === "dir" ? "trees" : "blobs"}/${sha}`;
  const html_url = `${repositoryPage(simulation, repository)}/blob/${commit}/${name}`;
  const download_url = type === "dir" ? null : `${repositoryPage(simulation, repository)}/raw/${commit}/${name}`;
  return {
    type,
    name: path.split("/").at(-1),
    path,
    sha,
    size,
    url,
    git_url,
    html_url,
    download_url,
    _links: { self: url, git: git_url, html: html_url },
  };
}

async function listBranches(call: RepositoryCall) {
  const { simulation, repository } = call;
  const branches = [...(await readRefs(repository.git, "refs/heads/"))].map(([ref, sha]) => {
    const name = ref.replace("refs/heads/", "");
    const url = `${repositoryUrl(simulation, repository)}/commits/${sha}`;
    return { name, commit: { sha, url }, protected: repository.protectedBranches.has(name) };
  });
  return pageOf(call, branches);
}

async function readBranch({ simulation, repository, params }: RepositoryCall) {
  const name = params.branch ?? "";
  const commit = await readCommit(repository.git, `refs/heads/${name}`);
  if (commit === null) throw new Refusal(404, "Branch not found");
  const url = `${repositoryUrl(simulation, repository)}/branches/${name}`;
  const isProtected = repository.protectedBranches.has(name);
  return ok({
    name,
    commit: presentCommit(simulation, repository, commit),
    _links: { self: url, html: `${repositoryPage(simulation, repository)}/tree/${name}` },
    protected: isProtected,
    protection: {
      enabled: isProtected,
      required_status_checks: { enforcement_level: "off", contexts: [], checks: [] },
    },
    protection_url: `${url}/protection`,
  });
}

async function listCommits(call: RepositoryCall) {
  const { simulation, repository, query } = call;
  const start = found(await resolve(repository.git, `${query.get("sha") || repository.defaultBranch}^{commit}`));
  const path = query.get("path");
  const shas = (await repository.git(["rev-list", start, "--", ...(path ? [path] : [])])).split("\n");
  return pageOfShown(
    call,
    shas.filter((sha) => sha !== ""),
    async (sha) => presentCommit(simulation, repository, found(await readCommit(repository.git, sha))),
  );
}

async function readOneCommit({ simulation, repository, params, accept }: RepositoryCall) {
  const { git } = repository;
  const commit = await readCommit(git, params.ref ?? "");
  if (commit === null) throw new Refusal(422, `No commit found for SHA: ${params.ref}`);
  if (/\bsha\b/.test(accept)) return { status: 200, raw: { type: "application/vnd.github.sha", content: commit.sha } };
  const empty = await git(["hash-object", "-t", "tree", "/dev/null"]);
  const files = await readDiff(git, commit.parents[0] ?? empty.trim(), commit.sha);
  const additions = files.reduce((sum, file) => sum + file.additions, 0);
  const deletions = files.reduce((sum, file) => sum + file.deletions, 0);
  return ok({
    ...presentCommit(simulation, repository, commit),
    stats: { additions, deletions, total: additions + deletions },
    files: files.map((file) => presentFile(simulation, repository, commit.sha, file)),
  });
}

async function pullsOfCommit(call: RepositoryCall) {
  const { simulation, repository, params } = call;
  const sha = await resolve(repository.git, `${params.commit_sha}^{commit}`);
  if (sha === null) throw new Refusal(422, `No commit found for SHA: ${params.commit_sha}`);
  const holding = await Promise.all(
    repository.pulls.map(async (pull) => {
      if (pull.head.sha === sha || pull.mergeSha === sha) return [pull];
      const isWithin = await isAncestor(repository.git, sha, pull.head.sha);
      return isWithin && !(await isAncestor(repository.git, sha, pull.base.sha)) ? [pull] : [];
    }),
  );
  return pageOfShown(call, holding.flat(), (pull) => presentPullSimple(simulation, repository, pull));
}

/** `base...head`, each a branch, a commit, or `owner:branch` of a fork. */
async function compare(call: RepositoryCall) {
  const { simulation, repository, params } = call;
  const { git } = repository;
  const [baseName = "", headName = ""] = (params.basehead ?? "").split("...");
  const base = found(await readCommit(git, await pointOf(call, baseName)));
  const head = found(await readCommit(git, await pointOf(call, headName)));
  const common = found(await mergeBase(git, base.sha, head.sha));
  const commits = await readCommits(git, ["--reverse", `${base.sha}..${head.sha}`]);
  const behind = Number(await git(["rev-list", "--count", `${head.sha}..${base.sha}`]));
  const files = await readDiff(git, common, head.sha);
  const url = `${repositoryUrl(simulation, repository)}/compare/${baseName}...${headName}`;
  const page = `${repositoryPage(simulation, repository)}/compare/${baseName}...${headName}`;
  const isAhead = commits.length > 0;
  const status = isAhead ? (behind > 0 ? "diverged" : "ahead") : behind > 0 ? "behind" : "identical";
  return ok({
    url,
    html_url: page,
    permalink_url: `${repositoryPage(simulation, repository)}/compare/${base.sha}...${head.sha}`,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    base_commit: presentCommit(simulation, repository, base),
    merge_base_commit: presentCommit(simulation, repository, found(await readCommit(git, common))),
    status,
    ahead_by: commits.length,
    behind_by: behind,
    total_commits: commits.length,
    commits: commits.map((commit) => presentCommit(simulation, repository, commit)),
    files: files.map((file) => presentFile(simulation, repository, head.sha, file)),
  });
}

async function pointOf({ simulation, repository }: RepositoryCall, name: string): Promise<string> {
  const [owner, branch] = name.split(":");
  if (owner === undefined || branch === undefined) return name;
  const login = userNamed(simulation, owner).login;
  const other = repositoryNamed(simulation, `${login}/${repository.name}`);
  if (other === null) throw notFound();
  const sha = found(await resolve(other.git, `refs/heads/${branch}`));
  await repository.git(["fetch", "--quiet", "--no-tags", other.folder, sha]);
  return sha;
}
