import type { Outcome } from "../domain/outcome.ts";
import type { Problem } from "../domain/problem.ts";

/** Why problems are left as they are, by their ids. */
export type LeftAlone = ReadonlyMap<string, string>;

/** Asks for each problem why it is left; `leave` gets its number as people see it, from 1, and answers null to repair it. */
export function leftAlone(
  problems: readonly Problem[],
  leave: (problem: Problem, number: number) => string | null,
): LeftAlone {
  return new Map(
    problems.flatMap((problem, index) => {
      const why = leave(problem, index + 1);
      return why === null ? [] : [[problem.id, why] as const];
    }),
  );
}

/** The outcome of the others, with these problems named as skipped: how it ended is about what was worked on. */
export function withLeftAlone(outcome: Outcome, problems: readonly Problem[], left: LeftAlone): Outcome {
  if (left.size === 0) return outcome;
  const worked = new Map(outcome.problems.map((problem) => [problem.id, problem]));
  const all = problems.flatMap(({ id, title, category, failures }) => {
    const known = worked.get(id);
    if (known !== undefined) return [known];
    return left.has(id) ? [{ id, title, category, failures, state: "skipped" as const, commit: null }] : [];
  });
  const reasons = problems.flatMap(({ id, title }) => (left.has(id) ? [`${id} (${title}): ${left.get(id)}`] : []));
  return { ...outcome, problems: all, why: [outcome.why, ...reasons].filter((part) => part !== "").join("; ") };
}
