import { ENDED_STATES, type Incident } from "../domain/incident.ts";
import type { CheckRunContent, GitHub } from "../ports/github.ts";
import { elide } from "../text/elide.ts";
import { redact } from "../text/redact.ts";
import { headline, livingComment, patchSection } from "./message.ts";

/** Finds our one comment again after a kill between writing it and writing down its number. */
const COMMENT_MARK = "<!-- retrace: living comment -->";
const COMMENT_CHARACTERS = 60_000; // GitHub takes 65,536 (platform facts §3.4)

/** What was written where, to be kept with the incident. */
export interface Told {
  readonly commentId: number | null;
  readonly checkRunId: number | null;
}

/**
 * Brings the living comment and our check run up to what the incident is now. Idempotent: what is there is edited, never
 * doubled. A verified patch that was not pushed is shown in the comment. A red branch without a pull request gets no comment.
 */
export async function tellPeople(github: GitHub, incident: Incident): Promise<Told> {
  const commentId = incident.pullRequest === null ? null : await tellComment(github, incident, incident.pullRequest);
  return { commentId, checkRunId: await tellCheckRun(github, incident) };
}

async function tellComment(github: GitHub, incident: Incident, number: number): Promise<number> {
  const { repository } = incident;
  const body = commentBody(incident);
  const known = incident.commentId ?? (await findComment(github, incident, number));
  if (known === null) return (await github.createComment(repository, number, body)).id;
  await github.editComment(repository, known, body);
  return known;
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
function unpushedPatch({ outcome, publication }: Incident): string | null {
  return outcome?.ended === "repaired" && publication?.pushed !== true ? outcome.patch : null;
}

async function findComment(github: GitHub, { repository }: Incident, number: number): Promise<number | null> {
  const us = await github.botLogin();
  const comments = await github.comments(repository, number);
  // Anybody can write the mark; only our own comments can be edited by us.
  const ours = comments.filter(
    (comment) => comment.body.startsWith(COMMENT_MARK) && (us === null || comment.author === us),
  );
  return ours[0]?.id ?? null;
}

async function tellCheckRun(github: GitHub, incident: Incident): Promise<number> {
  const { repository, headSha, id } = incident;
  const content = checkRunContent(incident);
  const known = incident.checkRunId ?? (await github.findCheckRun(repository, headSha, id));
  if (known === null) return github.createCheckRun(repository, { ...content, headSha, externalId: id });
  await github.editCheckRun(repository, known, content);
  return known;
}

/** Never red: it ends as success or neutral (design §10.3). */
export function checkRunContent(incident: Incident): CheckRunContent {
  const ended = ENDED_STATES.includes(incident.state);
  const green = incident.state === "done" && incident.publication?.ci.state === "green";
  return {
    name: "retrace",
    status: ended ? "completed" : "in_progress",
    conclusion: ended ? (green ? "success" : "neutral") : null,
    title: elide(headline(incident), { head: 200, tail: 0 }).slice(0, 250),
    summary: redact(livingComment(incident)),
  };
}
