import { z } from "zod";
import { readDiff } from "../git/read-diff.ts";
import { mergeBase } from "../git/read-history.ts";
import { type Answer, found, invalid, ok } from "../http/answers.ts";
import { whoActs } from "../http/caller.ts";
import { bodyOf, pageOfShown, type RepositoryCall, type Route } from "../http/route.ts";
import { presentReview } from "../present/present-review.ts";
import type { PullRequest, Review, ReviewComment } from "../state/nouns.ts";
import { Body, pullNumbered } from "./pull-routes.ts";

const PATH = "/pulls/{pull_number}/reviews";

const NewReview = z.object({
  commit_id: z.string().optional(),
  body: Body.default(""),
  event: z.literal("COMMENT"),
  comments: z
    .array(
      z.object({
        path: z.string(),
        body: Body.min(1),
        line: z.number().int().positive(),
        side: z.literal("RIGHT").default("RIGHT"),
        start_line: z.number().int().positive().optional(),
        start_side: z.literal("RIGHT").optional(),
      }),
    )
    .default([]),
});

/** Reviews that comment; pending ones, approvals and dismissals are not played. */
export const REVIEW_ROUTES: readonly Route[] = [
  { method: "GET", path: PATH, for: "repository", needs: [{ pull_requests: "read" }], handle: listReviews },
  { method: "POST", path: PATH, for: "repository", needs: [{ pull_requests: "write" }], handle: createReview },
];

function listReviews(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params } = call;
  const pull = pullNumbered(repository, params.pull_number);
  return pageOfShown(call, pull.reviews, (review) => presentReview(simulation, repository, pull, review));
}

async function createReview(call: RepositoryCall): Promise<Answer> {
  const { simulation, repository, params, caller } = call;
  const pull = pullNumbered(repository, params.pull_number);
  const wish = bodyOf(NewReview, call, "PullRequestReview");
  const comments = wish.comments.map(({ path, body, line, start_line }): ReviewComment => {
    return { path, body, line, startLine: start_line ?? null };
  });
  const shown = await linesShown(call, pull);
  for (const comment of comments) {
    if (!isShown(comment, shown)) throw invalid("Pull request review thread line must be part of the diff");
  }
  const review: Review = {
    id: simulation.nextId(),
    user: whoActs(simulation, caller),
    body: wish.body,
    commitSha: wish.commit_id ?? pull.head.sha,
    submittedAt: simulation.clock.iso(),
    comments,
  };
  pull.reviews.push(review);
  return ok(presentReview(simulation, repository, pull, review));
}

/** The first and the last line of each hunk on the head's side, by path. */
async function linesShown({ repository }: RepositoryCall, { base, head }: PullRequest) {
  const from = found(await mergeBase(repository.git, base.sha, head.sha));
  const files = await readDiff(repository.git, from, head.sha);
  return new Map(
    files.map(({ path, patch }) => {
      const hunks = [...(patch ?? "").matchAll(/^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/gm)];
      return [path, hunks.map(([, start, count]) => ({ first: Number(start), count: Number(count ?? 1) }))];
    }),
  );
}

function isShown({ path, line, startLine }: ReviewComment, shown: Awaited<ReturnType<typeof linesShown>>): boolean {
  const from = startLine ?? line;
  // GitHub takes a start only before the end.
  if (startLine !== null && startLine >= line) return false;
  return (shown.get(path) ?? []).some(({ first, count }) => from >= first && line < first + count);
}
