import path from "node:path";
import type { AskParts } from "../agent/ask.ts";
import { Budget, type BudgetLimits } from "../agent/budget.ts";
import { redactingTranscript } from "../agent/transcript.ts";
import type { Workbench } from "../agent/workbench.ts";
import { isWeather } from "../domain/category.ts";
import type { Check, CheckRun } from "../domain/check.ts";
import type { Evidence, Failure } from "../domain/evidence.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Policy } from "../domain/policy.ts";
import type { Problem } from "../domain/problem.ts";
import type { Switches } from "../domain/switches.ts";
import type { ModelPrice } from "../domain/usage.ts";
import type { ExperienceStore } from "../ports/experience-store.ts";
import type { Git, RepositoryFacts, WorkingCopy } from "../ports/git.ts";
import type { Histories } from "../ports/history.ts";
import type { Llm } from "../ports/llm.ts";
import type { RunStore } from "../ports/run-store.ts";
import type { Sandbox, SandboxRoom } from "../ports/sandbox.ts";
import type { World } from "../ports/world.ts";
import { commitMessage } from "../publish/commit-message.ts";
import { concludeOutcome, endedEarly } from "../repair/conclude.ts";
import type { Engine } from "../repair/engine.ts";
import { leftAlone, withLeftAlone } from "../repair/left-alone.ts";
import { ProblemBudgets } from "../repair/problem-budgets.ts";
import { NOTHING_TOLD } from "../repair/requirement.ts";
import { route } from "../repair/route.ts";
import { type ProblemResult, repairInSequence, type SequenceResult } from "../repair/sequence.ts";
import { loadCommandFacts } from "../tools/command-facts.ts";
import type { CommandFacts } from "../tools/resolve-command.ts";
import type { Tool } from "../tools/tool.ts";
import { type LentFolder, lendFolders } from "../validate/lend.ts";
import type { ReadFailures } from "../validate/run.ts";
import { judgePatch } from "./judge-patch.ts";
import { problemsOf } from "./problems-of.ts";
import { type MemoryScope, Recall } from "./recall.ts";
import { type ContextParts, type RedChange, RepairContexts } from "./repair-context.ts";
import { Reproducer } from "./reproduce.ts";

export interface RepairRequest {
  /** Name of this repair; its folders and transcripts lie under it. */
  readonly id: string;
  readonly evidence: Evidence;
  /** The repository to take the commit from: a clone of the user's, or a bare one of ours. */
  readonly from: string;
  readonly commit: string;
  /** A user's clone whose dependency folders are lent; null when there is nothing to lend. */
  readonly lend: Pick<RepositoryFacts, "root" | "dependencyFolders"> | null;
  readonly policy: Policy;
  readonly switches: Switches;
  /** Whose memory may guide; null leaves memory out. */
  readonly memory: MemoryScope | null;
  /** Dollars; replaces the policy's own. */
  readonly maxUsd: number | null;
  /** Why a problem is left as it is, null to repair it; numbers as people see them, from 1. Every problem is repaired without. */
  readonly leave?: (problem: Problem, number: number) => string | null;
  /** What a person who may write here thinks of it: material for engines that think. */
  readonly hint?: string;
  /** What is known of the change that turned red; only what its history tells when left out. */
  readonly change?: RedChange;
  /** CI will judge the patch, and the repair may go on from what it says: a quarter of the dollars is kept for that. */
  readonly mayGoOn?: boolean;
  /** Once it is aborted the repair winds down, takes its folders away and rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface RepairParts {
  readonly git: Git;
  readonly histories: Histories;
  readonly sandbox: Sandbox;
  readonly llm: Llm | null;
  readonly price: ModelPrice | null;
  readonly runStore: RunStore;
  /** Opens the memory; whoever opens it closes it. */
  readonly openMemory: () => ExperienceStore;
  readonly world: World;
  /** Where working copies are made. */
  readonly workFolder: string;
  /** The engines there are, for a repository with these command names. */
  readonly engines: (facts: CommandFacts, earlierSteps: (check: Check) => readonly Check[]) => readonly Engine[];
  readonly tools: readonly Tool[];
  readonly readFailures: (facts: CommandFacts, tree: string, paths: readonly string[]) => ReadFailures;
  /** Progress for people, one line each. */
  readonly tell: (line: string) => void;
}

export interface Repaired {
  readonly outcome: Outcome;
  /** One for each problem repaired, in order: the tree after it and the message of its commit. */
  readonly commits: readonly { readonly problem: string; readonly tree: string; readonly message: string }[];
  /** Holds the trees; the caller removes it. Null when no working copy was needed. */
  readonly copy: WorkingCopy | null;
  /** Why a person must look at the patch before it is merged. */
  readonly needsPerson: readonly string[];
}

/** The story of a repair (design §2): from organized evidence to a patch that its own checks prove, or the reason why not. */
export async function repairRun(request: RepairRequest, parts: RepairParts): Promise<Repaired> {
  const early = nothingToDo(request.evidence);
  if (early !== null) return { outcome: early, commits: [], copy: null, needsPerson: [] };
  const all = problemsOf(request.evidence, parts.tools);
  const left = leftAlone(all, request.leave ?? (() => null));
  const problems = all.filter(({ id }) => !left.has(id));
  if (problems.length === 0) {
    const outcome = withLeftAlone(endedEarly("not-repaired", ""), all, left);
    return { outcome, commits: [], copy: null, needsPerson: [] };
  }
  parts.tell(`${problems.length} ${problems.length === 1 ? "problem" : "problems"} to repair`);
  const copy = await parts.git.checkout(request.from, request.commit, path.join(parts.workFolder, request.id));
  try {
    const repaired = await repairCopy(request, parts, problems, copy);
    return { ...repaired, outcome: withLeftAlone(repaired.outcome, all, left) };
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

function nothingToDo({ failures }: Evidence): Outcome | null {
  if (failures.length === 0) return endedEarly("nothing-to-repair", "the log shows no failing step");
  if (!failures.every((failure) => isWeather(failure.category))) return null;
  const [first] = failures;
  return endedEarly("not-code", `${first?.category ?? "weather"}: ${first?.message ?? ""}`);
}

async function repairCopy(
  request: RepairRequest,
  parts: RepairParts,
  problems: readonly Problem[],
  copy: WorkingCopy,
): Promise<Repaired> {
  const { evidence, policy, switches, signal } = request;
  signal?.throwIfAborted();
  const lent = request.lend === null ? [] : await lendFolders(request.lend, copy);
  const paths = await copy.listFiles();
  const facts = await loadCommandFacts({ paths, read: (file) => copy.read(copy.base, file) });
  const recall = await openRecall(request, parts, { problems, copy, paths });
  const limits = limitsOf(request);
  const budget = new Budget(limits, parts.price, () => parts.world.monotonicMs());
  const budgets = new ProblemBudgets(budget, limits, problems);
  const { llm } = parts;
  const askFor = llm === null ? null : (one: Problem) => askParts(request, parts, llm, one, budgets.of(one));
  const contexts = openContexts(request, parts, { copy, paths, askFor });
  const room = await parts.sandbox.open(copy.tree);
  try {
    const readFailures = parts.readFailures(facts, copy.tree, paths);
    const reproducer = new Reproducer({
      evidence,
      problems,
      policy,
      facts,
      lent: usable(lent),
      copy,
      room,
      readFailures,
      tools: parts.tools,
      tell: parts.tell,
      ...(signal === undefined ? {} : { signal }),
    });
    const engines = parts
      .engines(facts, (check) => reproducer.earlierSteps(check))
      .filter((engine) => switches.product.deterministicFixers || engine.name !== "autofix");
    const needsPerson = new Set<string>();
    const failuresOf = (problem: Problem): readonly Failure[] =>
      evidence.failures.filter(({ id }) => problem.failures.includes(id));
    const sequence = await repairInSequence(problems, {
      copy,
      failuresOf,
      reproduce: (problem) => reproducer.reproduce(problem),
      route: (problem, { reproduced, before }) => {
        const facts = {
          hasModel: parts.llm !== null,
          canRun: reproduced === "yes",
          failures: failuresOf(problem),
          before,
        };
        const way = route(problem, engines, facts, switches);
        parts.tell(`${problem.id}: ${way.why}`);
        return way;
      },
      contextFor: async (problem, reproduction, handOff) => {
        const guidance = (await recall?.guidanceFor(problem, (await askFor?.(problem)) ?? null)) ?? null;
        const known = await contexts.of(problem, failuresOf(problem), reproduction);
        return { ...known, guidance, handOff, switches };
      },
      ...(signal === undefined ? {} : { signal }),
      exhausted: (problem) => budgets.of(problem).exhausted(),
      benchFor: (problem, engine) =>
        benchFor(request, parts, { problem, engine, copy, room, budget: budgets.of(problem), reproducer }),
      judge: async (problem, engine, reproduction, from) => {
        const judgement = await judgePatch({ problem, engine, reproduction, from, copy, policy, reproducer });
        if (judgement.accepted) for (const reason of judgement.needsPerson) needsPerson.add(reason);
        return judgement;
      },
    });
    const outcome = await conclude(sequence, copy, reproducer, budget);
    const guidance = (await recall?.uses(problems, await guidedPatches(sequence, copy))) ?? [];
    return {
      outcome: { ...outcome, guidance },
      commits: sequence.problems.flatMap((result) => commitOf(result, policy)),
      copy,
      needsPerson: [...needsPerson],
    };
  } finally {
    await room.close();
    await contexts.close();
  }
}

function openContexts(
  { from, switches, change, hint }: RepairRequest,
  { git, histories, tell }: RepairParts,
  work: Pick<ContextParts, "copy" | "paths" | "askFor">,
): RepairContexts {
  const known = change ?? { base: null, told: NOTHING_TOLD, labelled: [] };
  const told = { ...known.told, hint: hint ?? known.told.hint };
  return new RepairContexts({ git, histories, from, change: { ...known, told }, switches, tell, ...work });
}

async function openRecall(
  { memory, switches, evidence }: RepairRequest,
  { openMemory, world, tell }: RepairParts,
  work: { readonly problems: readonly Problem[]; readonly copy: WorkingCopy; readonly paths: readonly string[] },
): Promise<Recall | null> {
  if (memory === null || switches.experience === "none") return null;
  const { problems, copy, paths } = work;
  const store = openMemory();
  try {
    const now = world.now();
    return await Recall.open(problems, store, memory, { evidence, copy, paths, switches, now, tell });
  } finally {
    await store.close();
  }
}

async function askParts(
  request: RepairRequest,
  parts: RepairParts,
  llm: Llm,
  problem: Problem,
  budget: Budget,
): Promise<AskParts> {
  const file = await parts.runStore.openTranscript(request.id, `${problem.id}-questions`);
  const transcript = redactingTranscript(file, parts.world);
  return { llm, budget, transcript, ...(request.signal === undefined ? {} : { signal: request.signal }) };
}

/** What engines that read guidance changed and was kept, by problem. */
async function guidedPatches(sequence: SequenceResult, copy: WorkingCopy): Promise<ReadonlyMap<string, string>> {
  const patches = new Map<string, string>();
  let from = sequence.start;
  for (const { problem, tree } of sequence.problems) {
    if (tree === null) continue;
    const engine = sequence.attempts.findLast((attempt) => attempt.problem === problem.id)?.engine;
    if (engine !== undefined && engine !== "autofix") patches.set(problem.id, await copy.diff(from, tree));
    from = tree;
  }
  return patches;
}

function usable(lent: readonly LentFolder[]): readonly LentFolder[] {
  return lent.filter((folder) => folder.notUsable === null);
}

// papers §12.4: 90 minutes and 400 calls an incident.
const REPAIR_WALL_MS = 90 * 60_000;
const REPAIR_CALLS = 400;

// papers §12.4: kept back for going on from what CI says to the first patch.
const RESERVED_SHARE = 0.25;

function limitsOf({ policy, maxUsd, mayGoOn, switches }: RepairRequest): BudgetLimits {
  const usd = maxUsd ?? policy.limits.usdPerRepair;
  const reserved = mayGoOn === true && switches.product.ciFeedback ? usd * RESERVED_SHARE : 0;
  const { tokensPerRepair } = policy.limits;
  return { usd: usd - reserved, tokens: tokensPerRepair, calls: REPAIR_CALLS, wallMs: REPAIR_WALL_MS };
}

interface BenchWork {
  readonly problem: Problem;
  readonly engine: Engine;
  readonly copy: WorkingCopy;
  readonly room: SandboxRoom;
  readonly budget: Budget;
  readonly reproducer: Reproducer;
}

async function benchFor(request: RepairRequest, parts: RepairParts, work: BenchWork): Promise<Workbench> {
  const { problem, engine, copy, room, budget, reproducer } = work;
  parts.tell(`${problem.id}: ${engine.name} works on ${problem.title}`);
  const file = await parts.runStore.openTranscript(request.id, `${problem.id}-${engine.name}`);
  return {
    copy,
    room,
    llm: parts.llm,
    budget,
    world: parts.world,
    transcript: redactingTranscript(file, parts.world),
    runCheck: (check) => reproducer.run(problem, check),
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  };
}

/** With more than one repair in the tree each distinct check is run once more: a later one may have undone an earlier. */
async function conclude(
  sequence: SequenceResult,
  copy: WorkingCopy,
  reproducer: Reproducer,
  budget: Budget,
): Promise<Outcome> {
  const repaired = sequence.problems.filter((result) => result.state === "repaired");
  const finalRuns: CheckRun[] = [];
  if (repaired.length > 1) {
    for (const { problem, check } of distinctChecks(repaired)) {
      finalRuns.push(await reproducer.run(problem, check));
      await copy.restore(sequence.end);
    }
  }
  const patch = await copy.diff(sequence.start, sequence.end);
  const files = await copy.changedFiles(sequence.start, sequence.end);
  return concludeOutcome({ sequence, finalRuns, patch, files, usage: budget.spent() });
}

function distinctChecks(
  results: readonly ProblemResult[],
): readonly { readonly problem: Problem; readonly check: Check }[] {
  const seen = new Map<string, { problem: Problem; check: Check }>();
  for (const { problem, reproduction } of results) {
    seen.set(`${reproduction.check.cwd}\n${reproduction.check.command}`, { problem, check: reproduction.check });
  }
  return [...seen.values()];
}

function commitOf({ problem, tree, reproduction, why }: ProblemResult, policy: Policy) {
  if (tree === null) return [];
  return [{ problem: problem.id, tree, message: commitMessage(problem, reproduction.check.command, why, policy) }];
}
