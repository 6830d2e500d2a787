import type { CheckRun } from "../domain/check.ts";
import type { Failure } from "../domain/evidence.ts";
import { elide } from "../text/elide.ts";
import { redact } from "../text/redact.ts";

/** What running said, for a prompt: redacted and short. `none`: nothing was run. */
export interface ExecFeedback {
  /** Where it ended: not built, the target still fails, or the target is gone and something else broke. */
  readonly stage: "build" | "trigger" | "regression" | "none";
  readonly message: string;
  /** Tests or findings that fail, as people name them. */
  readonly failing: readonly string[];
  readonly timedOut: boolean;
}

const MOST_FAILURES = 6;
const MESSAGE_CHARACTERS = 400; // of one failure; what was expected and what came stands at its beginning
const OUTPUT_ENDS = { head: 400, tail: 1_200 };

/**
 * What a run that is not clean says about it: the given failures, or the end of its output when there is none to quote. `first`
 * stands above them; "" for nothing.
 */
export function sayRun(
  stage: ExecFeedback["stage"],
  failures: readonly Failure[],
  run: CheckRun,
  first: string,
): ExecFeedback {
  const told = failures.slice(0, MOST_FAILURES).map(sayFailure);
  const more = failures.length - told.length;
  const lines = [
    ...(first === "" ? [] : [first]),
    ...(run.timedOut ? [`the check did not end in ${Math.round(run.ms / 1_000)} s`] : []),
    ...told,
    ...(more > 0 ? [`and ${more} more`] : []),
    ...(told.length === 0 ? [elide(redact(run.output).trim(), OUTPUT_ENDS)] : []),
  ];
  const failing = [...new Set(failures.map((failure) => oneLine(nameOf(failure))))];
  return { stage, message: lines.join("\n"), failing, timedOut: run.timedOut };
}

function nameOf({ testId, location, message }: Failure): string {
  return testId ?? (location === null ? message : `${location.file}:${location.line ?? ""}`);
}

function sayFailure(failure: Failure): string {
  const { testId, message, location, expected, actual } = failure;
  const place = location === null ? "" : ` at ${location.file}${location.line === null ? "" : `:${location.line}`}`;
  const values = expected === null && actual === null ? "" : ` (expected ${expected ?? "?"}, got ${actual ?? "?"})`;
  return oneLine(`${testId === null ? "" : `${testId}: `}${message}${values}${place}`);
}

function oneLine(text: string): string {
  const ends = { head: MESSAGE_CHARACTERS, tail: 0 };
  return elide(redact(text).replace(/\s+/g, " ").trim(), ends).replace(/\n/g, " ");
}
