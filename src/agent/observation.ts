import type { CheckRun } from "../domain/check.ts";
import type { SandboxResult } from "../ports/sandbox.ts";
import { elide } from "../text/elide.ts";
import { fence } from "../text/fence.ts";
import { redact } from "../text/redact.ts";

/** The most output a model is shown at once; more keeps its two ends of half that each (HAFixAgent's public code). */
export const SHOWN_CHARACTERS = 15_000;

/** Output of others as a model may see it: without secrets, not too long, fenced. Redacted first: a cut could hide a token's form. */
export function showOutput(output: string, omittedBytes = 0): string {
  const redacted = redact(output);
  const lost = omittedBytes === 0 ? "" : `\n(${omittedBytes} bytes of its middle were not kept)`;
  if (redacted.trim() === "") return `(no output)${lost}`;
  return fence(elide(redacted, { head: SHOWN_CHARACTERS / 2, tail: SHOWN_CHARACTERS / 2 })) + lost;
}

/** How a command ended, as one sentence. */
export function sayEnding(
  name: string,
  { exitCode, timedOut, ms }: Pick<SandboxResult, "exitCode" | "timedOut" | "ms">,
): string {
  const seconds = (ms / 1_000).toFixed(1);
  if (timedOut) return `${name}: stopped after ${seconds} s, it took too long.`;
  if (exitCode === null) return `${name}: ended by a signal after ${seconds} s.`;
  return `${name}: exit code ${exitCode}, ${seconds} s.`;
}

export interface Standing {
  /** The last run of the check, and whether the tree is still the one it ran on. */
  readonly check: { readonly run: CheckRun; readonly current: boolean; readonly settled: boolean } | null;
  readonly before: CheckRun | null;
  readonly changedFiles: number;
  readonly step: number;
  readonly steps: number;
}

/** Where the work stands, as one line under every observation. */
export function sayStanding({ check, before, changedFiles, step, steps }: Standing): string {
  const files = changedFiles === 1 ? "1 file" : `${changedFiles} files`;
  return `[check: ${check === null ? "not run" : sayCheck(check, before)} · changed: ${files} · step ${step} of ${steps}]`;
}

function sayCheck({ run, current, settled }: NonNullable<Standing["check"]>, before: CheckRun | null): string {
  const when = current ? "" : ", before your last change";
  if (run.exitCode === 0) return `passes${when}`;
  const ended = run.timedOut ? "timed out" : `exit code ${run.exitCode ?? "none"}`;
  const failures = sayFailures(run, before);
  if (settled) return `this problem is gone, the ${ended} is about others${when}`;
  return `fails, ${ended}${failures === "" ? "" : `, ${failures}`}${when}`;
}

function sayFailures(run: CheckRun, before: CheckRun | null): string {
  if (run.signatures.length === 0) return "";
  if (before === null || run === before) return `failures: ${run.signatures.length}`;
  const left = run.signatures.filter((signature) => before.signatures.includes(signature)).length;
  const fresh = run.signatures.length - left;
  return `${left} of ${before.signatures.length} failures left${fresh === 0 ? "" : `, ${fresh} new`}`;
}
