import { packageScriptCalls } from "./package-scripts.ts";
import { programCall } from "./program-call.ts";
import type { ShellWord } from "./shell-words.ts";
import { type InnerScript, intoFolder, type SplitCommand, splitScript } from "./split-script.ts";

/** One command of a script, as a shell would start it, with the folder it would start in. */
export interface SimpleCommand {
  /** Without assignments in front, redirections kept out; e.g. `prettier --check .`. */
  readonly text: string;
  /** Relative to the repository; "" is its root. */
  readonly cwd: string;
  /** Assignments in front of the command, and exported ones before it. */
  readonly env: Readonly<Record<string, string>>;
  /** The commands that led here, outermost first: [`npm run lint`]. */
  readonly via: readonly string[];
}

/** What a repository's files say about its own command names; every answer null when nothing is known. */
export interface CommandFacts {
  /** `scripts` of the package.json in a folder ("" is the root). */
  packageScripts(folder: string): Readonly<Record<string, string>> | null;
  /** The recipe lines of a make target in a folder's Makefile. */
  makeTarget(folder: string, target: string): readonly string[] | null;
}

export const NO_FACTS: CommandFacts = { packageScripts: () => null, makeTarget: () => null };

// Scripts call scripts three or four deep; anything deeper, or wider, goes round in circles.
const MAX_DEPTH = 12;
const MAX_COMMANDS = 400;

/**
 * The simple commands of a script in the order they are written, each name that the repository defines itself (package
 * scripts, make targets, `sh -c`) replaced by what it stands for. A command in a substitution comes before the one that
 * uses its output, with that one in `via`. What cannot be resolved stays as it is. Never throws.
 */
export function simpleCommands(script: string, cwd: string, facts: CommandFacts): readonly SimpleCommand[] {
  const found: SimpleCommand[] = [];
  resolveScript({ script, cwd }, facts, {}, [], found);
  return found;
}

/** The command without whatever starts its program: `npx --no-install prettier --check .` → `prettier --check .`. */
export function withoutRunner(command: string): string {
  const call = programCall(command);
  if (call === null) return command.trim();
  return [call.program, ...call.args.map((word) => word.raw)].join(" ");
}

function resolveScript(
  { script, cwd }: InnerScript,
  facts: CommandFacts,
  env: Readonly<Record<string, string>>,
  via: readonly string[],
  found: SimpleCommand[],
): void {
  for (const command of splitScript(script, cwd)) {
    if (found.length >= MAX_COMMANDS) return;
    const here = { text: command.text, cwd: command.cwd, env: { ...env, ...command.env }, via };
    for (const substitution of command.substitutions) {
      if (via.length < MAX_DEPTH) {
        const users = command.text === "" ? via : [...via, command.text];
        resolveScript({ script: substitution, cwd: command.cwd }, facts, here.env, users, found);
      }
    }
    if (command.text === "") continue;
    const inner = via.length < MAX_DEPTH && !via.includes(command.text) ? handsOverTo(command, facts) : null;
    if (inner === null) found.push(here);
    for (const next of inner ?? []) resolveScript(next, facts, here.env, [...via, command.text], found);
  }
}

/** The scripts a command stands for, or null when it is a program of its own. */
function handsOverTo(command: SplitCommand, facts: CommandFacts): readonly InnerScript[] | null {
  const scripts = packageScriptCalls(command.text, command.cwd, facts);
  if (scripts !== null) return scripts;
  const call = programCall(command.text);
  if (call === null) return null;
  if (call.program === "make" || call.program === "gmake") return makeRecipes(call.args, command.cwd, facts);
  if (["bash", "sh", "dash", "zsh"].includes(call.program)) return shellString(call.args, command.cwd);
  return null;
}

const MAKE_VALUED = new Set(["-f", "-C", "-o", "-W", "-I", "--directory", "--file", "--makefile"]);

function makeRecipes(args: readonly ShellWord[], cwd: string, facts: CommandFacts): readonly InnerScript[] | null {
  let folder = cwd;
  const targets: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const value = args[at]?.value ?? "";
    const joined = /^(?:-C|--directory=)(.+)$/.exec(value)?.[1];
    if (value === "-C" || value === "--directory") folder = intoFolder(folder, args[++at]?.value ?? null);
    else if (joined !== undefined) folder = intoFolder(folder, joined);
    else if (MAKE_VALUED.has(value)) return null;
    else if (!value.startsWith("-") && !/^\w+[:?+]?=/.test(value)) targets.push(value);
  }
  const recipes = targets.map((target) => facts.makeTarget(folder, target));
  if (recipes.length === 0 || recipes.some((lines) => lines === null || lines.length === 0)) return null;
  return recipes.flatMap((lines) => joinContinued(lines ?? []).map((line) => ({ script: line, cwd: folder })));
}

/** Each recipe line runs in a shell of its own; a line ending in a backslash goes on. `$$` is make's way to write `$`. */
function joinContinued(lines: readonly string[]): readonly string[] {
  return lines
    .join("\n")
    .split(/(?<!\\)\n/)
    .map((line) => line.replace(/^\s*[@+-]+\s*/, "").replaceAll("$$", "$"));
}

function shellString(args: readonly ShellWord[], cwd: string): readonly InnerScript[] | null {
  const flag = args.findIndex((word) => /^-[a-z]*c$/.test(word.value));
  const script = args[flag + 1]?.value;
  return flag === -1 || script === undefined ? null : [{ script, cwd }];
}
