import type { LogLine, StepLog } from "../domain/ci-run.ts";
import type { Diagnostic } from "./tool.ts";

const STRONG =
  /(?:^|\s)(?:error|fatal|panic)(?:\[\w+\])?:|^\s*(?:FAIL(?:ED|URE)?|ERROR)\b|\w(?:Error|Exception): |command not found|No such file or directory/;
const BOUNDARY = /^##\[error\]Process completed with exit code \d+/;

/**
 * What a step says is wrong when no tool of ours knows its words: lines with the shape of an error, neighbours joined.
 * Empty only when the step printed nothing. Linear in the input; never throws.
 */
export function readGeneric(step: StepLog): readonly Diagnostic[] {
  const strong = step.lines.filter((line) => !BOUNDARY.test(line.text) && STRONG.test(line.text.slice(0, 2_000)));
  return group(strong).map((lines) => ({
    message: (lines[0]?.text ?? "")
      .replace(/^##\[error\]/, "")
      .trim()
      .slice(0, 500),
    lines: lines.map((line) => line.number),
  }));
}

function group(lines: readonly LogLine[]): LogLine[][] {
  const groups: LogLine[][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last && line.number - (last.at(-1)?.number ?? 0) <= 1) last.push(line);
    else groups.push([line]);
  }
  return groups;
}
