import { isWeather } from "../domain/category.ts";
import type { Failure } from "../domain/evidence.ts";

export type TriageKind = "pre-existing" | "on-other-pull-requests" | "flaky" | "stale-base" | "weather";

/** Why failures are not this change's to repair. */
export interface TriageReason {
  readonly kind: TriageKind;
  /** One sentence for people. */
  readonly why: string;
  /** Ids of the failures it speaks of. */
  readonly failures: readonly string[];
}

/** Where failures with these signatures were seen before: facts of other runs, gathered by the caller. */
export interface Sightings {
  /** Signatures that the newest complete run of the base branch shows; null where there is none. */
  readonly base: { readonly branch: string; readonly sha: string; readonly signatures: readonly string[] } | null;
  /** Other open pull requests whose newest run shows them. */
  readonly pullRequests: readonly { readonly number: number; readonly signatures: readonly string[] }[];
  /** Other attempts of the same commit. A green attempt has no signatures. */
  readonly attempts: readonly { readonly attempt: number; readonly signatures: readonly string[] }[];
  /** Signatures that a commit of the base has repaired since this branch left it. */
  readonly repairedOnBase: readonly { readonly sha: string; readonly signatures: readonly string[] }[];
}

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

const KINDS: readonly TriageKind[] = ["weather", "flaky", "stale-base", "pre-existing", "on-other-pull-requests"];

function reasonFor(failure: Failure, seen: Sightings): { readonly kind: TriageKind; readonly why: string } | null {
  const { signature } = failure;
  const shows = (run: { readonly signatures: readonly string[] }): boolean => run.signatures.includes(signature);
  if (isWeather(failure.category))
    return { kind: "weather", why: "Nothing in the repository caused it: run the failed jobs once more." };
  const passed = seen.attempts.find((attempt) => !shows(attempt));
  if (passed !== undefined)
    return { kind: "flaky", why: `Attempt ${passed.attempt} of the same commit did not show it.` };
  const repair = seen.repairedOnBase.find(shows);
  if (repair !== undefined)
    return {
      kind: "stale-base",
      why: `The base repaired it in ${repair.sha.slice(0, 8)}, which this branch does not have: update the branch.`,
    };
  if (seen.base !== null && shows(seen.base))
    return { kind: "pre-existing", why: `${seen.base.branch} fails the same way at ${seen.base.sha.slice(0, 8)}.` };
  const others = seen.pullRequests.filter(shows).map(({ number }) => `#${number}`);
  if (others.length < OTHER_PULL_REQUESTS) return null;
  return { kind: "on-other-pull-requests", why: `Pull requests ${others.join(", ")} fail the same way.` };
}
