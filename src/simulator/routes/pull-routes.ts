import { z } from "zod";
import { tellPull } from "../events/tell-app.ts";
import { readDiff } from "../git/read-diff.ts";
import { mergeBase, readCommits, resolve } from "../git/read-history.ts";
import { isRefusal, openPull, refreshMerge, setPullState } from "../happenings/change-pull.ts";
import { type Answer, created, found, invalid, ok } from "../http/answers.ts";
import { whoActs } from "../http/caller.ts";
import { bodyOf, pageOfShown, type RepositoryCall, type Route } from "../http/route.ts";
import { presentCommit, presentFile } from "../present/present-commit.ts";
import { presentPull, presentPullSimple } from "../present/present-pull.ts";
import type { PullRequest, Repository } from "../state/nouns.ts";
import { repositoryNamed } from "../state/simulation.ts";

/** GitHub's longest body of a pull request, issue or comment, in characters. */
export const LONGEST_BODY = 65_536;
export const Body = z.string().max(LONGEST_BODY, `too_long: body is too long (maximum is ${LONGEST_BODY} characters)`);

const READ = [{ pull_requests: "read" }] as const;
const WRITE = [{ pull_requests: "write" }] as const;

const NewPullBody = z.object({
  title: z.string().min(1),
  head: z.string(),
  base: z.string(),
  body: Body.nullish(),
  draft: z.boolean().default(false),
  maintainer_can_modify: z.boolean().default(true),
});
const ChangedPull = z.object({
  title: z.string().min(1).optional(),
  body: Body.nullish(),
  state: z.enum(["open", "closed"]).optional(),
  base: z.string().optional(),
});

export const PULL_ROUTES: readonly Route[] = [
  { method: "GET", path: "/pulls", for: "repository", needs: READ, handle: listPulls },
  { method: "POST", path: "/pulls", for: "repository", needs: WRITE, handle: createPull },
  { method: "GET", path: "/pulls/{pull_number}", for: "repository", needs: READ, handle: readPull },
  { method: "PATCH", path: "/pulls/{pull_number}", for: "repository", needs: WRITE, handle: changePull },
  { method: "GET", path: "/pulls/{pull_number}/files", for: "repository", needs: READ, handle: listFiles },
  { method: "GET", path: "/pulls/{pull_number}/commits", for: "repository", needs: READ, handle: listPullCommits },
];

/** By the number in a path, or 404. */
export function pullNumbered(repository: Repository, number: string | undefined): PullRequest {
  return found(repository.pulls.find((pull) => String(pull.number) === number));
}

function listPulls(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, query } = call;
  const state = query.get("state") ?? "open";
  const base = query.get("base");
  const [owner = "", branch = ""] = query.get("head")?.split(":") ?? [];
  const isHead = ({ head }: PullRequest): boolean =>
    head.ref === branch && head.repository.owner.login.toLowerCase() === owner.toLowerCase();
  const pulls = repository.pulls.filter(
    (pull) =>
      (state === "all" || pull.state === state) &&
      (base === null || pull.base.ref === base) &&
      // GitHub ignores a head filter that is not `owner:branch`.
      (branch === "" || isHead(pull)),
  );
  const isOldestFirst = query.get("direction") === "asc";
  const ordered = isOldestFirst ? pulls : [...pulls].reverse();
  return pageOfShown(call, ordered, (pull) => presentPullSimple(simulation, repository, pull));
}

async function createPull(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, caller } = call;
  const wish = bodyOf(NewPullBody, call, "PullRequest");
  const pull = await openPull(simulation, repository, {
    base: wish.base,
    head: headOf(call, wish.head),
    title: wish.title,
    body: wish.body ?? null,
    draft: wish.draft,
    user: whoActs(simulation, caller),
    maintainerCanModify: wish.maintainer_can_modify,
  });
  if (isRefusal(pull)) throw invalid(pull);
  return created(await presentPull(simulation, repository, pull));
}

/** `branch`, or `owner:branch` of this repository or a fork of it. */
function headOf({ simulation, repository }: RepositoryCall, head: string): { repository: Repository; ref: string } {
  const [owner, branch] = head.split(":");
  if (owner === undefined || branch === undefined) return { repository, ref: head };
  const named = repositoryNamed(simulation, `${owner}/${repository.name}`);
  if (named === null) throw invalid({ resource: "PullRequest", field: "head", code: "invalid" });
  return { repository: named, ref: branch };
}

async function readPull({ simulation, repository, params, accept }: RepositoryCall): Promise<Answer> {
  const pull = pullNumbered(repository, params.pull_number);
  if (/\b(diff|patch)\b/.test(accept)) {
    const from = found(await mergeBase(repository.git, pull.base.sha, pull.head.sha));
    const content = await repository.git(["diff", "-M", from, pull.head.sha]);
    return { status: 200, raw: { type: "application/vnd.github.diff; charset=utf-8", content } };
  }
  return ok(await presentPull(simulation, repository, pull));
}

async function changePull(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params, caller } = call;
  const pull = pullNumbered(repository, params.pull_number);
  const { title, body, state, base } = bodyOf(ChangedPull, call, "PullRequest");
  const actor = whoActs(simulation, caller);
  const isEdited = title !== undefined || body !== undefined || base !== undefined;
  if (base !== undefined) {
    const sha = await resolve(repository.git, `refs/heads/${base}`);
    if (sha === null) throw invalid({ resource: "PullRequest", field: "base", code: "invalid" });
    Object.assign(pull.base, { ref: base, sha });
    await refreshMerge(simulation, repository, pull);
  }
  if (title !== undefined) pull.title = title;
  if (body !== undefined) pull.body = body;
  pull.updatedAt = simulation.clock.iso();
  if (isEdited) await tellPull(simulation, repository, pull, "edited", actor, { changes: {} });
  if (state !== undefined) await setPullState(simulation, repository, pull, state, actor);
  return ok(await presentPull(simulation, repository, pull));
}

async function listFiles(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params } = call;
  const { base, head } = pullNumbered(repository, params.pull_number);
  const from = found(await mergeBase(repository.git, base.sha, head.sha));
  const files = await readDiff(repository.git, from, head.sha);
  return pageOfShown(call, files, (file) => presentFile(simulation, repository, head.sha, file));
}

async function listPullCommits(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params } = call;
  const { base, head } = pullNumbered(repository, params.pull_number);
  const commits = await readCommits(repository.git, ["--reverse", `${base.sha}..${head.sha}`]);
  return pageOfShown(call, commits, (commit) => presentCommit(simulation, repository, commit));
}
