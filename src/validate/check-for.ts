import path from "node:path";
import type { Check } from "../domain/check.ts";
import type { Validation } from "../domain/evidence.ts";
import { type CommandFacts, simpleCommands } from "../tools/resolve-command.ts";
import { downloadOf } from "./downloads.ts";
import { actionOf, commandOfAction } from "./known-actions.ts";

/** What GitHub would have filled in and we could not: `${{ secrets.TOKEN }}`. */
const EXPRESSION = /\$\{\{.*?\}\}/s;

/** The check that stands for a validation: run as CI ran it, or `notRun` says why it cannot be. */
export function checkFor(validation: Validation, facts: CommandFacts): Check {
  const { context } = validation;
  const action = actionOf(validation.command);
  const command = action === null ? validation.command : (commandOfAction(action) ?? validation.command);
  const cwd = path.posix.normalize(context.workingDirectory || ".").replace(/^\.$|\/$/g, "");
  const unknownAction = action !== null && command === validation.command;
  return {
    command,
    cwd,
    shell: action === null ? context.shell : null,
    env: context.env,
    tool: validation.tool,
    installs: !unknownAction && simpleCommands(command, cwd, facts).some(({ text }) => downloadOf(text) !== null),
    validation: validation.id,
    notRun: unknownAction ? `${action} is an action, not a command` : whyNotRun(validation, command, cwd),
  };
}

function whyNotRun({ context, status }: Validation, command: string, cwd: string): string | null {
  if (context.obstacles.length > 0) return context.obstacles.join("; ");
  if (status === "excluded") return "the workflow leaves it out";
  if (command.trim() === "") return "the log does not tell its command";
  if (cwd.startsWith("..") || cwd.startsWith("/")) return `its working directory ${cwd} is outside of the repository`;
  const open = [command, cwd, context.shell ?? "", ...Object.values(context.env)].find((text) => EXPRESSION.test(text));
  if (open !== undefined) return `it needs ${EXPRESSION.exec(open)?.[0]}, which only CI knows`;
  return null;
}
