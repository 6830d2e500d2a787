import type { Incident, Trigger } from "../domain/incident.ts";
import type { Repository, WorkflowRun } from "../domain/repository.ts";

export interface Opening {
  readonly installationId: number;
  readonly repository: Repository;
  readonly headSha: string;
  readonly headBranch: string;
  /** Null when the repository of the head is gone: a fork's, since ours is there. */
  readonly headRepository: string | null;
  readonly pullRequest: number | null;
  readonly runs: readonly WorkflowRun[];
  readonly trigger: Trigger;
}

/** There is never a second incident of the same repository and head. */
export function incidentKey(repository: Repository, headSha: string): string {
  return `${repository.id}:${headSha}`;
}

/** An incident at its beginning. */
export function newIncident(id: string, opening: Opening, now: Date): Incident {
  const { repository, headSha, headRepository, runs } = opening;
  return {
    ...opening,
    id,
    key: incidentKey(repository, headSha),
    isFork: headRepository !== `${repository.owner}/${repository.name}`,
    state: "collecting",
    openedAt: now.toISOString(),
    why: null,
    explanation: null,
    outcome: null,
    publication: null,
    commentId: null,
    checkRunId: null,
    rerunAt: null,
    answer: null,
    notes: [],
    history: runs.map((run) => ({ at: now.toISOString(), what: `${run.name} failed` })),
  };
}
