import { isWeather } from "../../domain/category.ts";
import type { Evidence, Failure, Validation } from "../../domain/evidence.ts";

/** Failures with one cause as far as the log alone tells (papers §8.6). */
export interface FailureGroup {
  readonly id: string;
  readonly failures: readonly Failure[];
  readonly validation: Validation | null;
  /** It was first seen after a push between red and green. */
  readonly exposed: boolean;
}

/**
 * One group for each failure signature of a validation; cascades are folded into their cause, a formatter's findings are
 * one group, and so are those of one rule of a tool that mends them itself. Unlike problems of a repair, causes are never
 * folded because they are many: which change repaired which is what is asked here. Weather makes no group.
 */
export function groupFailures(
  evidence: Pick<Evidence, "failures" | "validations">,
  exposed: readonly Failure[],
  mendsItself: (tool: string) => boolean,
): readonly FailureGroup[] {
  const groups = new Map<string, { failures: Failure[]; exposed: boolean }>();
  const validations = new Map(evidence.validations.map((validation) => [validation.id, validation]));
  const known = new Set(evidence.failures.map(({ signature }) => signature));
  const later = exposed.filter(({ signature }) => !known.has(signature));
  for (const [failures, isLater] of [
    [evidence.failures, false],
    [later, true],
  ] as const) {
    const byId = new Map(failures.map((failure) => [failure.id, failure]));
    for (const failure of failures) {
      if (isWeather(failure.category)) continue;
      const root = rootOf(failure, byId);
      const key = `${isLater ? "later" : (root.validation ?? "")}\u0000${causeOf(root, mendsItself)}`;
      const group = groups.get(key) ?? { failures: [], exposed: isLater };
      group.failures.push(failure);
      groups.set(key, group);
    }
  }
  return [...groups.values()].map(({ failures, exposed }, index) => ({
    id: `F${index + 1}`,
    failures,
    validation: validations.get(failures[0]?.validation ?? "") ?? null,
    exposed,
  }));
}

function causeOf(failure: Failure, mendsItself: (tool: string) => boolean): string {
  const { tool, rule, category, signature } = failure;
  if (tool === null || !mendsItself(tool)) return signature;
  if (category === "code_formatting") return `format ${tool}`;
  return rule === null || category !== "linting" ? signature : `rule ${tool} ${rule}`;
}

function rootOf(failure: Failure, byId: ReadonlyMap<string, Failure>): Failure {
  const seen = new Set<string>();
  let root = failure;
  while (root.cascadeOf !== null && !seen.has(root.id)) {
    seen.add(root.id);
    root = byId.get(root.cascadeOf) ?? root;
  }
  return root;
}
