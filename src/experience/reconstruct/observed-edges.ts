import type { DependencyEdge, EpisodePush, ProblemRepair } from "../../domain/experience.ts";

// CI itself showed it; that both were of one making is the only other explanation.
const OBSERVED_CONFIDENCE = 0.8;

/**
 * What CI showed to depend (papers §13.1, G14): a problem that came up in the very run in which another was gone for the
 * first time had been hidden by it. `red`: signatures of the failing run; `pushes`: the runs after it, oldest first.
 */
export function observedEdges(
  records: readonly ProblemRepair[],
  red: readonly string[],
  pushes: readonly EpisodePush[],
): readonly DependencyEdge[] {
  const edges: DependencyEdge[] = [];
  let before: ReadonlySet<string> = new Set(red);
  const seen = new Set(red);
  for (const { signatures } of pushes) {
    const now = new Set(signatures);
    const gone = records.filter((one) => shows(one, before) && !shows(one, now));
    const fresh = records.filter((one) => shows(one, now) && !shows(one, seen));
    edges.push(...gone.flatMap((from) => fresh.map((to) => edge(from, to))));
    for (const signature of now) seen.add(signature);
    before = now;
  }
  return edges;
}

/** Edges with each pair once: what was observed counts before what was inferred. */
export function withObserved(
  observed: readonly DependencyEdge[],
  others: readonly DependencyEdge[],
): readonly DependencyEdge[] {
  const known = new Set(observed.map(({ from, to }) => `${from} ${to}`));
  // The other way round would be a circle: CI's word stands against a guess.
  return [...observed, ...others.filter(({ from, to }) => !known.has(`${from} ${to}`) && !known.has(`${to} ${from}`))];
}

function shows({ p }: ProblemRepair, signatures: ReadonlySet<string>): boolean {
  return p.signatures.some((signature) => signatures.has(signature));
}

function edge(from: ProblemRepair, to: ProblemRepair): DependencyEdge {
  return {
    from: from.id,
    to: to.id,
    type: "prerequisite",
    support: "observed",
    confidence: OBSERVED_CONFIDENCE,
    producerChange: from.p.statement,
    consumerAssumption: to.p.statement,
  };
}
