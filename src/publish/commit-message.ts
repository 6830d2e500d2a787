import type { Policy } from "../domain/policy.ts";
import type { Problem } from "../domain/problem.ts";

// Git's own habit: a subject longer than this is cut in most views.
const SUBJECT_CHARACTERS = 72;

/** The message of the commit that repairs one problem: what was wrong, how it was checked, nothing about us. */
export function commitMessage(problem: Problem, command: string, why: string, policy: Pick<Policy, "commit">): string {
  const subject = cut(`${policy.commit.prefix}${problem.title.replace(/\s+/g, " ")}`, SUBJECT_CHARACTERS);
  const [firstLine] = command.split("\n");
  return `${subject}\n\n${why}\n\nFailing command: ${firstLine}\n`;
}

function cut(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
