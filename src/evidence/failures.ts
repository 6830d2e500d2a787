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

/** The text of these lines, gaps as `…`. */
function excerptOf(wanted: readonly number[], lines: SplitStep["lines"]): string {
  const set = new Set(wanted);
  const parts: string[] = [];
  let chars = 0;
  let last: number | null = null;
  for (const { number, text } of lines) {
    if (!set.has(number)) continue;
    if (last !== null && number > last + 1) parts.push("…");
    parts.push(text.replace(/^##\[error\]/, ""));
    chars += text.length + 1;
    last = number;
    if (chars > MAX_EXCERPT) break;
  }
  return parts.join("\n").slice(0, MAX_EXCERPT);
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
  return failures.map((failure) => ({ ...failure, cascadeOf: rootOf(failure, failures) }));
}

function legOf(failure: Seen): readonly string[] {
  return failure.job === null ? [] : [failure.job];
}

type Numbered = Omit<Failure, "cascadeOf">;

/**
 * The failure this one only follows from (papers §8.6-2), within one step: a later complaint about the same missing
 * module, or a type error in a file whose import could not be resolved. Null for a cause of its own.
 */
function rootOf(failure: Numbered, all: readonly Numbered[]): string | null {
  const missing = missingName(failure);
  for (const earlier of all) {
    if (earlier.id === failure.id) return null;
    if (earlier.validation !== failure.validation || earlier.job !== failure.job) continue;
    const name = missingName(earlier);
    if (name === null) continue;
    if (missing !== null && missing === name) return earlier.id;
    const sameFile = earlier.location !== null && earlier.location.file === failure.location?.file;
    if (missing === null && sameFile && failure.category === "type_checking") return earlier.id;
  }
  return null;
}

const MISSING =
  /(?:cannot find (?:module|package|crate)|can't find crate for|no module named|failed to resolve import|could not resolve|module not found: (?:error: )?can't resolve|unresolved import|cannot find package) ['"`]?([\w@./:~-]+)/i;

function missingName({ message }: Pick<Failure, "message">): string | null {
  return MISSING.exec(message)?.[1]?.toLowerCase() ?? null;
}
