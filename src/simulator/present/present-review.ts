import type { PullRequest, Repository, Review } from "../state/nouns.ts";
import { nodeId, type Simulation } from "../state/simulation.ts";
import { repositoryPage, repositoryUrl } from "./present-repository.ts";
import { presentUser } from "./present-user.ts";

/** `pull-request-review` */
export function presentReview(simulation: Simulation, repository: Repository, pull: PullRequest, review: Review) {
  const page = `${repositoryPage(simulation, repository)}/pull/${pull.number}#pullrequestreview-${review.id}`;
  const pullUrl = `${repositoryUrl(simulation, repository)}/pulls/${pull.number}`;
  return {
    id: review.id,
    node_id: nodeId("PRR", review.id),
    user: presentUser(simulation, review.user),
    body: review.body,
    state: "COMMENTED",
    html_url: page,
    pull_request_url: pullUrl,
    _links: { html: { href: page }, pull_request: { href: pullUrl } },
    submitted_at: review.submittedAt,
    commit_id: review.commitSha,
    author_association: "NONE",
  };
}
