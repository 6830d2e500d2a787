import type { GuardFinding, GuardVerdict } from "../domain/patch.ts";
import { BadDiff } from "../text/diff.ts";
import { CONFIG_RULES } from "./guard/config-rules.ts";
import { PATCH_RULES } from "./guard/patch-rules.ts";
import { type GuardInput, type GuardRule, isTestFile, type PatchView, viewPatch } from "./guard/patch-view.ts";
import { PATTERN_RULES } from "./guard/pattern-rules.ts";
import { SUPPRESSION_RULES } from "./guard/suppression-rules.ts";
import { TEST_RULES } from "./guard/test-rules.ts";
import { WORKFLOW_RULES } from "./guard/workflow-rules.ts";

export type { GuardInput } from "./guard/patch-view.ts";

/** Every way a patch is refused, one row each. */
export const GUARD_RULES: readonly GuardRule[] = [
  ...PATCH_RULES,
  ...TEST_RULES,
  ...PATTERN_RULES,
  ...SUPPRESSION_RULES,
  ...CONFIG_RULES,
  ...WORKFLOW_RULES,
];

/** What a person has to look at although nothing is refused; formatter-only changes are nobody's matter. */
const PERSON_RULES: readonly GuardRule[] = [
  {
    name: "touches-test",
    looksAt: "tests and their set-up",
    find: ({ changed }) =>
      changed
        .filter(isTestFile)
        .map(({ path, diff }) => ({ file: path, line: diff.hunks[0]?.newStart ?? null, message: "changes a test" })),
  },
  {
    name: "touches-snapshot",
    looksAt: "snapshots and golden files",
    find: ({ changed }) =>
      changed
        .filter(({ kind, oldKind }) => kind === "snapshot" || oldKind === "snapshot")
        .map(({ path }) => ({ file: path, line: null, message: "changes a snapshot" })),
  },
  {
    name: "touches-ci",
    looksAt: "workflows and other CI files",
    find: ({ changed }) =>
      changed
        .filter(({ kind, oldKind }) => kind === "ci" || oldKind === "ci")
        .map(({ path }) => ({ file: path, line: null, message: "changes a CI file" })),
  },
];

/**
 * Judges a patch before it may leave (design §10.2, papers §12.8): anything in `refusals` keeps it from being pushed, anything
 * in `needsPerson` from being marked ready. Pure; a patch that cannot be read is refused. Order: by rule, then by file.
 */
export function guardPatch(input: GuardInput): GuardVerdict {
  try {
    const patch = viewPatch(input);
    return { refusals: run(GUARD_RULES, patch), needsPerson: run(PERSON_RULES, patch) };
  } catch (error) {
    if (!(error instanceof BadDiff)) throw error;
    return { refusals: [{ rule: "unreadable-patch", file: "", line: null, message: error.message }], needsPerson: [] };
  }
}

function run(rules: readonly GuardRule[], patch: PatchView): readonly GuardFinding[] {
  const findings = rules.flatMap((rule) => rule.find(patch).map((finding) => ({ rule: rule.name, ...finding })));
  const seen = new Set<string>();
  return findings.filter(({ rule, file, line, message }) => {
    const key = JSON.stringify([rule, file, line, line === null ? message : ""]);
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
