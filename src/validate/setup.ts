import type { Check } from "../domain/check.ts";
import type { Validation } from "../domain/evidence.ts";
import type { SandboxRoom } from "../ports/sandbox.ts";
import { type CommandFacts, simpleCommands } from "../tools/resolve-command.ts";
import { checkFor } from "./check-for.ts";
import { type Download, downloadOf, prefetchFor } from "./downloads.ts";
import { launch, SETUP_TIMEOUT_MS } from "./run.ts";

/** One thing to do before checks can run: with network, once (design §9). */
export interface SetupStep {
  readonly check: Check;
  /** When it fails, the check may still say what it said in CI. */
  readonly mayFail: boolean;
  readonly timeoutMs: number;
}

// A step of unknown purpose may wait for something that will never come here.
const UNKNOWN_STEP_TIMEOUT_MS = 120_000;

export interface SetupFacts {
  readonly commands: CommandFacts;
  /** Folders lent from the clone, relative to the root. */
  readonly lent: readonly string[];
  /** The repository's own `validate.setup`; replaces the workflow's steps when there are any. */
  readonly policySetup: readonly string[];
}

/**
 * What must be done before `target` can be run: the job's earlier steps that install, and those whose purpose is not
 * known (they may, but need not, succeed here); last, what the target itself would download. `earlier` are the job's
 * validations before the target, in order. A step that a lent folder makes needless has the reason in `check.notRun`.
 */
export function planSetup(target: Check, earlier: readonly Validation[], facts: SetupFacts): readonly SetupStep[] {
  const own = facts.policySetup.map((command) => ({
    check: policyCheck(command, true),
    mayFail: false,
    timeoutMs: SETUP_TIMEOUT_MS,
  }));
  const steps = own.length > 0 ? own : earlier.flatMap((validation) => setupStep(validation, facts));
  return [...steps, ...prefetches(target, facts)];
}

function setupStep(validation: Validation, facts: SetupFacts): SetupStep[] {
  const installs = validation.kind === "install" || isInstalling(validation, facts.commands);
  if (!installs && validation.kind !== "other") return [];
  const check = { ...checkFor(validation, facts.commands), installs: true };
  const how = { mayFail: !installs, timeoutMs: installs ? SETUP_TIMEOUT_MS : UNKNOWN_STEP_TIMEOUT_MS };
  if (check.notRun !== null) return [{ check, ...how }];
  const folder = lentInstead(check, facts);
  const notRun = folder === null ? null : `${folder} was lent from the clone`;
  return [{ check: { ...check, notRun }, ...how }];
}

function isInstalling(validation: Validation, facts: CommandFacts): boolean {
  const commands = simpleCommands(validation.command, validation.context.workingDirectory, facts);
  return commands.some(({ text }) => downloadOf(text) !== null);
}

/** The lent folder that all of a check's installing commands would fill; null when one of them fills another, or none. */
function lentInstead(check: Check, { commands, lent }: SetupFacts): string | null {
  const folders = simpleCommands(check.command, check.cwd, commands).flatMap(({ text, cwd }) => {
    const download = downloadOf(text);
    return download === null ? [] : [lent.find((folder) => fillsFolder(folder, cwd, download)) ?? null];
  });
  return folders.includes(null) ? null : (folders[0] ?? null);
}

function fillsFolder(lent: string, cwd: string, { fills, active }: Download): boolean {
  const name = (fills ?? []).find((fill) => lent === fill || lent.endsWith(`/${fill}`));
  if (name === undefined) return false;
  const parent = lent.slice(0, -name.length).replace(/\/$/, "");
  return cwd === parent || (active && (parent === "" || cwd.startsWith(`${parent}/`)));
}

function prefetches(target: Check, { commands }: SetupFacts): SetupStep[] {
  if (target.notRun !== null || target.installs) return [];
  const found = new Map<string, SetupStep>();
  for (const { text, cwd, env } of simpleCommands(target.command, target.cwd, commands)) {
    const command = prefetchFor(text);
    if (command === null) continue;
    const check = {
      ...target,
      command,
      cwd,
      env: { ...target.env, ...env },
      shell: null,
      installs: true,
      validation: null,
    };
    found.set(`${cwd}\n${command}`, { check, mayFail: true, timeoutMs: SETUP_TIMEOUT_MS });
  }
  return [...found.values()];
}

/** A command from the repository's settings: run at the root, in the default shell. */
export function policyCheck(command: string, installs: boolean): Check {
  return { command, cwd: "", shell: null, env: {}, tool: null, installs, validation: null, notRun: null };
}

export type SetupResult =
  | { readonly ended: "ready"; readonly notes: readonly string[] }
  | { readonly ended: "failed"; readonly why: string; readonly outputTail: string; readonly notes: readonly string[] };

// What went wrong stands at the end; this is what a person reads of it.
const TAIL_CHARACTERS = 4_000;

/** Does the steps in order, with network; stops at the first that fails and must not. Never throws for what a step does. */
export async function runSetup(
  room: SandboxRoom,
  steps: readonly SetupStep[],
  signal?: AbortSignal,
): Promise<SetupResult> {
  const notes: string[] = [];
  for (const { check, mayFail, timeoutMs } of steps) {
    const name = firstLine(check.command);
    if (check.notRun !== null) {
      notes.push(`setup: ${name}: not run, ${check.notRun}`);
      continue;
    }
    const ran = await launch(room, check, timeoutMs, signal);
    if (ran.exitCode === 0) continue;
    const why = `setup: ${name}: ${ran.notRun ?? endedHow(ran.exitCode, ran.timedOut)}`;
    if (!mayFail) return { ended: "failed", why, outputTail: ran.output.slice(-TAIL_CHARACTERS), notes };
    notes.push(why);
  }
  return { ended: "ready", notes };
}

function endedHow(exitCode: number | null, timedOut: boolean): string {
  if (timedOut) return "did not end in time";
  return exitCode === null ? "was ended by a signal" : `exit code ${exitCode}`;
}

function firstLine(command: string): string {
  return command.trim().split("\n")[0] ?? "";
}
