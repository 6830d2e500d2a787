import { type Incident, isEnded } from "../domain/incident.ts";
import type { Repository } from "../domain/repository.ts";
import type { CheckRunContent, GitHub } from "../ports/github.ts";
import { elide } from "../text/elide.ts";
import { redact } from "../text/redact.ts";
import { headline, livingComment, patchSection } from "./message.ts";
import { isRefused } from "./refused.ts";

/** Finds our one comment again after a kill between writing it and writing down its number. */
const COMMENT_MARK = "<!-- retrace: living comment -->";
const COMMENT_CHARACTERS = 60_000; // GitHub takes 65,536 (platform facts §3.4)

// The conversation is locked, the commit or what we wrote is gone, or we lack the permission: no reason to stop working.
const NOT_TO_BE_TOLD = [403, 404, 410, 422];

/**
 * Brings the living comment up to what the incident is now; returns its number, null when there is none. Idempotent: what
 * is there is edited, never doubled. A red branch without a pull request gets no comment.
 */
export async function tellComment(github: GitHub, incident: Incident): Promise<number | null> {
  const { repository, pullRequest } = incident;
  if (pullRequest === null) return null;
  return writeComment(github, repository, pullRequest, incident.commentId, commentBody(incident), hasNews(incident));
}

/** The same for an answer where no incident is. */
export async function tellAnswer(github: GitHub, repository: Repository, number: number, text: string): Promise<void> {
  await writeComment(github, repository, number, null, `${COMMENT_MARK}\n${redact(text)}`, true);
}

/** One that ended before anything was found out is told where something was told before, and nowhere else. */
function hasNews(incident: Incident): boolean {
  return !isEnded(incident) || incident.explanation !== null || incident.answer !== null;
}

async function writeComment(
  github: GitHub,
  repository: Repository,
  number: number,
  id: number | null,
  body: string,
  mayCreate: boolean,
): Promise<number | null> {
  return unlessRefused(async () => {
    if (id !== null && (await edited(() => github.editComment(repository, id, body)))) return id;
    const found = await findComment(github, repository, number);
    if (found !== null) {
      await github.editComment(repository, found, body);
      return found;
    }
    return mayCreate ? (await github.createComment(repository, number, body)).id : null;
  });
}

/** False when it is not there any more. */
async function edited(edit: () => Promise<void>): Promise<boolean> {
  try {
    await edit();
    return true;
  } catch (error) {
    if (isRefused(error, [404, 410])) return false;
    throw error;
  }
}

async function unlessRefused(write: () => Promise<number | null>): Promise<number | null> {
  try {
    return await write();
  } catch (error) {
    if (isRefused(error, NOT_TO_BE_TOLD)) return null;
    throw error;
  }
}

/** The comment's whole text. A patch that does not fit is said to be left out: a cut patch applies to nothing. */
export function commentBody(incident: Incident): string {
  const patch = unpushedPatch(incident);
  const text = redact(livingComment(incident));
  const shown = patch === null ? "" : `\n\n${patchSection(patch)}`;
  const fits = COMMENT_MARK.length + text.length + shown.length < COMMENT_CHARACTERS;
  const tail = fits ? shown : `\n\nThe patch is too long for a comment (${patch?.length ?? 0} characters).`;
  return `${COMMENT_MARK}\n${text}${tail}`;
}

/** Verified, and pushed nowhere: a fork, `mode: comment`, or a push that was refused. */
function unpushedPatch({ outcome, publication, state }: Incident): string | null {
  if (outcome?.ended !== "repaired" || publication?.pushed === true) return null;
  return state === "done" || state === "gave_up" ? outcome.patch : null;
}

async function findComment(github: GitHub, repository: Repository, number: number): Promise<number | null> {
  const us = await github.botLogin();
  const comments = await github.comments(repository, number);
  // Anybody can write the mark; only our own comments can be edited by us.
  const ours = comments.filter(
    (comment) => comment.body.startsWith(COMMENT_MARK) && (us === null || comment.author === us),
  );
  return ours[0]?.id ?? null;
}

/** Brings our check run on the failing commit up to what the incident is now; returns its number, null when none can be made. */
export async function tellCheckRun(github: GitHub, incident: Incident): Promise<number | null> {
  const { repository, headSha, id, checkRunId } = incident;
  const content = checkRunContent(incident);
  return unlessRefused(async () => {
    if (checkRunId !== null && (await edited(() => github.editCheckRun(repository, checkRunId, content))))
      return checkRunId;
    const found = await github.findCheckRun(repository, headSha, id);
    if (found === null) {
      // Nothing was shown there, and nothing is going on.
      if (!hasNews(incident)) return null;
      return github.createCheckRun(repository, { ...content, headSha, externalId: id });
    }
    await github.editCheckRun(repository, found, content);
    return found;
  });
}

/** Never red: it ends as success or neutral (design §10.3). */
export function checkRunContent(incident: Incident): CheckRunContent {
  const ended = isEnded(incident);
  const green = incident.state === "done" && incident.publication?.ci.state === "green";
  return {
    name: "retrace",
    status: ended ? "completed" : "in_progress",
    conclusion: ended ? (green ? "success" : "neutral") : null,
    title: elide(headline(incident), { head: 200, tail: 0 }).slice(0, 250),
    summary: redact(livingComment(incident)),
  };
}
