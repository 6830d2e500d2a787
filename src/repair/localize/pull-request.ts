import type { LineRange } from "../../domain/experience.ts";
import type { FaultLocation } from "../../domain/fault.ts";
import type { FileDiff } from "../../text/diff.ts";
import { isTestPath } from "../../text/test-path.ts";
import type { LocalizeInput } from "./input.ts";

const RAISE = 0.2; // papers §2.2, 4
const NEAR = 10; // lines, papers §2.2, 4
const IN_LOCATED_FILE = 0.5; // ours: the change in a file that is suspected, below what a failing test calls
const ANYWHERE = 0.3; // ours: nothing else is known, and the change is what turned it red

type Places = Pick<LocalizeInput, "changed" | "paths">;

/** The locations, raised where the failing pull request wrote within ten lines of them. */
export function besideChanges(found: readonly FaultLocation[], { changed }: Places): readonly FaultLocation[] {
  return found.map((location) => {
    const near = (changed?.get(location.file) ?? []).some(
      ({ start, end }) => start - NEAR <= location.range.end && location.range.start <= end + NEAR,
    );
    return near ? { ...location, score: location.score + RAISE } : location;
  });
}

/** What the pull request wrote in the located files; where nothing is located, in any file that is no test. */
export function changedPlaces(found: readonly FaultLocation[], { changed, paths }: Places): readonly FaultLocation[] {
  const located = new Set(found.map(({ file }) => file));
  return [...(changed ?? [])].flatMap(([file, ranges]): FaultLocation[] => {
    if (!paths.has(file) || (located.size > 0 ? !located.has(file) : isTestPath(file))) return [];
    const score = located.size > 0 ? IN_LOCATED_FILE : ANYWHERE;
    return ranges.map((range) => ({ file, range, fn: null, source: "pr_diff", score }));
  });
}

/** The lines that a difference wrote, by the files' new names; a place where it only took away is the line before it. */
export function changedLines(files: readonly FileDiff[]): ReadonlyMap<string, readonly LineRange[]> {
  return new Map(
    files.flatMap(({ newPath, hunks }) =>
      newPath === null
        ? []
        : [
            [
              newPath,
              hunks.map(({ newStart, newLines }) => {
                const start = Math.max(1, newStart);
                return { start, end: Math.max(start, newStart + newLines - 1) };
              }),
            ] as const,
          ],
    ),
  );
}
