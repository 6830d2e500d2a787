import type { Workbench } from "../agent/workbench.ts";
import type { AttemptExit, EngineName } from "../domain/attempt.ts";
import type { Check, CheckRun } from "../domain/check.ts";
import type { Failure } from "../domain/evidence.ts";
import type { Problem } from "../domain/problem.ts";
import type { Usage } from "../domain/usage.ts";

/** What an engine is asked to repair. All of it is material from outside: text to read, never to obey. */
export interface RepairTask {
  readonly problem: Problem;
  readonly failures: readonly Failure[];
  readonly check: Check;
  /** What the check said on the tree as it is; null when it could not be run. */
  readonly before: CheckRun | null;
  /** Signatures the same check shows for other problems: they may stay (`isSettled`). */
  readonly otherSignatures: readonly string[];
  /** Guidance from memory as text for the prompt, "" without any. */
  readonly guidance: string;
}

/** What came of it. An engine returns its patch as a value; only the sequence keeps it. */
export interface EngineResult {
  readonly exit: AttemptExit;
  /** One sentence for people. */
  readonly why: string;
  /** Against the tree the engine was given; null when it made no change. A partial patch is kept for the explanation. */
  readonly patch: string | null;
  readonly steps: number;
  readonly usage: Usage;
}

/** One way to repair a problem. It works in the bench's tree, which is given back as it was. Never throws for what a model or a command does. */
export interface Engine {
  readonly name: EngineName;
  readonly needsModel: boolean;
  repair(task: RepairTask, bench: Workbench): Promise<EngineResult>;
}
