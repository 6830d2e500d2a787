import type { Check } from "../../../domain/check.ts";
import type { CommandFacts } from "../../../tools/resolve-command.ts";
import type { Tool } from "../../../tools/tool.ts";

/** One command that mends, ready to be run. */
export interface Fix {
  /** The tool that mends, for people. */
  readonly tool: string;
  /** What people would type: `prettier --write .`. */
  readonly command: string;
  /** The same with what it needs from the step around it. */
  readonly script: string;
  readonly shell: string | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly installs: boolean;
  readonly mayTouch: (path: string) => boolean;
}

export interface FixSources {
  readonly facts: CommandFacts;
  readonly tools: readonly Tool[];
  /** The steps that ran before this check in its job, in order: what a generator may have been. */
  readonly earlierSteps: (check: Check) => readonly Check[];
}
