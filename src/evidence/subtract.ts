import type { LogLine } from "../domain/ci-run.ts";
import type { Finding } from "./read-step.ts";

/** Shapes of lines that green runs of the same job print as well. */
export type GreenTemplates = ReadonlySet<string>;

// papers §8.2-4 and LogSage: the last three green runs of the same job.
export const GREEN_RUNS = 3;
// Beyond that many shapes a log is data, not a program's words.
const MAX_TEMPLATES = 200_000;

/** The shape of a line: digits, hashes and quoted values masked, so that two runs print the same one. */
export function templateOf(text: string): string {
  return text
    .slice(0, 400)
    .replace(/\b[0-9a-f]{7,64}\b/gi, "#")
    .replace(/\d+(?:[.,:]\d+)*/g, "#")
    .replace(/\s+/g, " ")
    .trim();
}

/** Gathers the shapes of what green runs print, line by line. */
export class GreenLines {
  private readonly templates = new Set<string>();

  add(text: string): void {
    if (this.templates.size >= MAX_TEMPLATES) return;
    const template = templateOf(text.replace(/^##\[error\]/, ""));
    if (template !== "") this.templates.add(template);
  }

  get found(): GreenTemplates {
    return this.templates;
  }
}

/**
 * What is left of a step's findings when lines that green runs print too are taken away. A finding all of whose lines are
 * green is no cause; but where nothing else is left, nothing is taken: a red step failed of something.
 */
export function subtractGreen<T extends Pick<Finding, "lines" | "rule" | "location" | "testId">>(
  findings: readonly T[],
  lines: readonly LogLine[],
  green: GreenTemplates,
): readonly T[] {
  if (green.size === 0) return findings;
  const texts = new Map(lines.map(({ number, text }) => [number, text]));
  const isGreen = (line: number): boolean => green.has(templateOf((texts.get(line) ?? "").replace(/^##\[error\]/, "")));
  const left = findings.flatMap((finding) => {
    // What a reader knows by test, rule or place is red, whatever its words look like elsewhere.
    if (finding.testId != null || finding.rule != null || finding.location != null) return [finding];
    const kept = finding.lines.filter((line) => !isGreen(line));
    return kept.length === 0 && finding.lines.length > 0 ? [] : [{ ...finding, lines: kept }];
  });
  return left.length === 0 ? findings : left;
}
