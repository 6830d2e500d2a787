import type { Evidence, Failure } from "../domain/evidence.ts";

/** The explanation for a terminal. */
export function renderExplanation(evidence: Evidence, _options: { readonly colour: boolean }): string {
  return `${evidence.failures.map((failure: Failure) => `${failure.id} ${failure.message}`).join("\n")}\n`;
}
