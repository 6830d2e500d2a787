import type { Publication } from "../domain/incident.ts";

/** A repair that is committed here and pushed nowhere yet. */
export function preparedPublication(
  prepared: Pick<Publication, "branch" | "base" | "commit" | "tree" | "copyFolder" | "needsPerson">,
): Publication {
  return {
    ...prepared,
    pushed: false,
    pullRequest: null,
    nodeId: null,
    draft: true,
    openedAt: null,
    withdrawn: false,
    ci: { state: "waiting", runs: [], lastHeardAt: null, why: null },
  };
}
