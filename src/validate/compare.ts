import type { CheckRun } from "../domain/check.ts";
import type { Reproduced } from "../domain/outcome.ts";

/** What a check says about a change, by the failures it shows before and after (papers §12.6). */
export interface Comparison {
  /** From the exit code after the change alone; `not-run` when that code says nothing about the code. */
  readonly verdict: "pass" | "fail" | "not-run";
  readonly resolved: readonly string[];
  readonly persisting: readonly string[];
  readonly introduced: readonly string[];
  /**
   * The check still fails, but only by failures that other problems had before: none of this problem's own is left, and
   * none is new. True for a pass.
   */
  readonly cleared: boolean;
  /** One sentence for people. */
  readonly why: string;
}

/**
 * Compares a check before and after a change. `before` is null when it could not be run; `others` are the signatures that
 * belong to other problems.
 */
export function compareRuns(before: CheckRun | null, after: CheckRun, others: readonly string[] = []): Comparison {
  const was = before?.signatures ?? [];
  const now = after.exitCode === 0 ? [] : after.signatures;
  const sets = {
    resolved: was.filter((signature) => !now.includes(signature)),
    persisting: was.filter((signature) => now.includes(signature)),
    introduced: now.filter((signature) => !was.includes(signature)),
  };
  if (after.exitCode === 0) return { verdict: "pass", ...sets, cleared: true, why: "the check passes" };
  const whyNot = saysNothing(after, was);
  // What did not run has resolved nothing.
  if (whyNot !== null) return { verdict: "not-run", ...NO_SETS, persisting: was, cleared: false, why: whyNot };
  if (after.timedOut) return { verdict: "fail", ...sets, cleared: false, why: "the check did not end in time" };
  const onlyOthers = now.length > 0 && sets.introduced.length === 0 && now.every((one) => others.includes(one));
  const cleared = onlyOthers && sets.resolved.length > 0;
  return { verdict: "fail", ...sets, cleared, why: cleared ? CLEARED : describeFailure(after, sets) };
}

const NO_SETS = { resolved: [], persisting: [], introduced: [] };
const CLEARED = "the check still fails, but only where other problems did before";

/** Why the end of a run says nothing about the code; a run that shows a known failure always says something. */
function saysNothing({ check, exitCode, timedOut, signatures }: CheckRun, known: readonly string[]): string | null {
  if (signatures.some((signature) => known.includes(signature))) return null;
  if (check.notRun !== null) return check.notRun;
  return exitCode === null && !timedOut ? "it was ended by a signal" : null;
}

function describeFailure(
  { exitCode, signatures }: CheckRun,
  { persisting, introduced }: Pick<Comparison, "persisting" | "introduced">,
): string {
  if (signatures.length === 0) return `the check fails with exit code ${exitCode} and does not say where`;
  const parts = [
    ...(persisting.length > 0 ? [`${count(persisting.length)} as before`] : []),
    ...(introduced.length > 0 ? [`${count(introduced.length)} of a new kind`] : []),
  ];
  return `the check fails with exit code ${exitCode}: ${parts.join(", ")}`;
}

function count(failures: number): string {
  return failures === 1 ? "one failure" : `${failures} failures`;
}

/** What CI showed of a check, to be found again here. */
export interface CiFinding {
  /** Signatures of its failures, those of all problems. */
  readonly signatures: readonly string[];
  readonly tool: string | null;
  /** Null when the log does not tell. */
  readonly exitCode: number | null;
}

export interface Reproducing {
  readonly reproduced: Reproduced;
  /** Why not; null for `yes`. */
  readonly reason: string | null;
  /** It passes, and nothing is known to differ from CI. */
  readonly alreadyFixed: boolean;
}

/**
 * Whether the first run of a check here shows what CI showed. `run` null: it was not run, for the reason given.
 * `differences` are the ways in which it ran otherwise than in CI, a sentence each (`runtimeDifferences`, lent folders).
 */
export function judgeReproduction(
  ci: CiFinding,
  run: CheckRun | null,
  differences: readonly string[],
  whyNotRun: string | null = null,
): Reproducing {
  if (run === null) return no("not-run", whyNotRun ?? "the check was not run");
  if (run.exitCode === 0) {
    if (differences.length === 0) return { reproduced: "no", reason: PASSES, alreadyFixed: true };
    return no("no", `${PASSES}, though ${differences.join("; ")}`);
  }
  if (run.signatures.some((signature) => ci.signatures.includes(signature))) return YES;
  const nothing = saysNothing(run, []);
  if (nothing !== null) return no("not-run", nothing);
  const reason = whyAnother(ci, run);
  return reason === null ? YES : no("no", [reason, ...differences].join("; "));
}

const YES: Reproducing = { reproduced: "yes", reason: null, alreadyFixed: false };
const PASSES = "the check passes here";

function no(reproduced: "no" | "not-run", reason: string): Reproducing {
  return { reproduced, reason, alreadyFixed: false };
}

/** Why a failing run is not known to be CI's failure; null when it is taken for it. */
function whyAnother(ci: CiFinding, run: CheckRun): string | null {
  if (run.timedOut) return "the check did not end in time here";
  if (ci.signatures.length > 0) {
    return run.signatures.length > 0
      ? "the check fails here with other failures than in CI"
      : `the check fails here (exit code ${run.exitCode}) without the failures that CI showed`;
  }
  // Neither side can be quoted: the same tool ending the same way is the best there is.
  if (run.check.tool !== ci.tool) return "the check fails here in another tool than in CI";
  if (ci.exitCode !== null && ci.exitCode !== run.exitCode) {
    return `the check fails here with exit code ${run.exitCode}, in CI with ${ci.exitCode}`;
  }
  return ci.tool === null && ci.exitCode === null ? "the log does not tell what failed in CI" : null;
}

const PLAIN_VERSION = /^v?(\d+(?:\.\d+)*)(?:\.[x*])*$/;

/**
 * Runtime versions that the job asked for (`Validation.context.runtimes`) and that are not what is here, a sentence each.
 * `here` holds what `--version` says of each runtime, or null where there is none. A version that is a range or a channel
 * (`lts/*`, `stable`) is not compared.
 */
export function runtimeDifferences(
  asked: Readonly<Record<string, string>>,
  here: Readonly<Record<string, string | null>>,
): readonly string[] {
  return Object.entries(asked).flatMap(([name, version]) => {
    const found = here[name];
    if (found === undefined) return [];
    if (found === null) return [`CI has ${name} ${version}, here is none`];
    const wanted = PLAIN_VERSION.exec(version.trim())?.[1];
    const is = /\d+(?:\.\d+)*/.exec(found)?.[0];
    if (wanted === undefined || is === undefined || `${is}.`.startsWith(`${wanted}.`)) return [];
    return [`CI has ${name} ${version}, here is ${is}`];
  });
}
