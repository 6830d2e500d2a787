import type { Budget, BudgetLimits } from "../agent/budget.ts";
import type { Problem } from "../domain/problem.ts";

/** Share of what is left that the problem at `rank` (from 0) of `count` may spend: 1/(1+rank), over those still to come. */
export function shareOf(rank: number, count: number): number {
  const weight = (at: number): number => 1 / (1 + at);
  let sum = 0;
  for (let at = rank; at < Math.max(count, rank + 1); at++) sum += weight(at);
  return weight(rank) / sum;
}

/**
 * What each problem of a repair may spend (papers §12.4): its share of what the ones before it left, so that what they did
 * not use rolls over. The first of two may spend two thirds; the last may spend all that is left.
 */
export class ProblemBudgets {
  private readonly known = new Map<string, Budget>();

  constructor(
    private readonly whole: Budget,
    private readonly limits: BudgetLimits,
    private readonly problems: readonly Pick<Problem, "id">[],
  ) {}

  /** Opened when it is first asked for: problems are repaired one after another. */
  of({ id }: Pick<Problem, "id">): Budget {
    const known = this.known.get(id) ?? this.open(id);
    this.known.set(id, known);
    return known;
  }

  private open(id: string): Budget {
    const rank = this.problems.findIndex((problem) => problem.id === id);
    const share = shareOf(Math.max(0, rank), this.problems.length);
    const { usd, inputTokens, outputTokens, calls } = this.whole.spent();
    const { limits } = this;
    return this.whole.part({
      usd: (limits.usd - (usd ?? 0)) * share,
      tokens: Math.ceil((limits.tokens - inputTokens - outputTokens) * share),
      calls: Math.ceil((limits.calls - calls) * share),
      wallMs: this.whole.leftMs() * share,
    });
  }
}
