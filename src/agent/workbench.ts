import type { Check, CheckRun } from "../domain/check.ts";
import type { WorkingCopy } from "../ports/git.ts";
import type { Llm } from "../ports/llm.ts";
import type { SandboxRoom } from "../ports/sandbox.ts";
import type { World } from "../ports/world.ts";
import type { Budget } from "./budget.ts";
import type { Transcript } from "./transcript.ts";

/** Everything an engine may touch while it works on one problem. */
export interface Workbench {
  readonly copy: WorkingCopy;
  readonly room: SandboxRoom;
  /** Null without a configured model. */
  readonly llm: Llm | null;
  readonly budget: Budget;
  readonly world: World;
  readonly transcript: Transcript;
  /** Runs a check on the tree as it is now and reads its output with the evidence stage's own reader. */
  runCheck(check: Check): Promise<CheckRun>;
  readonly signal?: AbortSignal;
}
