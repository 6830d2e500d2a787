import type { LogLine, StepLog } from "../domain/ci-run.ts";

// No diagnostic is longer; minified bundles and base64 blobs are, and they must not cost time in patterns.
const MAX_LINE = 4_000;

const COMMAND = /^(?:##\[(?:error|warning|notice)\]|::(?:error|warning|notice)(?: [^:]*(?::(?!:)[^:]*)*)?::)/;

// Task runners put the package in front of each line: `web:test: `, `packages/web test: `.
const TASK_PREFIX =
  /^(?:@?[\w./-]+:[a-z][\w-]*(?::[\w-]+)*: |(?:[\w@.-]+\/[\w@./-]+|\.) (?:test|build|lint|type|check)[\w:-]*: )/;

/** A step's lines as a tool printed them: without GitHub's marks and task runners' prefixes, cut to what a pattern may see. */
export function bareLines(step: StepLog): readonly LogLine[] {
  return step.lines.map((line) => ({ number: line.number, text: bareText(line.text) }));
}

/** One line as the tool printed it. */
export function bareText(text: string): string {
  return text.slice(0, MAX_LINE).replace(/\r$/, "").replace(COMMAND, "").replace(TASK_PREFIX, "");
}
