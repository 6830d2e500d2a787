import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { repositoryPath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

/** What a line of a linter says, as the named groups of its pattern. */
export interface Said {
  readonly file?: string | undefined;
  readonly line?: string | undefined;
  readonly col?: string | undefined;
  readonly rule?: string | undefined;
  readonly message?: string | undefined;
}

/** The class of one finding when it is not the tool's usual one. */
export type Classify = (said: Said) => FailureClass | null;

const USUAL: Classify = () => null;

/**
 * One diagnostic a line for programs that print each finding in a line of its own. The patterns name `file`, `line`,
 * `col`, `rule` and `message`; the first that fits decides. What is printed twice (a summary, a second format) counts once.
 */
export function lineFindings(
  lines: readonly LogLine[],
  formats: readonly RegExp[],
  classify: Classify = USUAL,
): Diagnostic[] {
  const seen = new Set<string>();
  return lines.flatMap((line) => {
    const said = saidIn(line.text, formats);
    const key = JSON.stringify(said);
    if (said === null || seen.has(key)) return [];
    seen.add(key);
    return [toDiagnostic(said, [line.number], classify)];
  });
}

/** The groups of the first pattern that fits; null when none does. */
export function saidIn(text: string, formats: readonly RegExp[]): Said | null {
  for (const format of formats) {
    const groups = format.exec(text)?.groups;
    if (groups !== undefined) return { ...groups };
  }
  return null;
}

/** A finding with its place in the repository. */
export function toDiagnostic(said: Said, lines: readonly number[], classify: Classify = USUAL): Diagnostic {
  const category = classify(said);
  return {
    message: (said.message ?? "").trim(),
    rule: said.rule ?? null,
    lines,
    location: said.file === undefined ? null : placeOf(said.file, said.line, said.col),
    ...(category === null ? {} : { category }),
  };
}

function placeOf(file: string, line: string | undefined, col: string | undefined): Location {
  const path = file.trim();
  return {
    file: repositoryPath(path) ?? path,
    line: line === undefined ? null : Number(line),
    col: col === undefined ? null : Number(col),
  };
}
