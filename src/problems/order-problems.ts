import { isHypothesis, type Problem, type ProblemEdge } from "../domain/problem.ts";

export interface Ordered {
  readonly problems: readonly Problem[];
  /** Edges that were taken out because they closed a circle. */
  readonly dropped: readonly ProblemEdge[];
}

/**
 * The order in which problems are repaired (papers §8.7): what has to come first, then the order of CI, each problem followed
 * by the hypotheses that belong to it; of equals the one about manifest or configuration (`isConfig`) first. An edge always
 * wins, so that a prerequisite that is only expected may come before an observed problem. A circle loses its weakest edge.
 */
export function orderProblems(
  problems: readonly Problem[],
  edges: readonly ProblemEdge[],
  isConfig: (path: string) => boolean,
): Ordered {
  const ids = new Set(problems.map(({ id }) => id));
  const known = edges.filter(({ from, to }) => from !== to && ids.has(from) && ids.has(to));
  const { kept, dropped } = withoutCircles(known);
  const byId = new Map(problems.map((problem) => [problem.id, problem]));
  const keyed = problems.map((problem) => ({ problem, key: keyOf(problem, byId, isConfig) }));
  const left = new Set(keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ problem }) => problem));
  const ordered: Problem[] = [];
  while (left.size > 0) {
    const waits = ({ id }: Problem): boolean =>
      kept.some(({ from, to }) => to === id && [...left].some((other) => other.id === from));
    const next = [...left].find((problem) => !waits(problem));
    if (next === undefined) break; // cannot be: there is no circle left
    left.delete(next);
    ordered.push(next);
  }
  return { problems: ordered, dropped };
}

type Key = readonly [anchor: number, tier: number, configFirst: number, doubt: number, id: string];

const TIERS: Readonly<Record<Problem["origin"], number>> = { observed: 0, exposed: 0, dependency: 1, recurrence: 2 };

function keyOf(problem: Problem, byId: ReadonlyMap<string, Problem>, isConfig: (path: string) => boolean): Key {
  const parent = isHypothesis(problem) ? byId.get(problem.expected?.parent ?? "") : undefined;
  return [
    parent?.order ?? problem.order,
    TIERS[problem.origin],
    problem.files.some(isConfig) ? 0 : 1,
    -(problem.expected?.confidence ?? 1),
    problem.id,
  ];
}

function compareKeys(a: Key, b: Key): number {
  for (let at = 0; at < a.length - 1; at++) {
    const difference = Number(a[at]) - Number(b[at]);
    if (difference !== 0) return difference;
  }
  return a[4].localeCompare(b[4], "en", { numeric: true });
}

function withoutCircles(edges: readonly ProblemEdge[]): {
  readonly kept: readonly ProblemEdge[];
  readonly dropped: readonly ProblemEdge[];
} {
  let kept = [...edges];
  const dropped: ProblemEdge[] = [];
  for (let circle = findCircle(kept); circle !== null; circle = findCircle(kept)) {
    const weakest = [...circle].sort(weakerFirst)[0];
    kept = kept.filter((edge) => edge !== weakest);
    if (weakest !== undefined) dropped.push(weakest);
  }
  return { kept, dropped };
}

function weakerFirst(a: ProblemEdge, b: ProblemEdge): number {
  if (a.confidence !== b.confidence) return a.confidence - b.confidence;
  if (a.heuristic !== b.heuristic) return a.heuristic ? -1 : 1;
  return `${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1;
}

/** Edges that lead back to where they began, or null. */
function findCircle(edges: readonly ProblemEdge[]): readonly ProblemEdge[] | null {
  const follow = (at: string, way: readonly ProblemEdge[]): readonly ProblemEdge[] | null => {
    const met = way.findIndex(({ from }) => from === at);
    if (met !== -1) return way.slice(met);
    for (const edge of edges) {
      if (edge.from !== at) continue;
      const circle = follow(edge.to, [...way, edge]);
      if (circle !== null) return circle;
    }
    return null;
  };
  for (const { from } of edges) {
    const circle = follow(from, []);
    if (circle !== null) return circle;
  }
  return null;
}
