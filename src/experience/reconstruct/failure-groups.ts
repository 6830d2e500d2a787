import { isWeather } from "../../domain/category.ts";
import type { Evidence, Failure, Validation } from "../../domain/evidence.ts";
import { normalizeMessage } from "../../domain/signature.ts";
import { namedIn } from "./words.ts";

/** Failures with one cause as far as the log alone tells (papers §8.6). */
export interface FailureGroup {
  readonly id: string;
  readonly failures: readonly Failure[];
  readonly validation: Validation | null;
  /** It was first seen after a push between red and green. */
  readonly exposed: boolean;
}

/**
 * One group for each failure signature of a validation; a formatter's findings are one group, and so are those of one rule
 * of a tool that mends them itself, and those that miss the same name. Unlike problems of a repair, causes are never folded
 * because they are many, and what seems to follow from another failure stays apart until no change speaks for it alone:
 * which change repaired which is what is asked here. Weather makes no group.
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
    for (const failure of failures) {
      if (isWeather(failure.category)) continue;
      const key = `${isLater ? "later" : (failure.validation ?? "")}\u0000${causeOf(failure, mendsItself)}`;
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

function causeOf(
  { tool, rule, category, signature, message, testId }: Failure,
  mendsItself: (tool: string) => boolean,
): string {
  if (tool !== null && mendsItself(tool)) {
    if (category === "code_formatting") return `format ${tool}`;
    if (category === "linting" && rule !== null) return `rule ${tool} ${rule}`;
  }
  // The same name missing in several files is missing once.
  const named = testId === null ? namedIn(message) : [];
  return named.length === 0 ? signature : `names ${tool} ${rule} ${normalizeMessage(message)}`;
}
