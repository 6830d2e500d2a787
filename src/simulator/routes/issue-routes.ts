import { z } from "zod";
import { tellComment } from "../events/tell-app.ts";
import { addLabel, labelsOf, removeLabel } from "../happenings/label-pull.ts";
import { type Answer, created, found, invalid, noContent, ok, Refusal } from "../http/answers.ts";
import { whoActs } from "../http/caller.ts";
import { bodyOf, pageOfShown, type RepositoryCall, type Route } from "../http/route.ts";
import { presentAsIssue, presentComment, presentReaction } from "../present/present-pull.ts";
import { presentLabel } from "../present/present-repository.ts";
import type { Comment, PullRequest, Repository } from "../state/nouns.ts";
import type { Simulation } from "../state/simulation.ts";
import { Body, pullNumbered } from "./pull-routes.ts";

/** Either permission is enough for what hangs on a pull request. */
const READ = [{ issues: "read" }, { pull_requests: "read" }] as const;
const WRITE = [{ issues: "write" }, { pull_requests: "write" }] as const;

const CommentBody = z.object({ body: Body.min(1) });
const ReactionBody = z.object({
  content: z.enum(["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]),
});
const LabelNames = z.union([
  z.array(z.string()),
  z.object({ labels: z.array(z.string()) }).transform((one) => one.labels),
]);
const NewLabel = z.object({
  name: z.string().min(1),
  color: z.string().default("ededed"),
  description: z.string().nullish(),
});

/** Comments, reactions and labels of pull requests, which GitHub counts as issues here. */
export const ISSUE_ROUTES: readonly Route[] = [
  { method: "GET", path: "/issues/{issue_number}", for: "repository", needs: READ, handle: readIssue },
  { method: "GET", path: "/issues/{issue_number}/comments", for: "repository", needs: READ, handle: listComments },
  { method: "POST", path: "/issues/{issue_number}/comments", for: "repository", needs: WRITE, handle: createComment },
  { method: "GET", path: "/issues/comments/{comment_id}", for: "repository", needs: READ, handle: readComment },
  { method: "PATCH", path: "/issues/comments/{comment_id}", for: "repository", needs: WRITE, handle: changeComment },
  { method: "DELETE", path: "/issues/comments/{comment_id}", for: "repository", needs: WRITE, handle: deleteComment },
  {
    method: "GET",
    path: "/issues/comments/{comment_id}/reactions",
    for: "repository",
    needs: READ,
    handle: listReactions,
  },
  { method: "POST", path: "/issues/comments/{comment_id}/reactions", for: "repository", needs: WRITE, handle: react },
  {
    method: "DELETE",
    path: "/issues/comments/{comment_id}/reactions/{reaction_id}",
    for: "repository",
    needs: WRITE,
    handle: takeBackReaction,
  },
  { method: "GET", path: "/issues/{issue_number}/labels", for: "repository", needs: READ, handle: listLabels },
  { method: "POST", path: "/issues/{issue_number}/labels", for: "repository", needs: WRITE, handle: addLabels },
  {
    method: "DELETE",
    path: "/issues/{issue_number}/labels/{name}",
    for: "repository",
    needs: WRITE,
    handle: takeLabelOff,
  },
  { method: "POST", path: "/labels", for: "repository", needs: WRITE, handle: createLabel },
];

/** Adds a comment and tells the app. */
export function addComment(
  simulation: Simulation,
  repository: Repository,
  pull: PullRequest,
  by: Pick<Comment, "user" | "byApp" | "body">,
): Comment {
  const at = simulation.clock.iso();
  const comment: Comment = { id: simulation.nextId(), ...by, createdAt: at, updatedAt: at, reactions: [] };
  pull.comments.push(comment);
  pull.updatedAt = at;
  tellComment(simulation, repository, pull, comment, "created", comment.user);
  return comment;
}

function readIssue({ simulation, repository, params }: RepositoryCall): Answer {
  return ok(presentAsIssue(simulation, repository, pullNumbered(repository, params.issue_number)));
}

function listComments(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params } = call;
  const pull = pullNumbered(repository, params.issue_number);
  return pageOfShown(call, pull.comments, (comment) => presentComment(simulation, repository, pull, comment));
}

function createComment(call: RepositoryCall): Answer {
  const { simulation, repository, params, caller } = call;
  const pull = pullNumbered(repository, params.issue_number);
  const { body } = bodyOf(CommentBody, call, "IssueComment");
  const by = { body, user: whoActs(simulation, caller), byApp: caller.kind === "installation" };
  return created(presentComment(simulation, repository, pull, addComment(simulation, repository, pull, by)));
}

function readComment({ simulation, repository, params }: RepositoryCall): Answer {
  const [pull, comment] = commentIn(repository, params.comment_id);
  return ok(presentComment(simulation, repository, pull, comment));
}

function changeComment(call: RepositoryCall): Answer {
  const { simulation, repository, params, caller } = call;
  const [pull, comment] = commentIn(repository, params.comment_id);
  const actor = whoActs(simulation, caller);
  if (caller.kind === "installation" && comment.user !== actor)
    throw new Refusal(403, "Resource not accessible by integration");
  comment.body = bodyOf(CommentBody, call, "IssueComment").body;
  comment.updatedAt = simulation.clock.iso();
  tellComment(simulation, repository, pull, comment, "edited", actor);
  return ok(presentComment(simulation, repository, pull, comment));
}

function deleteComment({ simulation, repository, params, caller }: RepositoryCall): Answer {
  const [pull, comment] = commentIn(repository, params.comment_id);
  pull.comments.splice(pull.comments.indexOf(comment), 1);
  tellComment(simulation, repository, pull, comment, "deleted", whoActs(simulation, caller));
  return noContent;
}

function listReactions(call: RepositoryCall): Promise<Answer> {
  const [, comment] = commentIn(call.repository, call.params.comment_id);
  return pageOfShown(call, comment.reactions, (reaction) => presentReaction(call.simulation, reaction));
}

function react(call: RepositoryCall): Answer {
  const { simulation, repository, params, caller } = call;
  const [, comment] = commentIn(repository, params.comment_id);
  const { content } = bodyOf(ReactionBody, call, "Reaction");
  const user = whoActs(simulation, caller);
  const known = comment.reactions.find((reaction) => reaction.user === user && reaction.content === content);
  if (known !== undefined) return ok(presentReaction(simulation, known));
  const reaction = { id: simulation.nextId(), user, content, createdAt: simulation.clock.iso() };
  comment.reactions.push(reaction);
  return created(presentReaction(simulation, reaction));
}

function takeBackReaction({ repository, params }: RepositoryCall): Answer {
  const [, { reactions }] = commentIn(repository, params.comment_id);
  const at = reactions.findIndex((reaction) => String(reaction.id) === params.reaction_id);
  found(reactions[at]);
  reactions.splice(at, 1);
  return noContent;
}

function listLabels(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params } = call;
  const labels = labelsOf(repository, pullNumbered(repository, params.issue_number));
  return pageOfShown(call, labels, (label) => presentLabel(simulation, repository, label));
}

async function addLabels(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params, caller } = call;
  const pull = pullNumbered(repository, params.issue_number);
  for (const name of bodyOf(LabelNames, call, "Label")) {
    await addLabel(simulation, repository, pull, name, whoActs(simulation, caller));
  }
  return answerLabels(call, pull);
}

async function takeLabelOff(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params, caller } = call;
  const pull = pullNumbered(repository, params.issue_number);
  const wasThere = await removeLabel(simulation, repository, pull, params.name ?? "", whoActs(simulation, caller));
  if (!wasThere) throw new Refusal(404, "Label does not exist");
  return answerLabels(call, pull);
}

function answerLabels({ simulation, repository }: RepositoryCall, pull: PullRequest): Answer {
  return ok(labelsOf(repository, pull).map((label) => presentLabel(simulation, repository, label)));
}

function createLabel(call: RepositoryCall): Answer {
  const { simulation, repository } = call;
  const wish = bodyOf(NewLabel, call, "Label");
  const key = wish.name.toLowerCase();
  if (repository.labels.has(key)) throw invalid({ resource: "Label", code: "already_exists", field: "name" });
  const label = { id: simulation.nextId(), ...wish, description: wish.description ?? null };
  repository.labels.set(key, label);
  return created(presentLabel(simulation, repository, label));
}

function commentIn(repository: Repository, id: string | undefined): [PullRequest, Comment] {
  for (const pull of repository.pulls) {
    const comment = pull.comments.find((one) => String(one.id) === id);
    if (comment !== undefined) return [pull, comment];
  }
  throw new Refusal(404, "Not Found");
}
