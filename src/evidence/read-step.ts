import type { FailureClass } from "../domain/category.ts";
import type { StepLog } from "../domain/ci-run.ts";
import { type CommandFacts, type SimpleCommand, simpleCommands } from "../tools/resolve-command.ts";
import type { Diagnostic, Tool } from "../tools/tool.ts";
import { answeringTools } from "./answering-tools.ts";
import { echoedCommands } from "./echoed-commands.ts";
import { oneAfterAnother } from "./parallel-output.ts";
import { readWeather, type Weather } from "./weather.ts";

/** The readers a step's log is put before. */
export interface Readers {
  readonly tools: readonly Tool[];
  readonly readGeneric: (step: StepLog) => readonly Diagnostic[];
  readonly facts: CommandFacts;
}

/** One thing a failed step said, and who read it. */
export interface Finding extends Diagnostic {
  readonly tool: Tool | null;
  readonly class: FailureClass;
  /** Folder of the command that said it, relative to the repository. */
  readonly cwd: string;
}

/** What a failed step says, in the order of its log. `byTool`: a reader that knows the program explained it. */
export interface Reading {
  readonly findings: readonly Finding[];
  readonly byTool: boolean;
}

// Two readers claim the same output when more than this share of the smaller one's lines is the other's too.
const OVERLAP = 0.5;

/**
 * Reads a failed step: the tools its commands name, then those its output fits, then the weather rules, then the generic
 * reader. Weather that ended the step from outside (cancelled, shut down, timed out) wins over all.
 */
export function readStep(log: StepLog, cwd: string, readers: Readers): Reading {
  return readByTools(log, cwd, readers) ?? readApart(log, cwd, readers) ?? readGenerically(log, cwd, readers);
}

function readByTools(log: StepLog, cwd: string, readers: Readers): Reading | null {
  const weather = readWeather(withoutEcho(log));
  if (weather?.fromOutside) return { findings: [weatherFinding(weather, cwd)], byTool: true };
  const commands = commandsOf(log, cwd, readers.facts);
  const answering = commands.map(({ text }) => answeringTools(text, readers.tools));
  const named = readers.tools.flatMap((tool) => {
    const command = commands.find((_, at) => answering[at]?.includes(tool));
    return command === undefined ? [] : read(tool, log, command.cwd);
  });
  if (named.length > 0) return { findings: inOrder(withoutOverlap(named)), byTool: true };
  const fitting = readers.tools.flatMap((tool) => recognised(read(tool, log, cwd)));
  if (fitting.length > 0 && weather === null) return { findings: inOrder(withoutOverlap(fitting)), byTool: true };
  if (weather !== null) return { findings: [weatherFinding(weather, cwd)], byTool: true };
  return null;
}

/** Programs that ran side by side, each on its own. */
function readApart(log: StepLog, cwd: string, readers: Readers): Reading | null {
  const apart = oneAfterAnother(log);
  return apart && readByTools(apart, cwd, readers);
}

function readGenerically(log: StepLog, cwd: string, readers: Readers): Reading {
  const generic = readers.readGeneric(log).map((diagnostic) => toFinding(diagnostic, null, cwd));
  return { findings: inOrder(generic), byTool: false };
}

const TOO_LONG = /^##\[error\].*(?:has exceeded the maximum execution time|has timed out after \d+ minutes)/;
const CANCELLED = /^##\[error\]The operation was canceled\.$/;

/** A job that ran too long is cancelled for it: that is said last, and is not why. */
function withoutEcho(log: StepLog): StepLog {
  if (!log.lines.slice(-20).some(({ text }) => TOO_LONG.test(text.slice(0, 500)))) return log;
  return { ...log, lines: log.lines.filter(({ text }) => !CANCELLED.test(text)) };
}

/** The simple commands that a step ran: those of its script, then those echoed in its log. */
export function commandsOf(
  log: Pick<StepLog, "command" | "lines">,
  cwd: string,
  facts: CommandFacts,
): readonly SimpleCommand[] {
  const scripted = log.command === null ? [] : simpleCommands(log.command, cwd, facts);
  const echoed = echoedCommands(log).flatMap((command) => simpleCommands(command, cwd, facts));
  return [...scripted, ...echoed];
}

/**
 * What a tool read in a log that does not name it: taken for its words only where it found something of its own, a rule,
 * a place or a test. Bare messages may be any program's.
 */
function recognised(findings: readonly Finding[]): readonly Finding[] {
  return findings.some(({ rule, location, testId }) => rule != null || location != null || testId != null)
    ? findings
    : [];
}

function read(tool: Tool, log: StepLog, cwd: string): Finding[] {
  return tool.read(log).map((diagnostic) => toFinding(diagnostic, tool, cwd));
}

function toFinding(diagnostic: Diagnostic, tool: Tool | null, cwd: string): Finding {
  return { ...diagnostic, tool, class: diagnostic.category ?? tool?.category ?? "unknown", cwd };
}

function weatherFinding(weather: Weather, cwd: string): Finding {
  return { message: weather.message, lines: weather.lines, tool: null, class: weather.class, cwd };
}

/** Where two tools read the same lines, the one that explains more of them stays. */
function withoutOverlap(findings: readonly Finding[]): readonly Finding[] {
  const lines = new Map<Tool | null, Set<number>>();
  for (const finding of findings) {
    const claimed = lines.get(finding.tool) ?? new Set();
    for (const line of finding.lines) claimed.add(line);
    lines.set(finding.tool, claimed);
  }
  // Equal claims: the earlier row of the list of tools, which is asked first.
  const ranked = [...lines].sort((a, b) => b[1].size - a[1].size);
  const kept: [Tool | null, Set<number>][] = [];
  for (const [tool, claimed] of ranked) {
    const shared = kept.some(
      ([, other]) => [...claimed].filter((line) => other.has(line)).length > claimed.size * OVERLAP,
    );
    if (!shared) kept.push([tool, claimed]);
  }
  const winners = new Set(kept.map(([tool]) => tool));
  return findings.filter((finding) => winners.has(finding.tool));
}

function inOrder(findings: readonly Finding[]): readonly Finding[] {
  return [...findings].sort((a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0));
}
