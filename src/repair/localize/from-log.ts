import type { Failure, StackFrame } from "../../domain/evidence.ts";
import type { FaultLocation } from "../../domain/fault.ts";
import { isTestPath } from "../../text/test-path.ts";
import type { LocalizeInput } from "./input.ts";

const DIAGNOSTIC = 1; // papers §2.2, 1
const FILE_ONLY = 0.8; // ours: a file without a line says less than a line, more than a test
const DEEPEST_FRAME = 0.9; // papers §2.2, 2
const OUTWARD = 0.9;
const MOST_FRAMES = 8; // the ninth weighs less than half of the first

const WHOLE_FILE = { start: 1, end: Number.MAX_SAFE_INTEGER };

type Places = Pick<LocalizeInput, "failures" | "paths">;

/** What tools name with file and line (papers §2.2, 1). A failing test's own line is no diagnostic. */
export function fromDiagnostics({ failures, paths }: Places): readonly FaultLocation[] {
  return failures.flatMap((failure): FaultLocation[] => {
    const { location } = failure;
    const file = location === null ? null : treePath(location.file, paths);
    if (location === null || file === null || isTestLine(failure, file)) return [];
    const { line } = location;
    const range = line === null ? WHOLE_FILE : { start: line, end: line };
    return [{ file, range, fn: null, source: "diagnostic", score: line === null ? FILE_ONLY : DIAGNOSTIC }];
  });
}

/** Frames of the repository's own code, the deepest first, each further out weighing less (papers §2.2, 2). */
export function fromStacks({ failures, paths }: Places): readonly FaultLocation[] {
  return failures.flatMap((failure) => {
    const frames = deepestFirst(failure.stack).flatMap(({ file, line, fn }) => {
      const path = treePath(file, paths);
      return path === null || line === null || isTestLine(failure, path) ? [] : [{ file: path, line, fn }];
    });
    return frames.slice(0, MOST_FRAMES).map(({ file, line }, depth): FaultLocation => {
      const score = DEEPEST_FRAME * OUTWARD ** depth;
      return { file, range: { start: line, end: line }, fn: null, source: "stack", score };
    });
  });
}

/** Python prints the deepest frame last, all others print it first. */
function deepestFirst(stack: readonly StackFrame[]): readonly StackFrame[] {
  return stack.some(({ file }) => file.endsWith(".py")) ? [...stack].reverse() : stack;
}

/** A line of a test that failed: it shows the fault and seldom is it. */
export function isTestLine({ testId, category }: Failure, file: string): boolean {
  const ofTest = testId !== null || category === "assertion_error" || category === "test_failure";
  return ofTest && isTestPath(file);
}

/** A path of the log as the tree has it: itself, or the only one that ends with it; null where there is none. */
export function treePath(file: string, paths: ReadonlySet<string>): string | null {
  const plain = file.replace(/^\.\//, "");
  if (paths.has(plain)) return plain;
  const ending = [...paths].filter((path) => path.endsWith(`/${plain}`));
  return ending.length === 1 ? (ending[0] ?? null) : null;
}
