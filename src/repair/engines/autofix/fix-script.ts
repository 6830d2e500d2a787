import type { Check } from "../../../domain/check.ts";
import type { SimpleCommand } from "../../../tools/resolve-command.ts";

/** A command with the shell, folder and environment that it needs outside of the step it was taken from. */
export interface RunnableScript {
  readonly script: string;
  readonly shell: string | null;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Makes `text`, derived from `command`, a script of its own: variables of the step, assignments, and the PATH of package scripts. */
export function fixScript(text: string, command: SimpleCommand, check: Check): RunnableScript {
  const own = Object.entries(command.env);
  const fixed = own.filter(([, value]) => !/[$`]/.test(value));
  // A value with `$` in it is the shell's to work out.
  const open = own.filter(([, value]) => /[$`]/.test(value));
  const lines = [
    ...(command.via.length === 0 ? assignmentLines(check.command) : [packagePath(command.cwd)]),
    ...open.map(([name, value]) => `export ${name}="${value.replaceAll('"', '\\"')}"`),
    text,
  ];
  return {
    script: lines.join("\n"),
    shell: posixShell(check.shell),
    cwd: command.cwd,
    env: { ...check.env, ...Object.fromEntries(fixed) },
  };
}

/** Single lines that set a variable which the command may use: `FILES=$(git ls-files '*.py')`. */
function assignmentLines(script: string): readonly string[] {
  const lines = script.split(/\r?\n/);
  return lines.filter((line) => {
    const value = /^(?:export\s+)?[A-Za-z_]\w*=(.*)$/.exec(line)?.[1];
    return value !== undefined && /^(?:"[^"]*"|'[^']*'|\$\([^()]*\)|[^\s"'`;&|()]*)$/.test(value);
  });
}

/** Package managers put the binaries of the package and of every folder above it in front of PATH. */
function packagePath(cwd: string): string {
  const up = cwd === "" ? [] : cwd.split("/").map((_, depth) => "../".repeat(depth + 1));
  const folders = ["", ...up].map((prefix) => `$PWD/${prefix}node_modules/.bin`);
  return `export PATH="${folders.join(":")}:$PATH"`;
}

/** The derived command is a plain shell command, whatever PowerShell or Python step it came from. */
function posixShell(shell: string | null): string | null {
  return shell === null || /^(?:\S*\/)?(?:bash|sh|zsh)\b/.test(shell) ? shell : null;
}
