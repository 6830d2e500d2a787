import {
  type Comparable,
  isAboutOthers,
  SAME_PROBLEM,
  type SimilarityRule,
  similarity,
  similarityAtMost,
} from "./similarity.ts";

export interface ClusterItem {
  readonly id: string;
  readonly confidence: number;
  readonly compared: Comparable;
}

/**
 * Groups of the same problem: each item joins the nearest group it reaches the threshold with (papers §1.9).
 * `paper`: in the given order, against the first member, the first group that fits. `product`: the surest first, also against the
 * group's most central member (G7), and never with what is about other names in other files (G9).
 */
export function clusterProblems<T extends ClusterItem>(
  items: readonly T[],
  rule: SimilarityRule = "product",
  threshold = SAME_PROBLEM,
): readonly (readonly T[])[] {
  const clusters: T[][] = [];
  for (const item of rule === "paper" ? items : surestFirst(items)) {
    const home = rule === "paper" ? firstFit(clusters, item, threshold) : bestFit(clusters, item, threshold);
    if (home === undefined) clusters.push([item]);
    else home.push(item);
  }
  return clusters;
}

function surestFirst<T extends ClusterItem>(items: readonly T[]): readonly T[] {
  return [...items].sort((a, b) => b.confidence - a.confidence || (a.id < b.id ? -1 : 1));
}

function firstFit<T extends ClusterItem>(clusters: readonly T[][], item: T, threshold: number): T[] | undefined {
  return clusters.find(([first]) => first !== undefined && reach(first, item, "paper", threshold) >= threshold);
}

function bestFit<T extends ClusterItem>(clusters: readonly T[][], item: T, threshold: number): T[] | undefined {
  let best: { readonly cluster: T[]; readonly s: number } | undefined;
  for (const cluster of clusters) {
    const [first] = cluster;
    if (first === undefined || isAboutOthers(first.compared, item.compared)) continue;
    const s = Math.max(...[first, central(cluster)].map((member) => reach(member, item, "product", threshold)));
    if (s >= threshold && s > (best?.s ?? 0)) best = { cluster, s };
  }
  return best?.cluster;
}

/** S, or 0 where even its bound stays below. */
function reach(a: ClusterItem, b: ClusterItem, rule: SimilarityRule, threshold: number): number {
  return similarityAtMost(a.compared, b.compared, rule) < threshold ? 0 : similarity(a.compared, b.compared, rule);
}

const MOST_COMPARED = 8; // the middle of a large group does not move any more, and finding it is quadratic

/** The member nearest to all others. */
function central<T extends ClusterItem>(cluster: readonly T[]): T {
  const members = cluster.slice(0, MOST_COMPARED);
  const sums = members.map((one) => members.reduce((sum, other) => sum + similarity(one.compared, other.compared), 0));
  return members[sums.indexOf(Math.max(...sums))] as T;
}
