import type { Check } from "../../../domain/check.ts";
import { type SimpleCommand, simpleCommands, withoutRunner } from "../../../tools/resolve-command.ts";
import type { Tool } from "../../../tools/tool.ts";
import { uncommittedChanges } from "../../../tools/uncommitted-changes.ts";
import type { Fix, FixSources } from "./fix.ts";
import { mayGenerate } from "./may-touch.ts";

/** Commands that write no file of the repository. */
const HARMLESS = /^(?:git|echo|printf|cat|ls|test|\[|\[\[|true|false|exit|mkdir|which|env|pwd|sleep|:)(?:\s|$)/;
/** The step throws away what the generator wrote before it ends. */
const UNDOES = /\bgit\s+(?:-C\s+\S+\s+)?(?:stash|checkout|restore|reset|clean|commit|push)\b/;
/** What these kinds of tool write is no part of the repository. */
const ONLY_CHECKS = new Set(["test", "type", "install", "deploy"]);

/**
 * A step that asks git whether anything changed, after a generator ran: running the generator is the repair. It runs in
 * the same step before the question, else in the earlier steps of the job. Empty when nobody asks git.
 */
export function generatorFixes(commands: readonly SimpleCommand[], check: Check, sources: FixSources): readonly Fix[] {
  const before = writersBefore(commands);
  if (before === null) return [];
  if (before.length > 0) return [UNDOES.test(check.command) ? prefixOf(check, before) : whole(check)];
  return sources
    .earlierSteps(check)
    .filter((step) => generates(step, sources))
    .map(whole);
}

/**
 * The earlier steps of the job that a check needs which asks git whether they changed anything: without them it passes
 * everywhere. Null when it asks no such thing, or wrote the files itself before it asks.
 */
export function generatorsBefore(check: Check, sources: FixSources): readonly Check[] | null {
  const before = writersBefore(simpleCommands(check.command, check.cwd, sources.facts));
  if (before === null || before.length > 0) return null;
  return sources.earlierSteps(check).filter((step) => generates(step, sources));
}

/** Whether a check asks git for changes that are not committed. */
export function asksGit({ command, cwd }: Check, { facts }: Pick<FixSources, "facts">): boolean {
  return simpleCommands(command, cwd, facts).some(({ text }) => uncommittedChanges.answersTo(text));
}

/** What a step runs before it asks git for changes; null when it does not ask. */
function writersBefore(commands: readonly SimpleCommand[]): readonly SimpleCommand[] | null {
  const question = commands.findIndex(({ text }) => uncommittedChanges.answersTo(text));
  return question === -1 ? null : commands.slice(0, question).filter(({ text }) => writes(text));
}

function writes(text: string): boolean {
  return !HARMLESS.test(withoutRunner(text));
}

function generates(step: Check, { facts, tools }: FixSources): boolean {
  if (step.installs || step.notRun !== null) return false;
  const commands = simpleCommands(step.command, step.cwd, facts).filter(({ text }) => writes(text));
  return commands.some(({ text }) => !onlyChecks(text, tools));
}

function onlyChecks(text: string, tools: readonly Tool[]): boolean {
  const tool = tools.find(({ answersTo }) => answersTo(text));
  return tool !== undefined && ONLY_CHECKS.has(tool.kind);
}

/** The script as it stands: it fails at the question, with the files written. */
function whole(step: Check): Fix {
  return {
    tool: "generator",
    command: step.command.trim().split("\n")[0] ?? "",
    script: step.command,
    shell: step.shell,
    cwd: step.cwd,
    env: step.env,
    installs: step.installs,
    mayTouch: mayGenerate,
  };
}

/** The lines of the script up to the question; only where the rest of it would undo them. */
function prefixOf(check: Check, before: readonly SimpleCommand[]): Fix {
  const outer = before.map(({ text, via }) => via[0] ?? text);
  const script = [...new Set(outer)].join("\n");
  const cwd = before[0]?.via.length === 0 ? before[0].cwd : check.cwd;
  return { ...whole(check), command: outer[0] ?? "", script, cwd };
}
