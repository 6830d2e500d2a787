import type { ModelPrice, Usage } from "../domain/usage.ts";
import { addUsage, NO_USAGE } from "../domain/usage.ts";

export interface BudgetLimits {
  /** Dollars; binds only where a price is known. */
  readonly usd: number;
  /** Input and output tokens together; binds always. */
  readonly tokens: number;
  readonly calls: number;
  /** Wall time from the ledger's opening. */
  readonly wallMs: number;
}

/** A ledger of what a repair spends. Part ledgers charge their parent too, so that a cap holds over all attempts. */
export class Budget {
  private total: Usage = NO_USAGE;
  private readonly openedMs: number;

  constructor(
    private readonly limits: BudgetLimits,
    private readonly price: ModelPrice | null,
    private readonly monotonicMs: () => number,
    private readonly parent: Budget | null = null,
  ) {
    this.openedMs = monotonicMs();
  }

  /** A ledger for a part of the work with limits of its own. */
  part(limits: BudgetLimits): Budget {
    return new Budget(limits, this.price, this.monotonicMs, this);
  }

  /** Adds one call; its dollars are counted here from tokens and price. */
  charge(call: Usage): void {
    this.add({ ...call, usd: this.price === null ? null : costUsd(call, this.price) });
  }

  private add(call: Usage): void {
    this.total = addUsage(this.total, call);
    this.parent?.add(call);
  }

  spent(): Usage {
    return {
      ...this.total,
      usd: this.price === null ? null : (this.total.usd ?? 0),
      ms: Math.round(this.monotonicMs() - this.openedMs),
    };
  }

  /** What has run out, as an exit word, or null while there is something left. */
  exhausted(): "cost" | "time" | null {
    const { usd, tokens, calls, wallMs } = this.limits;
    if (this.monotonicMs() - this.openedMs >= wallMs) return "time";
    if (this.total.inputTokens + this.total.outputTokens >= tokens || this.total.calls >= calls) return "cost";
    if (this.price !== null && (this.total.usd ?? 0) >= usd) return "cost";
    return this.parent?.exhausted() ?? null;
  }

  /** Milliseconds left before the tightest wall. */
  leftMs(): number {
    const own = this.limits.wallMs - (this.monotonicMs() - this.openedMs);
    return Math.max(0, this.parent === null ? own : Math.min(own, this.parent.leftMs()));
  }
}

/** Dollars of one call; cached input is billed at its own rate. */
export function costUsd(call: Usage, price: ModelPrice): number {
  const fresh = Math.max(0, call.inputTokens - call.cachedTokens);
  return (fresh * price.input + call.cachedTokens * price.cached + call.outputTokens * price.output) / 1_000_000;
}
