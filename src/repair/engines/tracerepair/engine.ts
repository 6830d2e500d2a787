import { z } from "zod";
import { type AskParts, ask } from "../../../agent/ask.ts";
import { redactingTranscript } from "../../../agent/transcript.ts";
import type { Workbench } from "../../../agent/workbench.ts";
import { NO_USAGE } from "../../../domain/usage.ts";
import type { Engine, EngineResult, HandOff, RepairTask } from "../../engine.ts";
import { sayContext, sayFailures, tracePrompt } from "./case-text.ts";
import { collectTrace } from "./collect-trace.ts";
import { explainTrace } from "./explain-trace.ts";
import { sayFeedback } from "./hypothesis.ts";
import { placeProbes, planProbes } from "./probe-plan.ts";
import { probeLanguageOf } from "./probes/languages.ts";
import { RepairRounds, type RoundLimits, type Rounds } from "./repair-rounds.ts";
import { findTargets, MOST_TARGETS, namedTarget, overlap, type TargetFunction } from "./targets.ts";
import { sayTrace, type Trace } from "./trace.ts";

/** TraceRepair's budget (papers §4.3, §12.4); the wall is the base engine's. */
const LIMITS = { calls: 40, usd: 0.5, tokens: Number.POSITIVE_INFINITY, wallMs: 3_600_000 };
const TEMPERATURE = 1; // TraceRepair
const INSTRUMENTATIONS = 3; // the first and two retries (papers G36)
const STATIC_LIMITS: RoundLimits = { n: 2, debates: 1 }; // without a language adapter (papers §12.4)

/**
 * TraceRepair: probes show where the state of a silent failure goes wrong, three strategies repair by it, and argue until a
 * judge decides. `done` means that the check passed on the patch here; where it cannot be run, only that a repair was chosen.
 */
export function traceRepairEngine(): Engine {
  return { name: "tracerepair", needsModel: true, repair };
}

async function repair(task: RepairTask, bench: Workbench): Promise<EngineResult> {
  const { llm, copy, signal } = bench;
  if (llm === null) return { exit: "not-run", why: "no model configured", patch: null, steps: 0, usage: NO_USAGE };
  const start = await copy.snapshot();
  const budget = bench.budget.part(LIMITS);
  const transcript = redactingTranscript(bench.transcript, bench.world);
  const parts: AskParts = { llm, budget, transcript, ...(signal === undefined ? {} : { signal }) };
  const nothing = { patch: null, steps: 0, usage: budget.spent() };
  try {
    const targets = await locate(task, start, bench, parts);
    if (targets.length === 0) {
      const why = "no function could be found that the failing test goes through";
      return {
        ...nothing,
        exit: budget.exhausted() ?? "no-change",
        why,
        steps: budget.spent().calls,
        usage: budget.spent(),
      };
    }
    const { tr } = task.context.switches;
    const trace = await traceOf(task, targets, bench, parts);
    const { status, tests } = trace;
    await transcript.append({ kind: "trace", status, tests });
    const situation = { task, targets, trace, tr, temperature: TEMPERATURE };
    const rounds = await new RepairRounds(situation, limitsFor(task, trace), bench, parts).run();
    await transcript.append({ kind: "decided", at: rounds.decidedAt, hypothesis: rounds.chosen?.id ?? null });
    const usage = budget.spent();
    return {
      ...endOf(task, rounds, budget.exhausted()),
      ...tell(task, rounds, trace, targets),
      steps: usage.calls,
      usage,
    };
  } catch (error) {
    if (!signal?.aborted) throw error;
    return {
      ...nothing,
      exit: "aborted",
      why: "the work was stopped",
      usage: budget.spent(),
      steps: budget.spent().calls,
    };
  } finally {
    await copy.restore(start);
  }
}

function limitsFor({ context, check }: RepairTask, { status }: Trace): RoundLimits {
  const { n, rMax } = context.switches.tr;
  const blind = status === "unsupported_language" || check.notRun !== null;
  return blind
    ? { n: Math.min(n, STATIC_LIMITS.n), debates: Math.min(rMax, STATIC_LIMITS.debates) }
    : { n, debates: rMax };
}

const Located = z.strictObject({
  functions: z
    .array(z.strictObject({ file: z.string(), name: z.string() }))
    .min(1)
    .max(MOST_TARGETS),
});
const MOST_FILES = 400;

/** What localization or the engine before found; else the model is asked, and held to what the repository has (papers G37). */
async function locate(
  task: RepairTask,
  start: string,
  bench: Workbench,
  parts: AskParts,
): Promise<readonly TargetFunction[]> {
  const known = await findTargets(task, start, bench);
  if (known.length > 0) return known;
  const files = (await bench.copy.listFiles()).filter((file) => probeLanguageOf(file) !== null).slice(0, MOST_FILES);
  const sections = [sayFailures(task.failures), `## Files\n\n${files.join("\n")}`, sayContext(task)];
  const prompt = tracePrompt("locate", "", sections);
  const said = await ask({ name: "tr.locate", prompt, schema: Located }, parts);
  if (!said.answered) return [];
  const found: TargetFunction[] = [];
  for (const { file, name } of said.value.functions) {
    const text = await bench.copy.read(start, file);
    const target = text === null ? null : namedTarget(file, text, name, found.length + 1);
    if (target !== null && !found.some((one) => overlap(one, target))) found.push(target);
  }
  return found;
}

/** Plan, put in, run; with a new plan up to two times more; then without (papers §4.3). */
async function traceOf(
  task: RepairTask,
  targets: readonly TargetFunction[],
  bench: Workbench,
  parts: AskParts,
): Promise<Trace> {
  if (!task.context.switches.tr.trace) return { status: "switched_off", tests: [] };
  if (!targets.some(({ file }) => probeLanguageOf(file) !== null)) return { status: "unsupported_language", tests: [] };
  if (task.check.notRun !== null) return { status: "instrumentation_failed", tests: [] };
  const failing = [...(task.before?.failures ?? []), ...task.failures]
    .filter(({ signature }) => !task.otherSignatures.includes(signature))
    .flatMap(({ testId }) => testId ?? []);
  let again = "";
  for (let attempt = 1; attempt <= INSTRUMENTATIONS; attempt++) {
    const plan = await planProbes(task, targets, again, parts);
    if (!plan.answered) break;
    const placed = placeProbes(plan.value, targets);
    if (!placed.placed) {
      again = placed.why;
      continue;
    }
    const run = { check: task.check, before: task.before, otherSignatures: task.otherSignatures, failing };
    const collected = await collectTrace(placed.files, placed.probes, run, bench);
    if (collected.ended !== "failed") return collected.trace;
    again = collected.why;
    await parts.transcript.append({ kind: "instrumentation", attempt, why: again });
  }
  return { status: "instrumentation_failed", tests: [] };
}

function endOf(
  task: RepairTask,
  { chosen, decidedAt, hypotheses, stopped }: Rounds,
  exhausted: "cost" | "time" | null,
): Pick<EngineResult, "exit" | "why" | "patch"> {
  const patch = chosen === null || chosen.trial.score === 0 ? null : chosen.trial.patch;
  if (chosen?.trial.score === 2) return { exit: "done", why: oneSentence(chosen.proposal.repairLogic), patch };
  const { notRun } = task.check;
  if (notRun !== null && patch !== null && chosen !== null) {
    const why = `${oneSentence(chosen.proposal.repairLogic)}; not verified, the check cannot be run here: ${notRun}`;
    return { exit: "done", why, patch };
  }
  if (exhausted !== null) {
    const what = exhausted === "time" ? "the time for this attempt is over" : "the budget for model calls is spent";
    return { exit: exhausted, why: what, patch };
  }
  if (hypotheses.length === 0) {
    const why = stopped?.why ?? "the model gave no usable repair";
    return { exit: stopped?.because === "upstream" ? "upstream" : "format", why, patch: null };
  }
  const ended = chosen === null ? "" : `; the best one ${sayFeedback(chosen.trial.feedback).split("\n")[0]}`;
  const why = `none of ${hypotheses.length} repairs passed (${decidedAt})${ended}`;
  return { exit: patch === null ? "no-change" : "checks", why, patch };
}

function oneSentence(text: string): string {
  return text.replace(/\s+/g, " ").trim().slice(0, 400);
}

/** What people and the next engine learn from it (papers §12.5). */
function tell(
  task: RepairTask,
  { chosen, hypotheses }: Rounds,
  trace: Trace,
  targets: readonly TargetFunction[],
): Pick<EngineResult, "handOff" | "trace"> {
  const shown = explainTrace(trace, targets, chosen?.proposal ?? null);
  const { tr } = task.context.switches;
  const handOff: HandOff = {
    engine: "tracerepair",
    patch: chosen?.trial.patch ?? null,
    score: chosen?.trial.score ?? 0,
    resolved: chosen?.trial.resolved ?? [],
    persisting: chosen?.trial.persisting ?? [],
    introduced: chosen?.trial.introduced ?? [],
    tried: hypotheses.map(({ proposal, trial }) => ({
      logic: oneSentence(proposal.repairLogic),
      whyFailed: sayFeedback(trial.feedback),
    })),
    trace: tr.shareTrace && trace.status === "collected" ? sayTrace(trace, tr.traceView) : null,
    located: targets.map(({ file, range, fn }) => ({ file, range, fn, source: "locator", score: 1 })),
    analysis: chosen === null ? null : chosen.proposal.rationale,
  };
  return { handOff, ...(shown === null ? {} : { trace: shown }) };
}
