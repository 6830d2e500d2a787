/** Everything we push lies below this; runs there are followed, never repaired anew. */
export const BRANCH_PREFIX = "retrace/";

const BRANCH_CHARACTERS = 60; // design §6: the failing branch is cut to 60
const SHA_CHARACTERS = 8;

/** The one branch for a failing head: always the same name for the same head, so that it can be looked up first (design §6). */
export function repairBranch(failingBranch: string, headSha: string): string {
  return `${BRANCH_PREFIX}${cutBranch(failingBranch)}-${headSha.slice(0, SHA_CHARACTERS)}`;
}

/** Cut so that the result is still a valid ref name: no dot or slash at the end, no `.lock` in the middle of it. */
function cutBranch(branch: string): string {
  const cut = [...branch].slice(0, BRANCH_CHARACTERS).join("");
  return cut.replace(/(?:\.lock|[./])+$/, "") || "head";
}
