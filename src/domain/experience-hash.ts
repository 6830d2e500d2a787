import { createHash } from "node:crypto";
import type { FailureClass } from "./category.ts";
import type { Episode, ExperienceScope, L1Body, L2Body, L3Body, Level } from "./experience.ts";
import { normalizeMessage } from "./signature.ts";

export type RecordContent =
  | { readonly level: "L1"; readonly body: L1Body }
  | { readonly level: "L2"; readonly body: L2Body }
  | { readonly level: "L3"; readonly body: L3Body };

/**
 * What makes two records the same (papers §13.4): repository and workflow, failure class, statement, and the edits that repaired it.
 * The tenant does not count, so that an export keeps it. 32 hex digits.
 */
export function contentHashOf(
  { repo, workflow }: Pick<ExperienceScope, "repo" | "workflow">,
  category: FailureClass,
  content: RecordContent,
): string {
  const { statement, edits } = identityOf(content);
  return digest([content.level, repo, workflow, category, normalizeMessage(statement), ...edits], 32);
}

/** A record's id from its content: learning the same again gives the same id. */
export function recordIdOf(level: Level, contentHash: string): string {
  return `exp_${level.toLowerCase()}_${contentHash.slice(0, 16)}`;
}

/** An episode's id from what it is: the same streak and green run give the same id. */
export function episodeIdOf({
  repo,
  workflow,
  failSha,
  passSha,
}: Pick<Episode, "repo" | "workflow" | "failSha" | "passSha">): string {
  return `ep_${digest([repo, workflow, failSha, passSha], 16)}`;
}

function identityOf(record: RecordContent): { readonly statement: string; readonly edits: readonly string[] } {
  switch (record.level) {
    case "L1":
      return {
        statement: record.body.z.p.statement.value,
        edits: record.body.z.r.hunks.map(({ fingerprint }) => fingerprint).sort(),
      };
    case "L2":
      return { statement: record.body.failureIdentify, edits: record.body.keyActions };
    case "L3":
      return { statement: record.body.failurePattern, edits: record.body.principles };
  }
}

function digest(parts: readonly (string | null)[], digits: number): string {
  return createHash("sha256")
    .update(parts.map((part) => part ?? "").join("\u0000"))
    .digest("hex")
    .slice(0, digits);
}
