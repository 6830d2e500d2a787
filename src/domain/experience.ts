import type { FailureClass } from "./category.ts";

/**
 * The nouns of memory (RETRACE §3.1–3.2). A record is z = (p, a, r, v, e): the problem, the artifacts it touched, the
 * repair that stayed, the validation that turned green, and the evidence for every claim.
 */

/** 1-based, both ends included. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/* ------------------------------------------------------------------ evidence */

export const EVIDENCE_KINDS = [
  "log",
  "annotation",
  "test_result",
  "step_status",
  "job_status",
  "workflow_def",
  "hunk",
  "commit",
  "file",
  "blame",
  "ci_result",
] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** One thing a claim can point to. Ids are short and stable within one episode: `L3`, `H12`, `C2`, `V5`. */
export interface EvidenceItem {
  readonly id: string;
  readonly kind: EvidenceKind;
  /** Redacted, at most 8,000 characters. */
  readonly text: string;
  /** Where a person finds it: `0_test.txt:118`, `src/a.ts:4-9`, a commit id, a step. */
  readonly locator: string;
}

export interface Citation {
  readonly id: string;
  /** Verbatim from the evidence, at most 200 characters. */
  readonly quote: string | null;
}

export type Support = "verified" | "inferred" | "unsupported";

/** A claim with what speaks for it. `verified`: a quote was found in the evidence; `inferred`: the evidence is of the right kind. */
export interface Cited<T> {
  readonly value: T;
  readonly cites: readonly Citation[];
  readonly support: Support;
}

/* ------------------------------------------------------------------ changes */

export const FATES = ["retained", "partial", "neutral", "superseded", "reverted", "external", "unknown"] as const;
/**
 * What became of a change (papers §8.4). `neutral`: it is still there and changed nothing on the whole (the restoring
 * half of a revert); `external`: it came in with a merge of the base.
 */
export type Fate = (typeof FATES)[number];

/** Only these may be part of a repair. */
export function isEffective(fate: Fate): boolean {
  return fate === "retained" || fate === "partial";
}

/** One side of a change. Shares are of its lines, 0 to 1. */
export interface SideFate {
  readonly fate: Fate;
  readonly lines: number;
  /** Added lines: still there at the passing commit. Removed lines: still gone. */
  readonly alive: number;
  /** In the final patch, and there because of this change. */
  readonly inDelta: number;
}

/**
 * Changed lines of one file by one commit. In the final patch `oldRange` counts lines of the failing commit and
 * `newRange` lines of the passing one; in development both count in the change's own commit and its parent. Both null: a
 * change without lines (binary, mode, rename).
 */
export interface HunkRef {
  readonly id: string;
  readonly path: string;
  /** Another name of the file on the old side; null when it is the same. */
  readonly oldPath: string | null;
  readonly oldRange: LineRange | null;
  readonly newRange: LineRange | null;
  /** Null where it could not be attributed, or there are no commits to attribute to. */
  readonly commit: string | null;
  readonly fate: Fate;
  readonly added: SideFate | null;
  readonly removed: SideFate | null;
  /** Of the changed lines with white space, literals and identifiers bucketed; 16 hex digits. */
  readonly fingerprint: string;
}

/* ------------------------------------------------------------------ episodes */

export type Completeness = "full" | "no_commits" | "logs_expired";
export type RecordQuality = "full" | "skeleton";

/** A push between red and green that CI ran on. */
export interface EpisodePush {
  readonly sha: string;
  /** The workflow run's id; null where only the signatures are known. */
  readonly run: number | null;
  /** Signatures of the failures that run showed; empty when it was green. */
  readonly signatures: readonly string[];
}

export interface EpisodeCommit {
  readonly sha: string;
  readonly parents: readonly string[];
  /** Untrusted text: shown, never followed, never decides. */
  readonly subject: string;
  readonly authorKind: "human" | "bot" | "retrace";
}

/** A failing streak of one workflow and the green run that ended it: h = (R⁻, E, C, Δ, R⁺). */
export interface Episode {
  readonly id: string;
  /** `owner/name`, or `local/<folder>`. */
  readonly repo: string;
  /** `.github/workflows/x.yml`; null where it is not known. */
  readonly workflow: string | null;
  readonly pr: number | null;
  readonly failSha: string;
  readonly passSha: string;
  readonly commits: readonly EpisodeCommit[];
  readonly completeness: Completeness;
  /** Most of what repaired it came in with a merge of the base: nothing here is a repair of the pull request. */
  readonly fixedByBase: boolean;
  readonly quality: RecordQuality;
  readonly pushes: readonly EpisodePush[];
}

/* ------------------------------------------------------------------ records */

export const DEVELOPMENT_KINDS = [
  "introduced",
  "repaired",
  "replaced",
  "supported",
  "reverted",
  "superseded",
  "reverting",
] as const;
/**
 * What a commit did in the course of development. The first four are RETRACE's events; the last three are what the line
 * history alone says about a change that did not stay, and about the change that took it back.
 */
export type DevelopmentKind = (typeof DEVELOPMENT_KINDS)[number];

export interface DevEvent {
  readonly commit: string;
  readonly kind: DevelopmentKind;
  readonly hunks: readonly HunkRef[];
  readonly why: string;
  /** Record it was an attempt at; null where that is not known. */
  readonly record: string | null;
}

export const ARTIFACT_ROLES = [
  "source",
  "test",
  "manifest",
  "lockfile",
  "config",
  "workflow",
  "docs",
  "generated",
  "snapshot",
  "other",
] as const;
export type ArtifactRole = (typeof ARTIFACT_ROLES)[number];

export interface Artifact {
  readonly path: string;
  readonly role: ArtifactRole;
  /** Functions, classes and the like that the repair changed in it. */
  readonly symbols: readonly string[];
}

export type Provenance = "development_only" | "endpoint_only" | "both";

/** z = (p, a, r, v, e): one problem and the repair that stayed. */
export interface ProblemRepair {
  readonly id: string;
  readonly provenance: Provenance;
  /** Candidates of either view it was made from: `E1`, `D2`. */
  readonly sourceIds: readonly string[];
  /** Another record contradicts it and neither could be ruled out. */
  readonly conflict: boolean;
  readonly p: {
    readonly statement: Cited<string>;
    readonly rootCause: Cited<string> | null;
    readonly category: FailureClass;
    readonly signals: readonly Cited<string>[];
    /** Signatures of the failures it explains. */
    readonly signatures: readonly string[];
    readonly tool: string | null;
    readonly rule: string | null;
    /** `hidden`: its validation had not been reached when CI went red. */
    readonly visibility: "primary" | "hidden";
  };
  readonly a: readonly Artifact[];
  readonly r: {
    readonly operations: readonly Cited<string>[];
    /** Retained or partial only, and inside the final patch. */
    readonly hunks: readonly HunkRef[];
    readonly commits: readonly string[];
    readonly touchesWorkflow: boolean;
    /** The tool whose own fixer does the same; null when none. */
    readonly autofixTool: string | null;
  };
  readonly v: {
    readonly id: string;
    readonly command: string;
    readonly tool: string | null;
    readonly before: "failed" | "unreached";
    readonly after: "successful" | "unknown";
  };
  /** Field → what speaks for it. */
  readonly e: Readonly<Record<string, readonly Citation[]>>;
  /** Claims that were taken out because nothing supported them, with the reason. */
  readonly removedFields: readonly RemovedField[];
  /** 0 to 1 (papers §9.3). */
  readonly confidence: number;
}

export interface RemovedField {
  readonly field: string;
  readonly why: string;
}

export const EDGE_TYPES = [
  "prerequisite",
  "tool_enablement",
  "contract_change",
  "generated_artifact",
  "config_effect",
] as const;
export type EdgeType = (typeof EDGE_TYPES)[number];

/** `from` has to be resolved before `to` (RETRACE §3.2). */
export interface DependencyEdge {
  readonly from: string;
  readonly to: string;
  readonly type: EdgeType;
  /** `observed`: CI showed `to` only once `from` was gone. */
  readonly support: "endpoint" | "development" | "both" | "heuristic" | "observed";
  readonly confidence: number;
  readonly producerChange: Cited<string> | null;
  readonly consumerAssumption: Cited<string> | null;
}

/** What was recovered from one episode. */
export interface Reconstruction {
  readonly episode: Episode;
  readonly records: readonly ProblemRepair[];
  /** Attempts that did not stay, in the order of the commits. */
  readonly development: readonly DevEvent[];
  /** Hunks of the final patch that belong to no problem. */
  readonly unrelated: readonly HunkRef[];
  readonly edges: readonly DependencyEdge[];
  /** Candidates that did not become records, and why. */
  readonly rejected: readonly { readonly statement: string; readonly why: string }[];
  /** What the citations point to; only items that are cited. */
  readonly sources: readonly Omit<EvidenceItem, "text">[];
}

/* ------------------------------------------------------------------ experience */

export const LEVELS = ["L1", "L2", "L3"] as const;
export type Level = (typeof LEVELS)[number];

export interface ExperienceScope {
  /** Account the memory belongs to; `local` for the command line. */
  readonly tenant: string;
  /** `owner/name`; null for what belongs to no repository. */
  readonly repo: string | null;
  readonly workflow: string | null;
}

export interface ExperienceMeta {
  readonly id: string;
  readonly schema: number;
  readonly scope: ExperienceScope;
  readonly episodeIds: readonly string[];
  /** Records of the level below it was made from. */
  readonly parents: readonly string[];
  readonly category: FailureClass;
  readonly createdAt: string;
  readonly lastSeenAt: string;
  /** Episodes that showed it. */
  readonly support: number;
  readonly wins: number;
  readonly losses: number;
  /** Of the author: 1 a person's merged change, 0.9 ours unmodified, 0.6 a bot's (papers §13.2). */
  readonly trust: number;
  readonly status: "active" | "quarantined" | "retired";
  readonly quality: RecordQuality;
  readonly provenance: {
    readonly model: string | null;
    readonly promptHash: string | null;
    readonly sourceShas: readonly string[];
    readonly pr: number | null;
    readonly redactions: number;
  };
  readonly contentHash: string;
}

/** L1, the concrete episode: nothing abstracted. */
export interface L1Body {
  readonly z: ProblemRepair;
  readonly edges: readonly DependencyEdge[];
  /** Place among the episode's records in the order they have to be resolved in, from 0. */
  readonly sequenceIndex: number;
}

/** L2, the strategy in its context: roles instead of paths, operations instead of edits. */
export interface L2Body {
  readonly failureIdentify: string;
  readonly causalChain: string;
  readonly summary: string;
  readonly intent: string;
  readonly whenToApply: string;
  readonly signals: readonly string[];
  readonly artifactRelations: readonly string[];
  /** Ends with the verification. */
  readonly keyActions: readonly string[];
  readonly validation: string;
  readonly pitfalls: readonly string[];
  /** Versions, configuration, interfaces and workflow facts, only where they decide whether it applies. */
  readonly constraints: readonly string[];
  readonly memberL1Ids: readonly string[];
}

/** L3, the pattern that holds anywhere: no name of the repository is left. */
export interface L3Body {
  readonly patternId: string;
  readonly failurePattern: string;
  readonly problem: string;
  readonly mechanism: string;
  readonly signals: readonly string[];
  readonly artifactRoles: readonly string[];
  readonly principles: readonly string[];
  readonly whenToApply: readonly string[];
  readonly followOn: readonly string[];
  readonly memberL2Ids: readonly string[];
}

export type ExperienceRecord =
  | { readonly level: "L1"; readonly meta: ExperienceMeta; readonly body: L1Body }
  | { readonly level: "L2"; readonly meta: ExperienceMeta; readonly body: L2Body }
  | { readonly level: "L3"; readonly meta: ExperienceMeta; readonly body: L3Body };
