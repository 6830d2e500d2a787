import type { IncomingMessage, ServerResponse } from "node:http";
import { gunzipSync } from "node:zlib";
import { readRefs } from "../git/read-history.ts";
import { NO_COMMIT } from "../git/ref-change.ts";
import { type PushOrder, readPush, refusePush, serveGit, withQuarantine } from "../git/smart-http.ts";
import { changesWorkflows } from "../git/workflow-changes.ts";
import { afterPush } from "../happenings/after-push.ts";
import type { PullRequest, Repository } from "../state/nouns.ts";
import { repositoryNamed, type Simulation } from "../state/simulation.ts";
import { Refusal } from "./answers.ts";
import { type Caller, callerOf, canWrite, reaches, roleOf, whoActs } from "./caller.ts";

const GIT_PATH = /^\/([^/]+)\/([^/]+?)(?:\.git)?(\/info\/refs|\/git-upload-pack|\/git-receive-pack)$/;

/** Whether git asks for this path. */
export const isGitPath = (pathname: string): boolean => GIT_PATH.test(pathname);

/** Serves clone, fetch and push; answers the status it sent. */
export async function serveGitDoor(
  simulation: Simulation,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  body: Buffer,
): Promise<number> {
  const [, owner = "", name = "", pathInfo = ""] = GIT_PATH.exec(url.pathname) ?? [];
  const isPush = pathInfo === "/git-receive-pack" || url.searchParams.get("service") === "git-receive-pack";
  const repository = repositoryNamed(simulation, `${owner}/${name}`);
  const access = judgeAccess(simulation, request, repository, isPush);
  if ("status" in access) return refuse(response, access.status, access.message);

  const plain = request.headers["content-encoding"] === "gzip" ? unpacked(body) : body;
  if (plain === null) return refuse(response, 400, "Bad Request");
  const git = {
    folder: access.repository.folder,
    toolPath: simulation.toolPath,
    method: request.method ?? "GET",
    pathInfo,
    query: url.search.slice(1),
    contentType: request.headers["content-type"] ?? "",
    protocol: headerText(request.headers["git-protocol"]),
    body: plain,
  };
  if (pathInfo !== "/git-receive-pack") return serveGit(git, response);

  const order = readPush(plain);
  const reason = await judgePush(simulation, access, order);
  if (reason !== null) {
    refusePush(order, reason, response);
    return 200;
  }
  const before = await readRefs(access.repository.git);
  const served = serveGit(git, response);
  // Tracked before the client has its answer, so that it cannot find the simulator idle in between.
  simulation.work.track(served.then(() => followPush(simulation, access, order, before)));
  return served;
}

interface Access {
  readonly caller: Caller;
  readonly repository: Repository;
}

type Denial = { readonly status: 400 | 401 | 403 | 404; readonly message: string };

/** GitHub hides what one may not see behind 404, asks nobody-in-particular for a password, and 403s the rest. */
function judgeAccess(
  simulation: Simulation,
  request: IncomingMessage,
  repository: Repository | null,
  isPush: boolean,
): Access | Denial {
  let caller: Caller;
  try {
    caller = callerOf(simulation, request.headers.authorization);
  } catch (error) {
    if (error instanceof Refusal) return { status: 401, message: "remote: Invalid username or token." };
    throw error;
  }
  const isPublic = repository !== null && !repository.isPrivate;
  if (caller.kind === "app") return { status: 401, message: "Invalid username or token." };
  if (caller.kind === "nobody" && (isPush || !isPublic)) return { status: 401, message: "No anonymous write access." };
  if (repository === null) return { status: 404, message: "Repository not found." };
  if (caller.kind === "nobody") return { caller, repository };

  const may = rightsOf(simulation, caller, repository);
  if (!may.read && !isPublic) return { status: 404, message: "Repository not found." };
  if (isPush && !may.write) {
    return {
      status: 403,
      message: `Permission to ${repository.fullName}.git denied to ${whoActs(simulation, caller).login}.`,
    };
  }
  return { caller, repository };
}

function rightsOf(simulation: Simulation, caller: Caller, repository: Repository): { read: boolean; write: boolean } {
  if (caller.kind === "user") {
    const role = roleOf(repository, caller.user);
    return { read: role !== null, write: canWrite(role) };
  }
  if (caller.kind !== "installation") return { read: false, write: false };
  const { contents } = caller.token.permissions;
  const isOwn = reaches(simulation, caller.token, repository);
  const isLent = lendingPulls(simulation, caller, repository).length > 0;
  return { read: isOwn && contents !== undefined, write: (isOwn || isLent) && contents === "write" };
}

/** Open pull requests from a person's fork into a repository of this token, which let maintainers push to their branch. */
function lendingPulls(simulation: Simulation, caller: Caller, fork: Repository): PullRequest[] {
  if (caller.kind !== "installation" || fork.parent === null || fork.owner.type === "Organization") return [];
  if (!reaches(simulation, caller.token, fork.parent)) return [];
  const { parent } = fork;
  return parent.pulls.filter(
    (pull) => pull.state === "open" && pull.head.repository === fork && pull.maintainerCanModify,
  );
}

/** Why the whole push is refused, in GitHub's words; null when it may pass. */
async function judgePush(
  simulation: Simulation,
  { caller, repository }: Access,
  order: PushOrder,
): Promise<string | null> {
  const branches = order.changes.map(({ ref }) => ref.replace(/^refs\/heads\//, ""));
  if (order.changes.some(({ ref }) => ref.startsWith("refs/pull/"))) return "deny updating a hidden ref";
  if (branches.some((branch) => repository.protectedBranches.has(branch))) return "protected branch hook declined";
  const deletesDefault = order.changes.some(
    ({ after }, at) => after === NO_COMMIT && branches[at] === repository.defaultBranch,
  );
  if (deletesDefault) return `refusing to delete the current branch: refs/heads/${repository.defaultBranch}`;
  if (caller.kind !== "installation") return null;
  const isOwn = reaches(simulation, caller.token, repository);
  const lent = lendingPulls(simulation, caller, repository).some((pull) => pull.head.ref === branches[0]);
  if (!isOwn && (branches.length !== 1 || !lent)) return "permission denied";
  if (caller.token.permissions.workflows === "write") return null;
  const touched = await touchedWorkflows(simulation, repository, order);
  if (touched.length === 0) return null;
  return `refusing to allow a GitHub App to create or update workflow \`${touched[0]}\` without \`workflows\` permission`;
}

function touchedWorkflows(
  simulation: Simulation,
  repository: Repository,
  { changes, pack }: PushOrder,
): Promise<string[]> {
  const place = { folder: repository.folder, toolPath: simulation.toolPath, scratch: simulation.folder };
  return withQuarantine(place, pack, async (env) => {
    const touched: string[] = [];
    for (const { before, after } of changes) {
      if (after === NO_COMMIT) continue;
      touched.push(...(await changesWorkflows(repository.git, before === NO_COMMIT ? null : before, after, { env })));
    }
    return touched;
  });
}

/** Lets everything follow from the refs that the push really moved. */
async function followPush(
  simulation: Simulation,
  { caller, repository }: Access,
  { changes }: PushOrder,
  before: ReadonlyMap<string, string>,
): Promise<void> {
  const after = await readRefs(repository.git);
  for (const { ref, after: wanted } of changes) {
    const was = before.get(ref) ?? NO_COMMIT;
    const is = after.get(ref) ?? NO_COMMIT;
    if (was === is || is !== wanted) continue;
    await afterPush(simulation, repository, { ref, before: was, after: is }, whoActs(simulation, caller));
  }
}

function refuse(response: ServerResponse, status: Denial["status"], message: string): number {
  const challenge = status === 401 ? { "www-authenticate": 'Basic realm="GitHub"' } : {};
  response.writeHead(status, { "content-type": "text/plain", ...challenge });
  response.end(message);
  return status;
}

function unpacked(body: Buffer): Buffer | null {
  try {
    return gunzipSync(body);
  } catch {
    return null;
  }
}

const headerText = (header: string | string[] | undefined): string => (typeof header === "string" ? header : "");
