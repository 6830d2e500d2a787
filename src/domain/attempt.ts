import type { Usage } from "./usage.ts";

export const ENGINES = ["autofix", "base", "fixagent", "tracerepair", "external"] as const;
export type EngineName = (typeof ENGINES)[number];

/** How an engine's work on one problem ended. */
export type AttemptExit =
  | "done" // it says it is finished and the last check after the last edit passed
  | "steps"
  | "cost"
  | "time"
  | "format"
  | "context"
  | "no-rule" // autofix knows no fixer for this command
  | "no-change"
  | "policy" // the guard refused the patch
  | "checks" // the patch did not make the check pass
  | "upstream" // the model or its endpoint failed
  | "not-run" // the sandbox or the setup could not run what it needs
  | "aborted";

/** One engine on one problem. */
export interface Attempt {
  readonly problem: string;
  readonly engine: EngineName;
  readonly exit: AttemptExit;
  readonly why: string;
  readonly steps: number;
  readonly usage: Usage;
  /** The runtime trace that shows the failure, for people; redacted. Left out by engines that record none. */
  readonly trace?: string;
}
