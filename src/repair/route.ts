import type { Attempt, EngineName } from "../domain/attempt.ts";
import type { CheckRun } from "../domain/check.ts";
import type { Failure } from "../domain/evidence.ts";
import type { Problem } from "../domain/problem.ts";
import type { Switches } from "../domain/switches.ts";
import type { Engine } from "./engine.ts";
import { CI_ONLY_LADDER, LADDERS, type Rung, SILENT_LADDER } from "./ladders.ts";

/** A rung with the engine that stands on it. */
export interface RouteStep extends Omit<Rung, "engine"> {
  readonly engine: Engine;
}

export interface Route {
  readonly steps: readonly RouteStep[];
  /** What was decided and why, one sentence. */
  readonly why: string;
  /** What would have been tried next and cannot be, a sentence each. */
  readonly missing: readonly string[];
}

/** What of a problem decides its way (papers §12.4). */
export interface RouteFacts {
  readonly hasModel: boolean;
  /** The failure was reproduced here. */
  readonly canRun: boolean;
  readonly failures: readonly Failure[];
  /** What the check said on the tree as it is; null when it was not run. */
  readonly before: Pick<CheckRun, "ms"> | null;
}

/** The engines for one problem: the ladder of its class and features, or the one that was asked for, less what cannot work here. */
export function route(
  problem: Problem,
  available: readonly Engine[],
  facts: RouteFacts,
  switches: Pick<Switches, "engine">,
): Route {
  const { rungs, because } =
    switches.engine === "auto"
      ? ladderFor(problem, facts)
      : { rungs: [{ engine: switches.engine }], because: `${switches.engine} was asked for` };
  const known = rungs.flatMap((rung): RouteStep[] => {
    const engine = available.find(({ name }) => name === rung.engine);
    return engine === undefined ? [] : [{ ...rung, engine }];
  });
  const affordable = known.filter(({ engine }) => facts.hasModel || !engine.needsModel);
  // A check that does not show the failure here proves no fixer right: only an engine that can think is left (design §9).
  const able = affordable.filter(({ engine }) => facts.canRun || engine.needsModel);
  const steps =
    switches.engine === "auto" ? able.filter(({ engine }) => isEligible(engine.name, problem, facts)) : able;
  const left = known.filter((step) => !affordable.includes(step)).map(({ engine }) => engine.name);
  const missing = left.length > 0 ? [`no model configured for ${[...new Set(left)].join(", ")}`] : [];
  const way = switches.engine === "auto" ? `${because}: ${steps.map(sayStep).join(", then ") || "no engine"}` : because;
  return { steps, why: [way, ...missing].join("; "), missing };
}

function ladderFor(problem: Problem, facts: RouteFacts): { readonly rungs: readonly Rung[]; readonly because: string } {
  const { category } = problem;
  if (isSilent(problem, facts) && facts.canRun && facts.failures.some(({ stack }) => stack.length > 0)) {
    return { rungs: withAutofix(SILENT_LADDER, category), because: `${category} without a crash` };
  }
  if (!facts.canRun && LADDERS[category].some(({ engine }) => engine === "base")) {
    return { rungs: withAutofix(CI_ONLY_LADDER, category), because: `${category}, which only CI can judge` };
  }
  return { rungs: LADDERS[category], because: category };
}

function withAutofix(rungs: readonly Rung[], category: Problem["category"]): readonly Rung[] {
  const [first] = LADDERS[category];
  return first?.engine === "autofix" ? [first, ...rungs] : rungs;
}

/** A wrong value, and nothing thrown by the code itself. */
function isSilent({ category }: Problem, { failures }: RouteFacts): boolean {
  if (category !== "assertion_error" && category !== "test_failure") return false;
  return failures.some(({ expected, actual }) => expected !== null || actual !== null);
}

// papers §12.4: a test that runs longer cannot be run for every hypothesis.
const LONGEST_TRACED_MS = 300_000;

function isEligible(engine: EngineName, problem: Problem, facts: RouteFacts): boolean {
  if (engine === "fixagent") return isLocated(problem, facts);
  if (engine === "tracerepair")
    return facts.canRun && (facts.before?.ms ?? 0) <= LONGEST_TRACED_MS && isLocated(problem, facts);
  return true;
}

function isLocated(problem: Problem, { failures }: RouteFacts): boolean {
  return problem.files.length > 0 || failures.some(({ location, stack }) => location !== null || stack.length > 0);
}

function sayStep({ engine, levels }: RouteStep): string {
  return levels === undefined ? engine.name : `${engine.name} (level ${levels.join(", ")})`;
}

/** Attempts at one problem after which another engine is not worth its cost, and why (papers §12.4); null to go on. */
export function whyStop(attempts: readonly Attempt[]): string | null {
  const last = attempts.at(-1);
  if (last?.exit === "upstream") return "the model's endpoint failed, and every other engine needs it too";
  if (last?.exit === "format") return "the model does not answer in the form it is asked for";
  const tried = attempts.filter(({ engine }) => engine !== "autofix");
  if (tried.filter(({ exit }) => exit === "policy").length >= 2) return "two patches were refused by the guard";
  const idle = tried.filter(({ exit }) => exit === "no-change");
  return idle.length >= 2 ? "two engines found nothing to change" : null;
}
