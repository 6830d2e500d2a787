import { redact } from "../../../text/redact.ts";
import type { Proposal } from "./hypothesis.ts";
import type { TargetFunction } from "./targets.ts";
import type { Trace } from "./trace.ts";

const SHOWN_LINES = 12; // a pull request is read, not studied

/**
 * The trace as people read it in a pull request: which values were wrong where, as far as the trace really shows them, and
 * the end of the failing test's own lines. Null without a trace. Redacted; plain text, to be fenced.
 */
export function explainTrace(
  trace: Trace,
  targets: readonly TargetFunction[],
  proposal: Proposal | null,
): string | null {
  if (trace.status !== "collected") return null;
  const shown = new Set(trace.tests.flatMap(({ tail, firstHits }) => `${firstHits}\n${tail}`.split("\n").map(squeeze)));
  const wrong = (proposal?.wrongValues ?? [])
    // What is claimed and does not stand in the trace is left out.
    .filter(({ traceLine }) => squeeze(traceLine) !== "" && shown.has(squeeze(traceLine)))
    .map(({ traceLine, expected }) => `${squeeze(traceLine)}   (should be ${squeeze(expected)})`);
  const [test] = trace.tests;
  const where = targets.map(({ file, fn, range }) => `${fn} in ${file}:${range.start}`).join(", ");
  const last = (test?.tail ?? "").trimEnd().split("\n").slice(-SHOWN_LINES);
  return redact(
    [
      `Recorded in ${where} while the failing test ran, before the repair (L: line):`,
      ...(wrong.length > 0 ? ["", "wrong values:", ...wrong] : []),
      "",
      `${test?.testId ?? "test"}${(test?.bytesSeen ?? 0) > Buffer.byteLength(test?.tail ?? "") ? ", the last lines" : ""}:`,
      ...last,
    ].join("\n"),
  );
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
