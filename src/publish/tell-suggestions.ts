import { createHash } from "node:crypto";
import type { Incident } from "../domain/incident.ts";
import type { GitHub } from "../ports/github.ts";
import { isRefused } from "./refused.ts";
import { type Suggestion, suggestionsOf } from "./suggestions.ts";

// A line outside of the diff after all, a locked conversation, no permission: the comment holds the patch.
const NOT_TO_BE_TOLD = [403, 404, 410, 422];

/**
 * Puts a verified patch beside the lines it changes, as a review of suggestions; its number, null where the patch cannot be
 * said so or the host takes none. Looked up before it is made: after a kill there is still one.
 */
export async function tellSuggestions(github: GitHub, incident: Incident): Promise<number | null> {
  const { repository, pullRequest, outcome } = incident;
  const patch = outcome?.patch ?? null;
  if (pullRequest === null || outcome?.ended !== "repaired" || patch === null) return null;
  try {
    const suggestions = suggestionsOf(patch, await github.pullRequestDiff(repository, pullRequest));
    if (suggestions === null) return null;
    return await findOrCreate(github, { ...incident, pullRequest }, patch, suggestions);
  } catch (error) {
    if (isRefused(error, NOT_TO_BE_TOLD)) return null;
    throw error;
  }
}

async function findOrCreate(
  github: GitHub,
  { repository, headSha, pullRequest }: Incident & { readonly pullRequest: number },
  patch: string,
  comments: readonly Suggestion[],
): Promise<number> {
  // The same patch is never suggested twice; another one for the same head is.
  const mark = `<!-- retrace: suggestions ${createHash("sha256").update(`${headSha}\n${patch}`).digest("hex").slice(0, 16)} -->`;
  const us = await github.botLogin();
  const known = (await github.reviews(repository, pullRequest)).find(
    ({ author, body }) => body.startsWith(mark) && (us === null || author === us),
  );
  if (known !== undefined) return known.id;
  const many = comments.length === 1 ? "This change was" : "These changes were";
  const body = `${mark}\n${many} verified locally together: take all of them over in one commit.`;
  return (await github.createReview(repository, pullRequest, { headSha, body, comments })).id;
}
