import type { LogLine, StepLog } from "../domain/ci-run.ts";
import { repositoryPath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

/** What formatters say of a file: only that it is not as they would write it. */
export function fileDiagnostic(file: string, lines: readonly number[], line: number | null = null): Diagnostic {
  const path = repositoryPath(file) ?? file;
  return { message: `${path} is not formatted`, lines, location: { file: path, line, col: null } };
}

/** A line that is nothing but the path of a file, with one of the extensions when given. */
export function isBarePath(text: string, extensions: readonly string[] | null = null): boolean {
  const extension = /^(?:[\w@.()[\]{}+~-]+[\\/]|[A-Za-z]:[\\/]|[\\/])*[\w@.()[\]{}+~-]+\.(\w+)$/.exec(text.trim())?.[1];
  return extension !== undefined && (extensions === null || extensions.includes(extension));
}

// What npm, yarn, bash -x and actions put in front of a command they start; make puts nothing.
const ECHOED = /^(?:[>$+] |\[command\]|##\[group\]Run )/;

/** Whether the step's script, or a command line that a package manager or make echoed, matches. */
export function mentions(step: StepLog, pattern: RegExp): boolean {
  if (step.command?.split("\n").some((line) => pattern.test(line)) === true) return true;
  return step.lines.some(({ text }) => {
    const found = pattern.exec(text.slice(0, 500));
    return found !== null && (found.index === 0 || ECHOED.test(text));
  });
}

const OLD_FILE = /^--- (?:a\/)?(\S.*?)(?:\t.*)?$/;
const HUNK = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/;

/** Where the unified diffs among these lines first change each file: path in the repository → line of the old file. */
export function changedPlaces(lines: readonly LogLine[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  let file: string | null = null;
  let line: number | null = null;
  for (const { text } of lines) {
    const named = OLD_FILE.exec(text)?.[1];
    const hunk = HUNK.exec(text)?.[1];
    if (named !== undefined && line === null) file = repositoryPath(named.replace(/\.orig$/, "")) ?? named;
    else if (hunk !== undefined) line = file === null || places.has(file) ? null : Number(hunk);
    else if (file !== null && line !== null) {
      if (/^[+-]/.test(text)) {
        places.set(file, line);
        line = null;
      } else line++;
    }
  }
  return places;
}
