import { runShellLoop, SHELL_LIMITS, type ShellLimits, type ShellResult } from "../../../agent/shell-loop.ts";
import type { Workbench } from "../../../agent/workbench.ts";
import { addUsage, NO_USAGE } from "../../../domain/usage.ts";
import type { TreeId } from "../../../ports/git.ts";
import type { Llm } from "../../../ports/llm.ts";
import { redact } from "../../../text/redact.ts";
import type { Engine, EngineResult, HandOff, RepairTask } from "../../engine.ts";
import { basePrompt } from "./base-prompt.ts";

const IDLE_STEPS = 15; // papers §2.5: the leaner prompt's guardrail

/**
 * The base engine: one model in HAFixAgent's guarded shell loop, with what history says of the fault in its first prompt
 * (papers §2). Where the check cannot be run here, its `done` means only that the model finished, and `why` says so.
 */
export function baseEngine(limits: ShellLimits = SHELL_LIMITS): Engine {
  return { name: "base", needsModel: true, repair: (task, bench) => repair(task, bench, limits) };
}

async function repair(task: RepairTask, bench: Workbench, limits: ShellLimits): Promise<EngineResult> {
  const { copy, llm } = bench;
  if (llm === null) {
    return { exit: "not-run", why: "no model configured", patch: null, steps: 0, usage: NO_USAGE };
  }
  const start = await copy.snapshot();
  try {
    const steps = Math.min(limits.steps, task.context.maxSteps ?? limits.steps);
    const work = new Work(task, bench, llm, { ...limits, steps }, start);
    const ended = await work.run();
    const patch = await copy.diff(start, ended.tree);
    return resultOf(task, ended, patch === "" ? null : patch);
  } finally {
    await copy.restore(start);
  }
}

/** One attempt: the loop, again with less history where its first prompt was too long, and once without where it only read. */
class Work {
  constructor(
    private readonly task: RepairTask,
    private readonly bench: Workbench,
    private readonly llm: Llm,
    private readonly limits: ShellLimits,
    private readonly start: TreeId,
  ) {}

  async run(): Promise<ShellResult> {
    const { attempt, switches } = this.task.context;
    const { text } = await this.task.context.history({ attempt: attempt ?? 0 });
    const idleSteps = switches.product.leanRestart && text !== "" ? (this.limits.idleSteps ?? IDLE_STEPS) : null;
    const ended = await this.fitting(text, { ...this.limits, idleSteps });
    if (!ended.idle) return ended;
    await this.bench.copy.restore(this.start);
    await this.bench.transcript.append({ kind: "restart", why: ended.why });
    return together(ended, await this.loop("", this.rest(ended)));
  }

  /** Too long for the model before it said a word: the history is cut, then left out (papers §14.1). */
  private async fitting(history: string, limits: ShellLimits): Promise<ShellResult> {
    let ended = await this.loop(history, limits);
    for (const shorter of shortened(history)) {
      if (ended.exit !== "context" || ended.steps > 0) return ended;
      ended = await this.loop(shorter, limits);
    }
    return ended;
  }

  private loop(history: string, limits: ShellLimits): Promise<ShellResult> {
    const { task, llm, bench } = this;
    const { check, before, otherSignatures } = task;
    return runShellLoop({ prompt: basePrompt(task, history), check, before, otherSignatures }, llm, bench, limits);
  }

  private rest({ steps, usage }: ShellResult): ShellLimits {
    const { limits } = this;
    return {
      ...limits,
      steps: limits.steps - steps,
      usd: limits.usd - (usage.usd ?? 0),
      wallMs: limits.wallMs - usage.ms,
      idleSteps: null,
    };
  }
}

function shortened(history: string): readonly string[] {
  return history === "" ? [] : [`${history.slice(0, Math.floor(history.length / 3))}\n… left out`, ""];
}

function together(first: ShellResult, second: ShellResult): ShellResult {
  return { ...second, steps: first.steps + second.steps, usage: addUsage(first.usage, second.usage) };
}

function resultOf(task: RepairTask, ended: ShellResult, patch: string | null): EngineResult {
  const { exit, why, steps, usage } = ended;
  const result = { exit, why, patch, steps, usage };
  return exit === "done" ? result : { ...result, handOff: handOffOf(task, ended, patch) };
}

/** What the attempt leaves to the next engine (papers §12.5). */
function handOffOf(
  { before, context, otherSignatures }: RepairTask,
  ended: ShellResult,
  patch: string | null,
): HandOff {
  const was = before?.signatures ?? [];
  const is = ended.checked?.signatures ?? was;
  const own = was.filter((signature) => !otherSignatures.includes(signature));
  return {
    engine: "base",
    patch,
    // Without the check's word nothing tells a broken build from a failing test.
    score: patch === null ? 0 : 1,
    resolved: own.filter((signature) => !is.includes(signature)),
    persisting: own.filter((signature) => is.includes(signature)),
    introduced: is.filter((signature) => !was.includes(signature)),
    tried:
      ended.said === "" && patch === null ? [] : [{ logic: ended.said || "a change", whyFailed: redact(ended.why) }],
    trace: null,
    located: context.locations,
    analysis: null,
  };
}
