import { runShellLoop, SHELL_LIMITS, type ShellLimits } from "../../../agent/shell-loop.ts";
import type { Workbench } from "../../../agent/workbench.ts";
import { NO_USAGE } from "../../../domain/usage.ts";
import type { Engine, EngineResult, RepairTask } from "../../engine.ts";
import { basePrompt } from "./base-prompt.ts";

/**
 * The base engine: one model in HAFixAgent's guarded shell loop. Where the check cannot be run here, its `done` means only
 * that the model finished, and `why` says so.
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
    const { check, otherSignatures } = task;
    const shell = { prompt: basePrompt(task), check, before: task.before, otherSignatures };
    const { tree, ...ended } = await runShellLoop(shell, llm, bench, limits);
    const patch = await copy.diff(start, tree);
    return { ...ended, patch: patch === "" ? null : patch };
  } finally {
    await copy.restore(start);
  }
}
