import { z } from "zod";
import type { FailureClass } from "../../domain/category.ts";
import { CATEGORIES, NON_CODE } from "../../domain/category.ts";
import type { Cited, HunkRef } from "../../domain/experience.ts";

/** A problem and its repair as one view sees it, before the views are reconciled. */
export interface Candidate {
  /** `E1` of the endpoint view, `D1` of the development view. */
  readonly id: string;
  /** Candidates it was made from, itself when it was not. */
  readonly sourceIds: readonly string[];
  readonly statement: Cited<string>;
  readonly rootCause: Cited<string> | null;
  readonly category: FailureClass;
  readonly issueType: string;
  readonly operations: readonly Cited<string>[];
  readonly signals: readonly Cited<string>[];
  /** Ids of hunks of the final patch. */
  readonly hunks: readonly string[];
  readonly validation: string | null;
  readonly visibility: "primary" | "hidden";
  readonly conflict: boolean;
}

/** As a model names a class of failure. */
export const CategoryAnswer = z.enum([...CATEGORIES, ...NON_CODE]);

/** `E` when it comes from the endpoint view. */
export function viewOf(id: string): "endpoint" | "development" {
  return id.startsWith("E") ? "endpoint" : "development";
}

/** A claim as a model made it; it is judged at the end, once. */
export function claim(text: { readonly value: string; readonly cites: Cited<string>["cites"] }): Cited<string> {
  return { value: text.value, cites: text.cites, support: "inferred" };
}

/** What several candidates say together, each thing once. */
export function unionOf(lists: readonly (readonly Cited<string>[])[]): readonly Cited<string>[] {
  return [...new Map(lists.flat().map((one) => [one.value, one])).values()];
}

/** Candidates in words, for a model and for the likeness of candidates. */
export function describeCandidate(candidate: Candidate, hunks: ReadonlyMap<string, HunkRef>): string {
  const files = [...new Set(candidate.hunks.flatMap((id) => hunks.get(id)?.path ?? []))];
  return [
    `${candidate.id}: ${candidate.statement.value}`,
    `root cause: ${candidate.rootCause?.value ?? "not known"}`,
    `category: ${candidate.category} (${candidate.issueType}), validation: ${candidate.validation ?? "none"}, ${candidate.visibility}`,
    `repair: ${candidate.operations.map(({ value }) => value).join("; ") || "not told"}`,
    `hunks: ${candidate.hunks.join(", ")} in ${files.join(", ")}`,
  ].join("\n");
}
