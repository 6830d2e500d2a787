import type { Workbench } from "../agent/workbench.ts";
import type { AttemptExit, EngineName } from "../domain/attempt.ts";
import type { Check, CheckRun } from "../domain/check.ts";
import type { Failure } from "../domain/evidence.ts";
import type { BugShape, FaultLocation, HistoryContext, HistoryHeuristic } from "../domain/fault.ts";
import type { Guidance } from "../domain/guidance.ts";
import type { Problem } from "../domain/problem.ts";
import type { Switches } from "../domain/switches.ts";
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
  readonly context: RepairContext;
}

/** FixAgent's repair levels (papers §3.4). */
export type FaLevel = 1 | 2 | 3;

/** What is known about a problem beyond its log. */
export interface RepairContext {
  /** What memory says, null without any. */
  readonly guidance: Guidance | null;
  /** Best first, at most 12 (papers §2.2). */
  readonly locations: readonly FaultLocation[];
  /**
   * What history says about these lines; each heuristic is looked up once. Without `heuristic` the one that the switches and
   * the fault's shape ask for; `attempt` counts from 0 and takes the other of the pair when it is 1 (papers §2.5). Never rejects.
   */
  history(ask: { readonly heuristic?: HistoryHeuristic; readonly attempt?: number }): Promise<HistoryContext>;
  /** How far the fault spreads; left out where no history was looked at. */
  readonly shape?: BugShape;
  /** Failing test's words, pull request and issue text, at most 1,000 tokens; null when there is none or it is switched off. */
  readonly requirement: string | null;
  /** What the engine before this one found out; null for the first. */
  readonly handOff: HandOff | null;
  /** Levels of FixAgent that this rung of the ladder stands for (FA1, FA2, FA3); up to the switches' highest when left out. */
  readonly levels?: readonly FaLevel[];
  /** Which attempt of this engine at the problem it is, from 0; a later one takes another view of the history. 0 when left out. */
  readonly attempt?: number;
  /** At most so many steps, where a problem is not worth more; the engine's own limit when left out. */
  readonly maxSteps?: number;
  readonly switches: Switches;
}

/** What one engine leaves to the next and to people when it did not do it (papers §12.5). */
export interface HandOff {
  readonly engine: EngineName;
  /** Its best candidate against the tree it was given. */
  readonly patch: string | null;
  readonly score: 0 | 1 | 2;
  readonly resolved: readonly string[];
  readonly persisting: readonly string[];
  readonly introduced: readonly string[];
  /** What was tried and why it failed. */
  readonly tried: readonly { readonly logic: string; readonly whyFailed: string }[];
  /** Runtime trace as text, redacted. */
  readonly trace: string | null;
  readonly located: readonly FaultLocation[];
  /** Analysis for the maintainer. */
  readonly analysis: string | null;
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
  /** Left out by engines that found out nothing worth telling. */
  readonly handOff?: HandOff;
  /** The runtime trace that shows the failure, for people; redacted. */
  readonly trace?: string;
}

/** One way to repair a problem. It works in the bench's tree, which is given back as it was. Never throws for what a model or a command does. */
export interface Engine {
  readonly name: EngineName;
  readonly needsModel: boolean;
  repair(task: RepairTask, bench: Workbench): Promise<EngineResult>;
}
