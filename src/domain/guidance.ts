import type { Level } from "./experience.ts";

/** A sentence of memory and the record it comes from. */
export interface FromRecord {
  readonly text: string;
  readonly record: string;
}

/** A record that was found to apply to a problem. */
export interface GuidanceRecord {
  readonly id: string;
  readonly level: Level;
  /** Where it was learned: `owner/name` and pull request; null for what belongs to none. */
  readonly repo: string | null;
  readonly pr: number | null;
  readonly title: string;
  readonly fit: "same" | "partial" | "conceptual";
  readonly staleness: "fresh" | "partial" | "stale" | "unknown";
  /** What does not hold any more in the current tree. */
  readonly toAdapt: readonly string[];
}

/**
 * What memory says to one problem (RETRACE §3.3: selection and enrichment): guidance from other occasions, never an
 * observed fact. Every sentence names its record.
 */
export interface Guidance {
  readonly problem: string;
  /** Best first. */
  readonly records: readonly GuidanceRecord[];
  readonly summary: string | null;
  readonly actions: readonly FromRecord[];
  readonly pitfalls: readonly FromRecord[];
  readonly rootCauses: readonly FromRecord[];
  /** When the record applies; `holds` is what the current tree says, null where it could not be told. */
  readonly conditions: readonly (FromRecord & { readonly holds: boolean | null })[];
  /** What has to come before or after, and which artifacts hang together. */
  readonly relations: readonly FromRecord[];
  readonly suspected: readonly { readonly path: string; readonly record: string }[];
  readonly validation: FromRecord | null;
  /** Candidates that were looked at and not offered, and why. */
  readonly refused: readonly { readonly id: string; readonly level: Level; readonly why: string }[];
  /** The whole as text for a prompt, stable part first, within its token limit. */
  readonly text: string;
}
