import type { FailureClass } from "./category.ts";
import type { Location } from "./evidence.ts";
import type { Outcome } from "./outcome.ts";
import type { Repository, WorkflowRun } from "./repository.ts";
import type { TriageReason } from "./triage.ts";

/** All failed runs of one head commit, and everything we did about them (design §6). */
export interface Incident {
  readonly id: string;
  /** `repo.id : head SHA`; there is never a second incident of the same key. */
  readonly key: string;
  readonly installationId: number;
  readonly repository: Repository;
  readonly headSha: string;
  readonly headBranch: string;
  readonly headRepository: string | null;
  readonly isFork: boolean;
  /** The red pull request, null for a branch without one. */
  readonly pullRequest: number | null;
  readonly runs: readonly WorkflowRun[];
  readonly state: IncidentState;
  /** When the first failed run was seen; the collect window counts from here. ISO 8601. */
  readonly openedAt: string;
  /** What asked for it: CI itself, or a person by a command. */
  readonly trigger: Trigger;
  /** Why nothing more is done, once `state` is an end. */
  readonly why: string | null;
  readonly explanation: Explanation | null;
  /** Whose the failures are, where they are not this change's own. Left out in incidents of an older version. */
  readonly triage?: readonly TriageReason[];
  readonly outcome: Outcome | null;
  readonly publication: Publication | null;
  /** Ids of what we wrote on the red pull request and commit, to edit instead of adding. */
  readonly commentId: number | null;
  readonly checkRunId: number | null;
  /** The patch is to stand beside the lines it changes (`mode: suggestion`), and the review it stands in once it does. */
  readonly suggest?: boolean;
  readonly reviewId?: number | null;
  /** The failed jobs were re-run once for weather. */
  readonly rerunAt: string | null;
  /** The answer to the newest command, shown in the living comment; null when nothing was asked. */
  readonly answer: string | null;
  /** Things people should know, e.g. what is wrong with the settings file. */
  readonly notes: readonly string[];
  /** Dated lines of what happened, oldest first: shown in the comment's history. */
  readonly history: readonly { readonly at: string; readonly what: string }[];
}

export type Trigger =
  | { readonly by: "ci" }
  /** `comment`: the id of the comment that asked, so that the same wish is never carried out twice. */
  | { readonly by: "command"; readonly user: string; readonly command: string; readonly comment: number };

/** What broke, as it is told to people; redacted. */
export interface Explanation {
  readonly failures: readonly ExplainedFailure[];
  readonly unreached: readonly { readonly job: string | null; readonly command: string; readonly because: string }[];
}

export interface ExplainedFailure {
  readonly id: string;
  /** Of the failure; left out in incidents of an older version. */
  readonly signature?: string;
  /** The number of its cause as people name it in `/retrace fix N`, from 1; left out where it makes no problem. */
  readonly cause?: number;
  readonly tool: string | null;
  readonly category: FailureClass;
  readonly message: string;
  readonly location: Location | null;
  readonly job: string | null;
  readonly step: string | null;
  readonly command: string | null;
  /** The log lines that say why, cut to what a comment bears. */
  readonly excerpt: string;
  /** 1-based numbers of these lines in the job's log. */
  readonly lines: readonly number[];
  /** The job's page at the host, null when it is not known. */
  readonly url: string | null;
  readonly cascadeOf: string | null;
}

export type IncidentState =
  | "collecting"
  | "repairing"
  | "publishing"
  | "awaiting_ci"
  // ends
  | "done"
  | "gave_up"
  | "not_code"
  | "superseded"
  | "stopped"
  | "ignored";

const ENDS = ["done", "gave_up", "not_code", "superseded", "stopped", "ignored"] as const;
export type EndState = (typeof ENDS)[number];

/** Whether nothing more is done for it. Our pull request may still be open. */
export function isEnded({ state }: Pick<Incident, "state">): boolean {
  return (ENDS as readonly IncidentState[]).includes(state);
}

/** Whether something of ours lies at the host. */
export function isPublished({ publication }: Pick<Incident, "publication">): boolean {
  return publication?.pushed === true && !publication.withdrawn;
}

/** Our candidate on its way through real CI. */
export interface Publication {
  readonly branch: string;
  readonly base: string;
  /** The pushed commit and its tree; written down before the push, so that a second push after a kill is the same one. */
  readonly commit: string;
  readonly tree: string;
  /** Folder of the working copy that holds the commit until it is pushed. */
  readonly copyFolder: string;
  readonly pushed: boolean;
  readonly pullRequest: number | null;
  readonly nodeId: string | null;
  readonly draft: boolean;
  /** A patch that touches a test, snapshot or CI file is never marked ready by us. */
  readonly needsPerson: readonly string[];
  readonly openedAt: string | null;
  /** Nothing of ours is to stay at the host: our pull request is closed or merged, our branch deleted. */
  readonly withdrawn: boolean;
  readonly ci: CiVerdict;
}

export interface CiVerdict {
  readonly state: "waiting" | "green" | "red" | "none_seen" | "blocked";
  /** The runs on our commit that were looked at. */
  readonly runs: readonly {
    readonly id: number;
    readonly name: string;
    readonly conclusion: string | null;
    readonly url: string;
  }[];
  /** When the last run on our commit was heard of. ISO 8601. */
  readonly lastHeardAt: string | null;
  readonly why: string | null;
}
