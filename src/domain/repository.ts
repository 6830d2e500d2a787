/** A repository at a GitHub-compatible host, as a delivery or `GET /repos` tells it. */
export interface Repository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  /** Where git clones from; taken as it is, no host is compared with another. */
  readonly cloneUrl: string;
  readonly htmlUrl: string;
  readonly defaultBranch: string;
  readonly private: boolean;
}

/** `owner/name` */
export function fullName({ owner, name }: Pick<Repository, "owner" | "name">): string {
  return `${owner}/${name}`;
}

export interface PullRequest {
  readonly number: number;
  readonly state: "open" | "closed";
  readonly merged: boolean;
  readonly draft: boolean;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly headSha: string;
  readonly headBranch: string;
  /** `owner/name` the head lies in; null when that repository is gone. */
  readonly headRepository: string | null;
  readonly baseBranch: string;
  readonly labels: readonly string[];
  readonly htmlUrl: string;
  /** GraphQL id. */
  readonly nodeId: string;
}

/** A workflow run at one attempt. */
export interface WorkflowRun {
  readonly id: number;
  readonly attempt: number;
  readonly name: string;
  /** `.github/workflows/x.yml`, without an `@ref`. */
  readonly path: string;
  readonly event: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly headSha: string;
  readonly headBranch: string;
  /** `owner/name` the head lies in; another one than the base's for a fork. */
  readonly headRepository: string | null;
  readonly actor: string;
  readonly createdAt: string;
  readonly htmlUrl: string;
}

/** Conclusions of a run that ended red because of what it ran; cancelled and waiting ones are none. */
const RED_CONCLUSIONS: readonly (string | null)[] = ["failure", "timed_out", "startup_failure"];

export function isRed({ conclusion }: Pick<WorkflowRun, "conclusion">): boolean {
  return RED_CONCLUSIONS.includes(conclusion);
}
