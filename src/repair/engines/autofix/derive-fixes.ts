import type { FailureClass } from "../../../domain/category.ts";
import type { Check } from "../../../domain/check.ts";
import type { ValidationKind } from "../../../domain/evidence.ts";
import type { Problem } from "../../../domain/problem.ts";
import { type SimpleCommand, simpleCommands } from "../../../tools/resolve-command.ts";
import type { Tool } from "../../../tools/tool.ts";
import { uncommittedChanges } from "../../../tools/uncommitted-changes.ts";
import type { Fix, FixSources } from "./fix.ts";
import { fixScript } from "./fix-script.ts";
import { generatorFixes } from "./generator-fixes.ts";
import { mayFormat } from "./may-touch.ts";
import { twinScript } from "./twin-script.ts";

const STYLE: readonly FailureClass[] = ["code_formatting", "linting", "doc_docstring", "unknown"];
const PACKAGES: readonly FailureClass[] = [
  "dependency_issue",
  "package_install_error",
  "configuration_error",
  "unknown",
];
/** Problems that the fixers of a kind of tool may mend when the log did not name the tool. */
const MENDS: Partial<Record<ValidationKind, readonly FailureClass[]>> = {
  format: STYLE,
  lint: STYLE,
  docs: STYLE,
  install: PACKAGES,
};

/**
 * The fixing commands for a problem, in the order of the check's own commands: each derived from the failing command
 * itself; where that gives nothing, the fixing twin that the package offers. Empty when no fixer is known.
 */
export function deriveFixes(problem: Problem, check: Check, sources: FixSources): readonly Fix[] {
  const commands = simpleCommands(check.command, check.cwd, sources.facts).filter(({ cwd }) => isInside(cwd));
  if (problem.tool === uncommittedChanges.name) return generatorFixes(commands, check, sources);
  const derived = commands.flatMap((command) => derivedFix(command, commands, problem, check, sources));
  if (derived.length > 0) return distinct(derived);
  if (isAnswered(problem.tool, commands, sources.tools) && !STYLE.includes(problem.category)) return [];
  const generated = problem.tool === null ? generatorFixes(commands, check, sources) : [];
  if (generated.length > 0) return generated;
  return STYLE.includes(problem.category)
    ? distinct(commands.flatMap((command) => twinFix(command, check, sources)))
    : [];
}

function derivedFix(
  command: SimpleCommand,
  all: readonly SimpleCommand[],
  problem: Problem,
  check: Check,
  { tools }: FixSources,
): Fix[] {
  const named = isAnswered(problem.tool, all, tools);
  for (const tool of tools) {
    if (tool.fix === undefined || !tool.answersTo(command.text)) continue;
    // The log named the tool and it runs here: its neighbours in the step have nothing to do with the problem.
    if (named ? tool.name !== problem.tool : MENDS[tool.kind]?.includes(problem.category) !== true) continue;
    const fixed = tool.fix.derive(command.text);
    if (fixed === null) continue;
    const { mayTouch } = tool.fix;
    return [
      {
        tool: tool.name,
        command: fixed,
        ...fixScript(fixed, command, check),
        installs: tool.fix.installs,
        mayTouch: mayTouch === undefined ? mayFormat : (path) => mayTouch(path),
      },
    ];
  }
  return [];
}

function twinFix(command: SimpleCommand, check: Check, { facts }: FixSources): Fix[] {
  const twin = twinScript(command, facts);
  if (twin === null) return [];
  const where = { ...command, cwd: twin.folder };
  return [
    {
      tool: twin.name,
      command: twin.command,
      ...fixScript(twin.command, where, check),
      installs: false,
      mayTouch: mayFormat,
    },
  ];
}

function isAnswered(tool: string | null, commands: readonly SimpleCommand[], tools: readonly Tool[]): boolean {
  const named = tools.find(({ name }) => name === tool);
  return named !== undefined && commands.some(({ text }) => named.answersTo(text));
}

function isInside(cwd: string): boolean {
  return cwd !== ".." && !cwd.startsWith("../") && !cwd.startsWith("/");
}

/** A command in a substitution is seen twice: on its own and in the one that uses its output. */
function distinct(fixes: readonly Fix[]): readonly Fix[] {
  return fixes.filter((fix, at) => fixes.findIndex((one) => one.cwd === fix.cwd && one.command === fix.command) === at);
}
