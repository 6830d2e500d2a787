/** What was spent. `usd` is null where no price is known (tokens then bind). */
export interface Usage {
  readonly calls: number;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
  readonly ms: number;
}

export const NO_USAGE: Usage = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, usd: 0, ms: 0 };

/** Dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly cached: number;
  readonly output: number;
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    calls: a.calls + b.calls,
    inputTokens: a.inputTokens + b.inputTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    usd: a.usd === null || b.usd === null ? null : a.usd + b.usd,
    ms: a.ms + b.ms,
  };
}
