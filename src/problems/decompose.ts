import { type FailureClass, isWeather } from "../domain/category.ts";
import type { Evidence, Failure } from "../domain/evidence.ts";
import type { Problem } from "../domain/problem.ts";

// One validation with more separate causes than this is one problem: its check turns green only when all are gone, and
// whoever repairs it should see them together. Papers G16 caps a run at 8 problems.
const MAX_PROBLEMS_PER_VALIDATION = 3;

/**
 * The atomic problems of a red run without a model (papers §8.6): one for each failure signature of a validation,
 * cascades folded into their cause, all findings of a tool that mends them itself in one. Weather makes no problem.
 * `mendsItself` says whether a tool has its own fixer.
 */
export function decompose(evidence: Evidence, mendsItself: (tool: string) => boolean): readonly Problem[] {
  const repairable = evidence.failures.filter((failure) => !isWeather(failure.category));
  const groups = groupByCause(repairable, mendsItself);
  const order = new Map(evidence.validations.map((validation) => [validation.id, validation.order]));
  return groups
    .map((failures) => ({ failures, order: orderOf(failures, order) }))
    .sort((a, b) => a.order - b.order)
    .map(({ failures, order }, index) => describeProblem(`p${index + 1}`, failures, order));
}

// A validation the log does not tell stands last (papers §1.5: unknown order).
const UNKNOWN_ORDER = 9999;

function orderOf(failures: readonly Failure[], order: ReadonlyMap<string, number>): number {
  return Math.min(...failures.map((failure) => order.get(failure.validation ?? "") ?? UNKNOWN_ORDER));
}

function groupByCause(failures: readonly Failure[], mendsItself: (tool: string) => boolean): readonly Failure[][] {
  const byId = new Map(failures.map((failure) => [failure.id, failure]));
  const groups = new Map<string, Failure[]>();
  for (const failure of failures) {
    const root = rootOf(failure, byId);
    const cause = root.tool !== null && mendsItself(root.tool) ? `${root.tool} ${root.category}` : root.signature;
    const key = `${root.validation ?? ""}\u0000${cause}`;
    groups.set(key, [...(groups.get(key) ?? []), failure]);
  }
  return foldCrowded([...groups.values()]);
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

function foldCrowded(groups: readonly Failure[][]): readonly Failure[][] {
  const byValidation = new Map<string, Failure[][]>();
  for (const group of groups) {
    const key = group[0]?.validation ?? "";
    byValidation.set(key, [...(byValidation.get(key) ?? []), group]);
  }
  return [...byValidation.values()].flatMap((own) => (own.length > MAX_PROBLEMS_PER_VALIDATION ? [own.flat()] : own));
}

/** The problem that these failures are, as its title and class can be read off them. */
export function describeProblem(id: string, failures: readonly Failure[], order: number): Problem {
  const [first] = failures;
  const files = [...new Set(failures.flatMap((failure) => failure.location?.file ?? []))];
  return {
    id,
    title: titleOf(failures, files),
    category: commonest(failures.map((failure) => failure.category)),
    tool: first?.tool ?? null,
    failures: failures.map((failure) => failure.id),
    validation: first?.validation ?? null,
    files,
    origin: "observed",
    order,
  };
}

const TITLE_CHARACTERS = 120;

function titleOf(failures: readonly Failure[], files: readonly string[]): string {
  const [first] = failures;
  if (first === undefined) return "";
  const speaker = first.tool === null ? "" : `${first.tool}: `;
  const signatures = new Set(failures.map((failure) => failure.signature));
  const what =
    signatures.size > 1
      ? `${failures.length} findings${files.length > 0 ? ` in ${files.length === 1 ? files[0] : `${files.length} files`}` : ""}`
      : (first.testId ?? first.message.split("\n")[0] ?? "");
  const title = `${speaker}${what}`;
  return title.length > TITLE_CHARACTERS ? `${title.slice(0, TITLE_CHARACTERS - 1)}…` : title;
}

function commonest(categories: readonly FailureClass[]): FailureClass {
  const counts = new Map<FailureClass, number>();
  for (const category of categories) counts.set(category, (counts.get(category) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? "unknown";
}
