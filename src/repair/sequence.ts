import type { Workbench } from "../agent/workbench.ts";
import type { Attempt, AttemptExit } from "../domain/attempt.ts";
import type { Check, CheckRow, CheckRun } from "../domain/check.ts";
import type { Failure } from "../domain/evidence.ts";
import type { Reproduced } from "../domain/outcome.ts";
import type { Problem, ProblemState } from "../domain/problem.ts";
import type { TreeId, WorkingCopy } from "../ports/git.ts";
import type { Engine, EngineResult, HandOff, RepairContext, RepairTask } from "./engine.ts";
import { type Route, type RouteStep, whyStop } from "./route.ts";

/** A problem as the failing check shows it here, before anything is changed. */
export interface Reproduction {
  readonly check: Check;
  readonly before: CheckRun | null;
  readonly reproduced: Reproduced;
  readonly reason: string | null;
  /** The check passes as it is, and it ran as in CI. */
  readonly alreadyFixed: boolean;
  /** Signatures in the same check that belong to other problems. */
  readonly otherSignatures: readonly string[];
}

/** What judging a patch in place says: kept or not, and every check that was run for it. */
export interface Judgement {
  readonly accepted: boolean;
  /** The guard refused it. */
  readonly refused: boolean;
  /** No check could be run: neither accepted as proved nor refuted. */
  readonly unproved: boolean;
  readonly why: string;
  readonly checks: readonly CheckRow[];
}

/** What the sequence needs from other stages, handed in by the pipeline. */
export interface SequenceParts {
  readonly copy: WorkingCopy;
  readonly failuresOf: (problem: Problem) => readonly Failure[];
  readonly reproduce: (problem: Problem) => Promise<Reproduction>;
  readonly route: (problem: Problem, reproduction: Reproduction) => Route;
  readonly contextFor: (
    problem: Problem,
    reproduction: Reproduction,
    handOff: HandOff | null,
  ) => Promise<RepairContext>;
  readonly benchFor: (problem: Problem, engine: Engine) => Promise<Workbench>;
  /** The tree holds the patch already; `from` is the tree without it. */
  readonly judge: (problem: Problem, engine: Engine, reproduction: Reproduction, from: TreeId) => Promise<Judgement>;
  /** What the repair of this problem has run out of; null while there is something left. */
  readonly exhausted: (problem: Problem) => "cost" | "time" | null;
  /** Once it is aborted the sequence rejects with its reason: what a stopped command says is no result. */
  readonly signal?: AbortSignal;
}

export interface ProblemResult {
  readonly problem: Problem;
  readonly state: ProblemState;
  readonly reproduction: Reproduction;
  readonly why: string;
  /** The tree after its repair was kept; null when nothing was kept. */
  readonly tree: TreeId | null;
  /** A patch that could not be checked, or the best one that did not pass; never kept. */
  readonly unkept: string | null;
}

export interface SequenceResult {
  readonly problems: readonly ProblemResult[];
  readonly attempts: readonly Attempt[];
  readonly checks: readonly CheckRow[];
  readonly start: TreeId;
  readonly end: TreeId;
}

/**
 * Repairs problems one after another in one working tree, each with fresh engines (RETRACE §3.4). An engine hands its
 * patch over as a value; only here is it put into the tree, judged, and kept or taken out again.
 */
export async function repairInSequence(problems: readonly Problem[], parts: SequenceParts): Promise<SequenceResult> {
  const start = await parts.copy.snapshot();
  const results: ProblemResult[] = [];
  const attempts: Attempt[] = [];
  const checks: CheckRow[] = [];
  let tree = start;
  for (const problem of problems) {
    const step = await repairOne(problem, tree, parts);
    results.push(step.result);
    attempts.push(...step.attempts);
    checks.push(...step.checks);
    tree = step.result.tree ?? tree;
  }
  return { problems: results, attempts, checks, start, end: tree };
}

interface Step {
  readonly result: ProblemResult;
  readonly attempts: readonly Attempt[];
  readonly checks: readonly CheckRow[];
}

async function repairOne(problem: Problem, tree: TreeId, parts: SequenceParts): Promise<Step> {
  const reproduction = await parts.reproduce(problem);
  parts.signal?.throwIfAborted();
  await parts.copy.restore(tree);
  if (reproduction.alreadyFixed) {
    const why = "the failing command passes on this tree";
    const result: ProblemResult = { problem, state: "already_fixed", reproduction, why, tree: null, unkept: null };
    return { result, attempts: [], checks: [rowBefore(problem, reproduction)] };
  }
  const route = parts.route(problem, reproduction);
  const attempts: Attempt[] = [];
  const checks: CheckRow[] = [];
  let unkept: string | null = null;
  let unproved = false;
  let handOff: HandOff | null = null;
  let stopped: string | null = null;
  let shown: readonly string[] | null = null;
  for (const step of route.steps) {
    const { engine } = step;
    parts.signal?.throwIfAborted();
    const bench = await parts.benchFor(problem, engine);
    const answer = await engine.repair(await taskFor(problem, reproduction, handOff, step, parts), bench);
    handOff = answer.handOff ?? handOff;
    await parts.copy.restore(tree);
    parts.signal?.throwIfAborted();
    const tried = await tryPatch(problem, engine, answer, reproduction, tree, parts);
    parts.signal?.throwIfAborted();
    attempts.push(recordAttempt(problem, engine, answer, tried.judgement));
    checks.push(...(tried.judgement?.checks ?? []));
    if (tried.kept !== null) {
      const result = {
        problem,
        state: "repaired",
        reproduction,
        why: answer.why,
        tree: tried.kept,
        unkept: null,
      } as const;
      return { result, attempts, checks };
    }
    // A patch the guard refused is shown to nobody as a proposal.
    if (answer.patch !== null && tried.judgement?.refused !== true) unkept = answer.patch;
    if (tried.judgement?.unproved === true) unproved = true;
    if (unproved) break;
    const same = shown !== null && sameFailures(shown, answer.handOff);
    shown = answer.handOff === undefined ? shown : failuresAfter(answer.handOff);
    stopped = same ? "two engines ended with the very same failures" : (whyStop(attempts) ?? whyOver(problem, parts));
    if (stopped !== null) break;
  }
  if (checks.length === 0) checks.push(rowBefore(problem, reproduction));
  const tried = attempts.map((attempt) => `${attempt.engine}: ${attempt.why}`);
  const why =
    tried.length === 0 ? route.why : [...tried, ...(stopped === null ? [] : [stopped]), ...route.missing].join("; ");
  const result: ProblemResult = {
    problem,
    state: unproved ? "unverified" : "failed",
    reproduction,
    why,
    tree: null,
    unkept,
  };
  return { result, attempts, checks };
}

function whyOver(problem: Problem, { exhausted }: SequenceParts): string | null {
  const out = exhausted(problem);
  if (out === null) return null;
  return out === "cost" ? "the budget of this problem is spent" : "the time of this problem is up";
}

function failuresAfter({ persisting, introduced }: HandOff): readonly string[] {
  return [...persisting, ...introduced].sort();
}

/** The same signatures after another engine: what is left does not yield to this kind of work (papers §12.4). */
function sameFailures(before: readonly string[], handOff: HandOff | undefined): boolean {
  if (handOff === undefined || before.length === 0 || handOff.introduced.length === 0) return false;
  const after = failuresAfter(handOff);
  return after.length === before.length && after.every((signature, at) => signature === before[at]);
}

async function taskFor(
  problem: Problem,
  reproduction: Reproduction,
  handOff: HandOff | null,
  { levels }: RouteStep,
  parts: SequenceParts,
): Promise<RepairTask> {
  const context = await parts.contextFor(problem, reproduction, handOff);
  // A trace may lead the next engine astray as well as help it: off by default (papers §12.1, switch `tr.shareTrace`).
  const traced = handOff === null || context.switches.tr.shareTrace ? handOff : { ...handOff, trace: null };
  return {
    problem,
    failures: parts.failuresOf(problem),
    check: reproduction.check,
    before: reproduction.before,
    otherSignatures: reproduction.otherSignatures,
    context: { ...context, handOff: traced, ...(levels === undefined ? {} : { levels }) },
  };
}

async function tryPatch(
  problem: Problem,
  engine: Engine,
  answer: EngineResult,
  reproduction: Reproduction,
  from: TreeId,
  { copy, judge }: SequenceParts,
): Promise<{ readonly judgement: Judgement | null; readonly kept: TreeId | null }> {
  // `checks`: the engine's own look was not satisfied, but the check may also show other problems; the judge decides.
  if (answer.patch === null || (answer.exit !== "done" && answer.exit !== "checks"))
    return { judgement: null, kept: null };
  const complaint = await copy.apply(answer.patch);
  if (complaint !== null) {
    await copy.restore(from);
    const why = `the patch does not apply: ${complaint}`;
    return { judgement: { accepted: false, refused: false, unproved: false, why, checks: [] }, kept: null };
  }
  const patched = await copy.snapshot();
  const judgement = await judge(problem, engine, reproduction, from);
  await copy.restore(judgement.accepted ? patched : from);
  return { judgement, kept: judgement.accepted ? patched : null };
}

function recordAttempt(problem: Problem, engine: Engine, answer: EngineResult, judgement: Judgement | null): Attempt {
  const exit = exitAfter(answer.exit, judgement);
  const why = judgement === null || judgement.accepted ? answer.why : judgement.why;
  const { steps, usage, trace } = answer;
  const told = { problem: problem.id, engine: engine.name, exit, why, steps, usage };
  return trace === undefined ? told : { ...told, trace };
}

function exitAfter(exit: AttemptExit, judgement: Judgement | null): AttemptExit {
  if (judgement === null) return exit;
  if (judgement.accepted) return "done";
  if (judgement.refused) return "policy";
  return judgement.unproved ? "not-run" : "checks";
}

function rowBefore(problem: Problem, { check, before, reason }: Reproduction): CheckRow {
  return {
    problem: problem.id,
    command: check.command,
    cwd: check.cwd,
    exitBefore: before?.exitCode ?? null,
    exitAfter: null,
    note: check.notRun ?? reason,
  };
}

/** A row of `checks[]` from what a check said before and after. */
export function checkRow(
  problem: string | null,
  check: Check,
  before: CheckRun | null,
  after: CheckRun | null,
  note: string | null,
): CheckRow {
  return {
    problem,
    command: check.command,
    cwd: check.cwd,
    exitBefore: before?.exitCode ?? null,
    exitAfter: after?.exitCode ?? null,
    note,
  };
}
