import { commitInRoom } from "../../../agent/commit-in-room.ts";
import type { Workbench } from "../../../agent/workbench.ts";
import type { AttemptExit } from "../../../domain/attempt.ts";
import { type CheckRun, isSettled } from "../../../domain/check.ts";
import { NO_USAGE } from "../../../domain/usage.ts";
import { type SandboxResult, SandboxUnavailable } from "../../../ports/sandbox.ts";
import type { Engine, EngineResult, RepairTask } from "../../engine.ts";
import { deriveFixes } from "./derive-fixes.ts";
import type { Fix, FixSources } from "./fix.ts";
import { asksGit } from "./generator-fixes.ts";
import { keepAllowed } from "./keep-allowed.ts";

// Formatting the largest repositories takes a minute; clippy and pre-commit build what they run first.
const FIX_MS = 600_000;
// One fixer may undo another's work (a linter after a formatter): a second round settles it, a third never helped.
const MAX_ROUNDS = 2;
/** A program that is not there, said by runners that exit with a code of their own. */
const MISSING =
  /npx canceled due to missing packages|could not determine executable to run|No module named |Command "[^"]+" not found|npm (?:error|ERR!) code (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED)|ERR_PNPM_RECURSIVE_EXEC_FIRST_FAIL.*ENOENT|can't find gem|command not found/;

export type AutofixParts = Pick<FixSources, "facts" | "tools"> & Partial<Pick<FixSources, "earlierSteps">>;

/**
 * Rung 0 (design §2): the failing check's own fixer, derived from its command, run in the sandbox and proved by the check
 * itself. Takes no model. `earlierSteps` lets it find a generator that ran in a step before the one that asks git.
 */
export function autofixEngine({ facts, tools, earlierSteps = () => [] }: AutofixParts): Engine {
  return {
    name: "autofix",
    needsModel: false,
    repair: (task, bench) => repair(task, bench, { facts, tools, earlierSteps }),
  };
}

async function repair(task: RepairTask, bench: Workbench, sources: FixSources): Promise<EngineResult> {
  const fixes = deriveFixes(task.problem, task.check, sources);
  const started = bench.world.monotonicMs();
  const work = new Work(task, bench, fixes, sources, started);
  if (fixes.length === 0) return work.end("no-rule", "no fixer is known for this command", null);
  const start = await bench.copy.snapshot();
  try {
    return await work.run(start);
  } catch (error) {
    if (error instanceof SandboxUnavailable) return work.end("not-run", error.message, null);
    throw error;
  } finally {
    await bench.copy.restore(start);
  }
}

class Work {
  private steps = 0;
  private missing: string | null = null;
  private stopped: { readonly exit: AttemptExit; readonly why: string } | null = null;

  constructor(
    private readonly task: RepairTask,
    private readonly bench: Workbench,
    private readonly fixes: readonly Fix[],
    private readonly sources: FixSources,
    private readonly started: number,
  ) {}

  async run(start: string): Promise<EngineResult> {
    let patch = "";
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { copy } = this.bench;
      await this.runFixes();
      const now = await copy.diff(start, await copy.snapshot());
      if (this.stopped !== null) return this.end(this.stopped.exit, this.stopped.why, now);
      if (now === "") return this.endUnchanged();
      // A second round that changed nothing has nothing new to prove.
      if (now === patch) break;
      patch = now;
      const { notRun } = this.task.check;
      // As for every engine: `done` without a check means only that the work is done; the judge says it is not proved.
      if (notRun !== null) return this.end("done", `${this.names()}; the check cannot be run here: ${notRun}`, patch);
      const after = await this.check();
      if (isSettled(after, this.task.otherSignatures))
        return this.end("done", `${this.names()}: the check passes`, patch);
      if (after.timedOut) return this.end("checks", "the check did not end in time", patch);
      // The check has written into the tree, and `.git` holds a commit of ours.
      await copy.restore(start);
      await copy.apply(patch);
    }
    return this.end("checks", `${this.names()}: the check still fails`, patch);
  }

  private async runFixes(): Promise<void> {
    const { copy, budget, signal } = this.bench;
    for (const fix of this.fixes) {
      if (signal?.aborted === true) this.stopped = { exit: "aborted", why: "stopped" };
      const spent = budget.exhausted();
      if (spent !== null) this.stopped = { exit: spent, why: "the budget is used up" };
      if (this.stopped !== null) return;
      const before = await copy.snapshot();
      const result = await this.runFix(fix);
      await keepAllowed(copy, before, fix.mayTouch);
      if (isMissing(result)) this.missing ??= fix.command;
      if (result.timedOut) this.stopped = { exit: "time", why: `${fix.command} did not end in time` };
    }
  }

  private async runFix({ script, shell, cwd, env, installs, command }: Fix): Promise<SandboxResult> {
    const { room, budget, signal, transcript } = this.bench;
    this.steps++;
    const result = await room.run({
      script,
      shell,
      cwd,
      env,
      network: installs ? "setup" : "off",
      timeoutMs: Math.max(1, Math.min(FIX_MS, budget.leftMs())),
      ...(signal === undefined ? {} : { signal }),
    });
    const { exitCode, timedOut, ms } = result;
    await transcript.append({ kind: "fix", command, cwd, exitCode, timedOut, ms });
    return result;
  }

  private async check(): Promise<CheckRun> {
    const { check } = this.task;
    if (asksGit(check, this.sources)) await commitInRoom(this.bench.room);
    return this.bench.runCheck(check);
  }

  private endUnchanged(): EngineResult {
    if (this.missing !== null)
      return this.end("not-run", `${this.missing} could not be run: it is not installed here`, null);
    return this.end("no-change", `${this.names()}: nothing to change`, null);
  }

  private names(): string {
    return [...new Set(this.fixes.map(({ command }) => command))].join(", ");
  }

  end(exit: AttemptExit, why: string, patch: string | null): EngineResult {
    const ms = Math.round(this.bench.world.monotonicMs() - this.started);
    return { exit, why, patch: patch === "" ? null : patch, steps: this.steps, usage: { ...NO_USAGE, ms } };
  }
}

/** 127: no such program; 126: it cannot be started. */
function isMissing({ exitCode, output }: SandboxResult): boolean {
  return exitCode === 127 || exitCode === 126 || (exitCode !== 0 && MISSING.test(output));
}
