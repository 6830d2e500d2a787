import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic } from "./tool.ts";

/** What is printed again (two targets compile one file, a build repeats its errors at the end) is one diagnostic that quotes every place. */
export function mergeFindings(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const merged = new Map<string, Diagnostic>();
  for (const one of diagnostics) {
    const key = JSON.stringify([one.message, one.rule ?? null, one.testId ?? null, one.location ?? null]);
    const known = merged.get(key);
    const lines = [...new Set([...(known?.lines ?? []), ...one.lines])].sort((a, b) => a - b).slice(0, MAX_QUOTED);
    merged.set(key, { ...(known ?? one), lines });
  }
  return [...merged.values()];
}
