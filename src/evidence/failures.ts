import type { Failure, Location, Validation } from "../domain/evidence.ts";
import { failureSignature } from "../domain/signature.ts";
import { redact } from "../text/redact.ts";
import { type Place, placeLocation } from "./place-path.ts";
import type { Finding } from "./read-step.ts";
import type { SplitStep } from "./split-log.ts";

// papers §8.2: the budget of an excerpt.
const MAX_EXCERPT = 8_000;
const MAX_MESSAGE = 2_000;

/** Where a failure was seen. */
export interface Scene {
  readonly job: string | null;
  readonly step: Failure["step"];
  readonly command: string | null;
  readonly validation: Validation["id"] | null;
  readonly repoFiles: ReadonlySet<string> | null;
}

/** A failure before it has its place among the others. */
export type Seen = Omit<Failure, "id" | "cascadeOf" | "legs">;

/** What one finding of a step amounts to. */
export function toFailure(finding: Finding, log: Pick<SplitStep, "source" | "lines">, scene: Scene): Seen {
  const place: Place = { cwd: finding.cwd, repoFiles: scene.repoFiles };
  const location = finding.location ? placeLocation(finding.location, place) : null;
  const message = finding.message.trim().slice(0, MAX_MESSAGE);
  const lines = [...new Set(finding.lines)].sort((a, b) => a - b);
  const seen = {
    category: finding.class,
    tool: finding.tool?.name ?? null,
    rule: finding.rule ?? null,
    message,
    testId: finding.testId ?? null,
    location,
  };
  return {
    ...seen,
    message: redact(message),
    // Of the text as it was: what redaction leaves depends on the machine (home folders).
    signature: signatureOf(seen),
    validation: scene.validation,
    expected: redactOrNull(finding.expected),
    actual: redactOrNull(finding.actual),
    stack: (finding.stack ?? []).map((frame) => ({
      ...frame,
      file: placeLocation({ ...frame, col: null }, place).file,
    })),
    source: log.source,
    lines,
    excerpt: redact(excerptOf(lines, log.lines)),
    job: scene.job,
    step: scene.step,
    command: scene.command,
  };
}

/** The signature of a failure read anywhere: its subject is the test, else the file. */
function signatureOf(
  failure: Pick<Failure, "tool" | "rule" | "message" | "testId"> & { readonly location: Location | null },
): string {
  const subject = failure.testId ?? failure.location?.file ?? null;
  return failureSignature({ tool: failure.tool, rule: failure.rule, message: failure.message, subject });
}

/** The text of these lines, gaps as `…`. Both ascend: a step may have thousands of findings on thousands of lines. */
function excerptOf(wanted: readonly number[], lines: SplitStep["lines"]): string {
  const parts: string[] = [];
  let chars = 0;
  let last: number | null = null;
  for (const number of wanted) {
    const line = lines[firstFrom(lines, number)];
    if (line?.number !== number) continue;
    if (last !== null && number > last + 1) parts.push("…");
    parts.push(line.text.replace(/^##\[error\]/, ""));
    chars += line.text.length + 1;
    last = number;
    if (chars > MAX_EXCERPT) break;
  }
  return parts.join("\n").slice(0, MAX_EXCERPT);
}

/** Where the first line with this number or a higher one stands. */
function firstFrom(lines: SplitStep["lines"], number: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function redactOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : redact(text.slice(0, MAX_EXCERPT));
}

/** Numbers the failures, merges those that several jobs or repeated output show, and names what only follows from another. */
export function mergeFailures(seen: readonly Seen[], isMatrixJob: (job: string | null) => boolean): readonly Failure[] {
  const merged = new Map<string, { first: Seen; legs: Set<string>; lines: Set<number> }>();
  for (const failure of seen) {
    const key = `${failure.signature} ${failure.command ?? ""}`;
    const known = merged.get(key);
    if (known === undefined) {
      merged.set(key, { first: failure, legs: new Set(legOf(failure)), lines: new Set(failure.lines) });
      continue;
    }
    for (const leg of legOf(failure)) known.legs.add(leg);
    if (failure.job === known.first.job && failure.source === known.first.source) {
      for (const line of failure.lines) known.lines.add(line);
    }
  }
  const failures = [...merged.values()].map(({ first, legs, lines }, index) => ({
    ...first,
    id: `f${index + 1}`,
    lines: [...lines].sort((a, b) => a - b),
    legs: legs.size > 1 || isMatrixJob(first.job) ? [...legs] : [],
  }));
  const roots = new Roots();
  return failures.map((failure) => ({ ...failure, cascadeOf: roots.take(failure) }));
}

function legOf(failure: Seen): readonly string[] {
  return failure.job === null ? [] : [failure.job];
}

type Numbered = Omit<Failure, "cascadeOf">;

/**
 * The failure that another only follows from (papers §8.6-2), within one step: a later complaint about the same missing
 * module, or a type error in a file whose import could not be resolved.
 */
class Roots {
  private readonly first = new Map<string, string>();

  /** The cause of the next failure in order; null for a cause of its own. */
  take(failure: Numbered): string | null {
    const { id, job, validation, location } = failure;
    const scene = JSON.stringify([job, validation]);
    const inFile = `${scene} file ${location?.file}`;
    const missing = missingName(failure);
    if (missing === null) return failure.category === "type_checking" ? (this.first.get(inFile) ?? null) : null;
    const ofName = `${scene} name ${missing}`;
    const root = this.first.get(ofName) ?? null;
    if (root === null) this.first.set(ofName, id);
    if (location !== null && !this.first.has(inFile)) this.first.set(inFile, id);
    return root;
  }
}

const MISSING =
  /(?:cannot find (?:module|package|crate)|can't find crate for|no module named|failed to resolve import|could not resolve|module not found: (?:error: )?can't resolve|unresolved import|cannot find package) ['"`]?([\w@./:~-]+)/i;

function missingName({ message }: Pick<Failure, "message">): string | null {
  return MISSING.exec(message)?.[1]?.toLowerCase() ?? null;
}
