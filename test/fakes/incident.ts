import type { Incident } from "../../src/domain/incident.ts";

/** A fresh incident of a red pull request. */
export function anIncident(told: Partial<Incident> = {}): Incident {
  return {
    id: "inc_1",
    key: "7:aaaa",
    installationId: 1,
    repository: {
      id: 7,
      owner: "acme",
      name: "app",
      cloneUrl: "http://127.0.0.1/acme/app.git",
      htmlUrl: "http://127.0.0.1/acme/app",
      defaultBranch: "main",
      private: false,
    },
    headSha: "aaaa",
    headBranch: "feature",
    headRepository: "acme/app",
    isFork: false,
    pullRequest: 3,
    runs: [],
    state: "collecting",
    openedAt: "2026-03-01T12:00:00.000Z",
    trigger: { by: "ci" },
    why: null,
    explanation: null,
    outcome: null,
    publication: null,
    commentId: null,
    checkRunId: null,
    rerunAt: null,
    answer: null,
    notes: [],
    history: [],
    ...told,
  };
}
