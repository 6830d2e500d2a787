import { isWeather } from "../domain/category.ts";
import type { Failure } from "../domain/evidence.ts";
import type { TriageKind, TriageReason } from "../domain/triage.ts";

interface Shown {
  readonly signatures: readonly string[];
}

/** What is known of other runs, gathered by the caller. What could not be had is null or left out: not known is no reason. */
export interface Sightings {
  /** What the newest complete run of the base branch shows; null where there is none or it cannot be read. */
  readonly base: (Shown & { readonly branch: string; readonly sha: string }) | null;
  /** Other open pull requests whose newest head shows them. */
  readonly pullRequests: readonly (Shown & { readonly number: number })[];
  /** Earlier attempts of the very same run: the jobs that passed, and the steps that did as `job\nstep`. */
  readonly attempts: readonly { readonly attempt: number; readonly passed: readonly string[] }[];
  /** What a mere re-run turned green on some commit before. Empty once this run was itself run again: then it is no flake. */
  readonly flakedBefore: readonly (Shown & { readonly sha: string })[];
  /** The base is green at this commit, and changed these files since this branch left it. */
  readonly greenBase: { readonly branch: string; readonly sha: string; readonly files: readonly string[] } | null;
  /** Files of this change; null where they are not known. */
  readonly changed: readonly string[] | null;
  /** Our own open pull requests onto the base branch, and what they repair. */
  readonly fixes: readonly (Shown & { readonly number: number })[];
}

export const NOTHING_SEEN: Sightings = {
  base: null,
  pullRequests: [],
  attempts: [],
  flakedBefore: [],
  greenBase: null,
  changed: null,
  fixes: [],
};

// A failure on one other pull request may be a habit of its author; on two it is the project's.
const OTHER_PULL_REQUESTS = 2;

/**
 * Reasons not to repair these failures here (papers §12.3), the strongest kind first. A failure appears under the first
 * kind that fits; one without a reason is this change's own. Failures that only follow from another share its fate.
 */
export function triage(failures: readonly Failure[], seen: Sightings): readonly TriageReason[] {
  const reasons = new Map<string, { kind: TriageKind; why: string; failures: string[] }>();
  for (const failure of failures.filter(({ cascadeOf }) => cascadeOf === null)) {
    const found = reasonFor(failure, seen);
    if (found === null) continue;
    const key = `${found.kind} ${found.why}`;
    const reason = reasons.get(key) ?? { ...found, failures: [] };
    reason.failures.push(failure.id, ...failures.filter((other) => other.cascadeOf === failure.id).map(({ id }) => id));
    reasons.set(key, reason);
  }
  return [...reasons.values()].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind));
}

/** Whether a failure can be known again elsewhere: that a step ended in an exit code is no sign of the same cause. */
export function isTelling({ signature, message, tool }: Pick<Failure, "signature" | "message" | "tool">): boolean {
  if (signature === "") return false;
  return tool !== null || !/^process completed with exit code|; its log (?:is missing|has expired)/i.test(message);
}

const KINDS: readonly TriageKind[] = [
  "weather",
  "flaky",
  "stale-base",
  "pre-existing",
  "duplicate",
  "on-other-pull-requests",
];

interface Found {
  readonly kind: TriageKind;
  readonly why: string;
}

function reasonFor(failure: Failure, seen: Sightings): Found | null {
  if (isWeather(failure.category))
    return { kind: "weather", why: "Nothing in the repository caused it: run the failed jobs once more." };
  return flakyFor(failure, seen) ?? (isTelling(failure) ? sharedFor(failure, seen) : null);
}

/** The same commit, red and green. */
function flakyFor(failure: Failure, { attempts, flakedBefore }: Sightings): Found | null {
  const jobs = failure.legs.length > 0 ? failure.legs : failure.job === null ? [] : [failure.job];
  const places = jobs.flatMap((job) => [job, placeOf(job, failure.step?.name ?? "")]);
  const passed = attempts.find((attempt) => attempt.passed.some((place) => places.includes(place)));
  if (passed !== undefined) {
    const where = jobs.join(", ");
    return { kind: "flaky", why: `Attempt ${passed.attempt} of the same run passed ${where} on the same commit.` };
  }
  const before = isTelling(failure) ? flakedBefore.find(shows(failure)) : undefined;
  if (before === undefined) return null;
  return { kind: "flaky", why: `It has failed and passed on one commit before (${short(before.sha)}).` };
}

/** How a step is named among those that passed at an attempt. */
export function placeOf(job: string, step: string): string {
  return `${job}\n${step}`;
}

/** What others show as well, or have repaired. */
function sharedFor(failure: Failure, { greenBase, base, fixes, pullRequests, changed }: Sightings): Found | null {
  const fix = fixes.find(shows(failure));
  const { location } = failure;
  const isOwnFile = location !== null && changed?.includes(location.file) !== false;
  if (greenBase !== null && location !== null && !isOwnFile && greenBase.files.includes(location.file)) {
    const why = `${greenBase.branch} is green at ${short(greenBase.sha)} and has changed ${location.file} since this branch left it: update the branch.`;
    return { kind: "stale-base", why };
  }
  if (base !== null && shows(failure)(base)) {
    const repaired = fix === undefined ? "" : ` #${fix.number} repairs it there.`;
    return { kind: "pre-existing", why: `${base.branch} fails the same way at ${short(base.sha)}.${repaired}` };
  }
  if (fix !== undefined) return { kind: "duplicate", why: `#${fix.number} repairs the same failure of the base.` };
  const others = pullRequests.filter(shows(failure)).map(({ number }) => `#${number}`);
  // The same complaint about a file that this change itself touches is each author's own.
  if (others.length < OTHER_PULL_REQUESTS || isOwnFile) return null;
  return { kind: "on-other-pull-requests", why: `Pull requests ${others.join(", ")} fail the same way.` };
}

function shows({ signature }: Pick<Failure, "signature">): (run: Shown) => boolean {
  return ({ signatures }) => signatures.includes(signature);
}

function short(sha: string): string {
  return sha.slice(0, 8);
}
