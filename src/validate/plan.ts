import type { Check } from "../domain/check.ts";
import type { Evidence, Validation, ValidationKind } from "../domain/evidence.ts";
import type { Policy } from "../domain/policy.ts";
import type { Problem } from "../domain/problem.ts";
import type { CommandFacts } from "../tools/resolve-command.ts";
import { checkFor } from "./check-for.ts";
import { planSetup, policyCheck, type SetupStep } from "./setup.ts";

/** What to run for one problem, and in which order. */
export interface ValidationPlan {
  /** With network, once. */
  readonly setup: readonly SetupStep[];
  /** Build steps that CI ran before the check: the check may use what they make, so they run before it each time. */
  readonly prepare: readonly Check[];
  /** Decides whether the problem is there. */
  readonly check: Check;
  /** Passed in CI; must pass with the patch too. */
  readonly alsoPassing: readonly Check[];
  /** For people: legs that are not run here, checks left out. */
  readonly notes: readonly string[];
}

export interface PlanFacts {
  readonly validate: Policy["validate"];
  readonly commands: CommandFacts;
  /** Folders lent from the clone that can be used, relative to the root. */
  readonly lent: readonly string[];
  /** Variables with which commands use them. */
  readonly lentEnv: Readonly<Record<string, string>>;
}

/** Checks that end soon, soonest first; a test suite may take as long as the check itself. */
const CHEAP: readonly ValidationKind[] = ["format", "lint", "type", "test"];
// Enough for any job seen; each is run before and after every patch.
const MOST_ALSO = 6;
const MOST_ALSO_TESTS = 2;

/**
 * How to check a problem here: the failing command with its folder, shell and environment, what must be set up first, and
 * the job's passing checks. Of several matrix legs the first that can be run here is taken. Pure.
 */
export function planValidation(problem: Problem, evidence: Evidence, facts: PlanFacts): ValidationPlan {
  const legs = failedLegs(problem, evidence).map((validation) => ({
    validation,
    check: checkFor(validation, facts.commands),
  }));
  const chosen = legs.find(({ check }) => check.notRun === null) ?? legs[0] ?? null;
  const ownCommands = facts.validate.commands.map((command) => policyCheck(command, false));
  const [ownCheck, ...otherOwn] = ownCommands;
  const standsIn = ownCheck !== undefined && (chosen === null || chosen.check.notRun !== null);
  const check = standsIn ? ownCheck : (chosen?.check ?? NO_CHECK);
  const job = chosen === null ? [] : jobOf(chosen.validation, evidence);
  const before = job.filter(({ order }) => order < (chosen?.validation.order ?? 0));
  const setup = planSetup(check, before.filter(wasFine), {
    commands: facts.commands,
    lent: facts.lent,
    policySetup: facts.validate.setup,
  });
  const prepare = before.filter((one) => one.status === "successful" && one.kind === "build");
  const also = cheapest(job, facts);
  return {
    setup: setup.map((step) => ({ ...step, check: withEnv(step.check, facts) })),
    prepare: prepare
      .map((one) => checkFor(one, facts.commands))
      .filter(({ notRun, installs }) => notRun === null && !installs)
      .map((one) => withEnv(one, facts)),
    check: withEnv(check, facts),
    alsoPassing: [...also.checks, ...(standsIn ? otherOwn : ownCommands)].map((one) => withEnv(one, facts)),
    notes: [...legNotes(legs, chosen), ...(standsIn ? [standInNote(chosen?.check ?? NO_CHECK)] : []), ...also.notes],
  };
}

const NO_CHECK: Check = {
  ...policyCheck("", false),
  notRun: "the log does not tell which command failed",
};

/** What the workflow or log set for a step wins over what a lent folder needs. */
function withEnv(check: Check, { lentEnv }: PlanFacts): Check {
  return { ...check, env: { ...lentEnv, ...check.env } };
}

/** The problem's own validation first, then the same step in other legs of the matrix. */
function failedLegs(problem: Problem, { validations, failures }: Evidence): readonly Validation[] {
  const shownBy = failures.filter(({ id }) => problem.failures.includes(id)).map(({ validation }) => validation);
  const ids = new Set([problem.validation, ...shownBy].filter((id) => id !== null));
  const own = validations.find(({ id }) => id === problem.validation);
  const same = validations.filter(
    (one) =>
      own !== undefined &&
      one.status === "failed" &&
      one.jobKey !== null &&
      one.jobKey === own.jobKey &&
      sameStep(one, own),
  );
  const shown = validations.filter(({ id }) => ids.has(id));
  return [...new Set([...(own === undefined ? [] : [own]), ...same, ...shown])];
}

function sameStep(a: Validation, b: Validation): boolean {
  return a.step?.name === b.step?.name && a.tool === b.tool && a.kind === b.kind;
}

function jobOf({ job, jobKey, id }: Validation, { validations }: Evidence): readonly Validation[] {
  return validations.filter((one) => one.id === id || (one.job === job && one.jobKey === jobKey && job !== null));
}

/** A step that failed but did not end the job is no step to rely on. */
function wasFine({ status }: Validation): boolean {
  return status === "successful";
}

function cheapest(job: readonly Validation[], facts: PlanFacts): { checks: Check[]; notes: string[] } {
  const passed = CHEAP.flatMap((kind) => job.filter((one) => one.kind === kind && one.status === "successful"));
  const runnable = passed
    .map((one) => ({ kind: one.kind, check: checkFor(one, facts.commands) }))
    .filter(({ check }) => check.notRun === null && !check.installs);
  const tooManyTests = runnable.filter(({ kind }) => kind === "test").slice(MOST_ALSO_TESTS);
  const taken = runnable.filter((one) => !tooManyTests.includes(one)).slice(0, MOST_ALSO);
  const left = runnable.length - taken.length;
  const notes = left === 0 ? [] : [`${left} more checks of the job passed in CI and are left to it`];
  return { checks: taken.map(({ check }) => check), notes };
}

interface Leg {
  readonly validation: Validation;
  readonly check: Check;
}

function legNotes(legs: readonly Leg[], chosen: Leg | null): string[] {
  return legs
    .filter((leg) => leg !== chosen && leg.validation.job !== null && leg.validation.job !== chosen?.validation.job)
    .map(({ validation, check }) => `not run here: ${validation.job} (${check.notRun ?? "one leg is enough"})`);
}

function standInNote({ notRun }: Check): string {
  return `the repository's own check stands in for the failing one: ${notRun}`;
}
