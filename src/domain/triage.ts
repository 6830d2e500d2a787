/** Whose a failure is, when it is not this change's own (papers §12.3). */
export type TriageKind = "weather" | "flaky" | "stale-base" | "pre-existing" | "duplicate" | "on-other-pull-requests";

/** Why failures are not this change's to repair. */
export interface TriageReason {
  readonly kind: TriageKind;
  /** One sentence for people. */
  readonly why: string;
  /** Ids of the failures it speaks of. */
  readonly failures: readonly string[];
}
