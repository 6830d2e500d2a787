import type { Budget, BudgetLimits } from "../../../agent/budget.ts";
import type { Workbench } from "../../../agent/workbench.ts";
import type { AttemptExit } from "../../../domain/attempt.ts";
import { NO_USAGE } from "../../../domain/usage.ts";
import type { TreeId } from "../../../ports/git.ts";
import type { Llm } from "../../../ports/llm.ts";
import type { References } from "../../../ports/references.ts";
import { redact } from "../../../text/redact.ts";
import type { Engine, EngineResult, FaLevel, HandOff, RepairTask } from "../../engine.ts";
import type { Team } from "./ask-role.ts";
import { better, isPlausible, type Tried, type Work } from "./assembly-line.ts";
import { readBug } from "./bug.ts";
import { BugTools } from "./bug-tools.ts";
import { changeLogs } from "./change-logs.ts";
import { refine, runLevel } from "./levels.ts";

/** What a problem may cost here (papers §12.4: one dollar and an hour; the tokens bind where no price is set). */
const LIMITS: BudgetLimits = { usd: 1, tokens: 1_000_000, calls: 120, wallMs: 60 * 60_000 };

const FIRST_TEMPERATURE = 0.2; // papers G24
const LATER_TEMPERATURE = 0.8;

export interface FixAgentOptions {
  /** Instead of what installed dependencies bring along. */
  readonly references?: References;
  readonly limits?: BudgetLimits;
}

/**
 * FixAgent: seven roles on an assembly line, three levels, each tested before the next, then refinement in reverse order
 * (papers §3). The first patch that passes ends it. When none does, the best one and FixerPro's analysis are handed over.
 */
export function fixAgentEngine(options: FixAgentOptions = {}): Engine {
  return { name: "fixagent", needsModel: true, repair: (task, bench) => repair(task, bench, options) };
}

async function repair(task: RepairTask, bench: Workbench, options: FixAgentOptions): Promise<EngineResult> {
  if (bench.llm === null) return nothing("not-run", "no model configured");
  const files = await suspects(task, bench);
  if (files.length === 0) return nothing("no-change", "nothing says which file is at fault");
  const start = await bench.copy.snapshot();
  try {
    return await new Case(task, bench, bench.llm, start, options).debug(files);
  } finally {
    await bench.copy.restore(start);
  }
}

/** Files that may hold the fault, best first (papers G25), as far as the tree has them. */
async function suspects({ problem, context }: RepairTask, { copy }: Workbench): Promise<readonly string[]> {
  const there = new Set(await copy.listFiles());
  const named = [
    ...context.locations.map(({ file }) => file),
    ...(context.handOff?.located ?? []).map(({ file }) => file),
    ...problem.files,
    ...(context.guidance?.suspected ?? []).map(({ path }) => path),
  ];
  return [...new Set(named)].filter((file) => there.has(file));
}

class Case {
  private steps = 0;
  private stopped: { readonly exit: AttemptExit; readonly why: string } | null = null;
  private best: Tried | null = null;
  private readonly tried: Tried[] = [];
  private readonly budget: Budget;
  private readonly tools: BugTools;
  private readonly references: References;

  constructor(
    private readonly task: RepairTask,
    private readonly bench: Workbench,
    private readonly llm: Llm,
    private readonly start: TreeId,
    options: FixAgentOptions,
  ) {
    this.budget = bench.budget.part(options.limits ?? LIMITS);
    this.tools = new BugTools(task.check, bench, task.context.switches.fa.tools);
    this.references = options.references ?? changeLogs(bench.room);
  }

  /** Debug(k, m) of papers §3.4: k rounds over the levels, another file in each (papers G20, G25). */
  async debug(files: readonly string[]): Promise<EngineResult> {
    const { fa } = this.task.context.switches;
    for (let round = 0; round < fa.k && this.stopped === null; round++) {
      const file = files[round % files.length] ?? "";
      const code = await this.bench.copy.read(this.start, file);
      if (code === null) continue;
      const history = await this.task.context.history({ attempt: round });
      const work = this.work(file, code, history.text, round);
      await this.round(work);
      // A patch that cannot be tested here is not made better by writing another one.
      if (isPlausible(this.best) || this.best?.trial.run === null) break;
    }
    return this.result();
  }

  private async round(work: Work): Promise<void> {
    const { context } = this.task;
    const highest = context.switches.fa.maxLevel;
    const levels = (context.levels ?? ([1, 2, 3] as const)).filter((level: FaLevel) => level <= highest);
    let last = null;
    for (const level of levels) {
      if (work.isOver()) return;
      const pass = await runLevel(level, work, this.references);
      if (pass === null) continue;
      last = pass;
      this.keep(pass.tried);
      if (isPlausible(this.best) || (this.best !== null && this.best.trial.run === null)) return;
    }
    if (last !== null) this.keep(await refine(work, last));
  }

  private keep(tried: Tried | null): void {
    if (tried === null) return;
    this.tried.push(tried);
    this.best = better(this.best, tried);
  }

  private work(file: string, code: string, history: string, round: number): Work {
    const { bench, task, start } = this;
    const team: Team = {
      ask: {
        llm: this.llm,
        budget: this.budget,
        transcript: bench.transcript,
        ...(bench.signal === undefined ? {} : { signal: bench.signal }),
      },
      tools: this.tools,
      temperature: round === 0 ? FIRST_TEMPERATURE : LATER_TEMPERATURE,
      counted: () => {
        this.steps += 1;
      },
      silent: (because, why) => this.note(because, why),
    };
    return {
      task,
      bench,
      bug: readBug(task, file, code, history),
      team,
      start,
      switches: task.context.switches.fa,
      isOver: () => this.isOver(),
    };
  }

  /** An answer that could not be read is one role's bad luck; a budget or an endpoint that is gone ends the work. */
  private note(because: "budget" | "upstream" | "format", why: string): void {
    if (because === "upstream") this.stopped ??= { exit: "upstream", why };
    if (because === "budget") this.stopped ??= { exit: this.budget.exhausted() ?? "cost", why };
  }

  private isOver(): boolean {
    this.bench.signal?.throwIfAborted();
    const out = this.budget.exhausted();
    if (out !== null) this.stopped ??= { exit: out, why: out === "time" ? "its time is up" : "its budget is spent" };
    return this.stopped !== null;
  }

  private result(): EngineResult {
    const common = { steps: this.steps, usage: this.budget.spent() };
    const { best } = this;
    if (best === null) {
      const { exit, why } = this.stopped ?? { exit: "no-change" as const, why: "no usable patch was written" };
      return { ...common, exit, why, patch: null, handOff: this.handOff(null) };
    }
    const patch = best.trial.patch;
    if (best.trial.score === 2) return { ...common, exit: "done", why: sentence(best.logic), patch };
    // Nothing could be run: whoever judges the patch says that it is not proved.
    if (best.trial.run === null) return { ...common, exit: "done", why: sentence(best.logic), patch };
    const failed = this.stopped ?? { exit: "checks" as const, why: best.analysis || best.trial.feedback.message };
    return { ...common, exit: failed.exit, why: sentence(failed.why), patch, handOff: this.handOff(best) };
  }

  private handOff(best: Tried | null): HandOff {
    const { context, before } = this.task;
    return {
      engine: "fixagent",
      patch: best?.trial.patch ?? null,
      score: best?.trial.score ?? 0,
      resolved: best?.trial.resolved ?? [],
      persisting: best?.trial.persisting ?? before?.signatures ?? [],
      introduced: best?.trial.introduced ?? [],
      tried: this.tried.map(({ logic, trial }) => ({ logic: redact(logic), whyFailed: trial.feedback.message })),
      trace: null,
      located: context.locations,
      analysis: best === null || best.analysis === "" ? null : redact(best.analysis),
    };
  }
}

const SENTENCE_CHARACTERS = 400;

function sentence(text: string): string {
  const line = redact(text).replace(/\s+/g, " ").trim();
  return line.length > SENTENCE_CHARACTERS ? `${line.slice(0, SENTENCE_CHARACTERS - 1)}…` : line;
}

function nothing(exit: AttemptExit, why: string): EngineResult {
  return { exit, why, patch: null, steps: 0, usage: NO_USAGE };
}
