import path from "node:path";
import { type ShellWord, shellTokens } from "./shell-words.ts";

/** Words in command position that only lead to the next command. */
const LEADS = new Set(["if", "then", "elif", "else", "while", "until", "do", "{", "!"]);
const CLOSES = new Set(["fi", "done", "esac", "}"]);
const SHELL_STATE = new Set("set shopt export declare local readonly unset trap return break continue :".split(" "));
const ASSIGNMENT = /^([A-Za-z_]\w*)=/;
/** Checkouts of hosted runners: `/home/runner/work/<name>/<name>`, also inside containers. */
const RUNNER_CHECKOUT = /^(?:\/home\/runner\/work|\/Users\/runner\/work|\/__w|[A-Z]:[\\/]a)[\\/][^\\/]+[\\/][^\\/]+/;
const WORKSPACE = /^(?:\$\{?GITHUB_WORKSPACE\}?|\$\{\{\s*github\.workspace\s*\}\})/;

/** A script that a command hands over to, and the folder it runs in. */
export interface InnerScript {
  readonly script: string;
  readonly cwd: string;
}

/** One command of a script and where it would start. */
export interface SplitCommand {
  /** Without assignments in front and redirections; "" when it only assigns. */
  readonly text: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Commands whose output became a part of this one or of its assignments, as scripts. */
  readonly substitutions: readonly string[];
}

interface Folder {
  cwd: string;
  previous: string;
}

/**
 * The commands of a script in the order they are written, whichever of them the shell would really start. `cd`, exported
 * and leading assignments are followed; `if`, `for`, `case` and functions are looked through.
 */
export function splitScript(script: string, cwd: string): readonly SplitCommand[] {
  const commands: SplitCommand[] = [];
  const exported: Record<string, string> = {};
  const folders: Folder[] = [{ cwd: normalFolder(cwd), previous: normalFolder(cwd) }];
  let words: ShellWord[] = [];
  let openCases = 0;
  let inPattern = false;

  const finish = (): void => {
    const folder = folders[folders.length - 1];
    if (folder !== undefined) finishCommand(words, folder, exported, commands);
    words = [];
  };

  for (const token of shellTokens(script)) {
    if (token.kind === "word") {
      const first = words[0]?.value;
      words.push(token.word);
      if (token.word.raw === "esac" && first === undefined) openCases = Math.max(0, openCases - 1);
      inPattern = inPattern && token.word.raw !== "esac";
      if (first === "case" && token.word.raw === "in") {
        openCases++;
        inPattern = true;
        words = [];
      }
      continue;
    }
    if (inPattern) {
      words = [];
      if (token.operator === ")") inPattern = false;
      continue;
    }
    // `name() {`: the words so far name a function, they run nothing.
    if (token.operator === "(" && withoutLeads(words).length > 0) {
      words = [];
      folders.push(top(folders));
      continue;
    }
    finish();
    if (token.operator === "(") folders.push(top(folders));
    if (token.operator === ")" && folders.length > 1) folders.pop();
    if (token.operator === ";;" && openCases > 0) inPattern = true;
  }
  finish();
  return commands;
}

function top(folders: readonly Folder[]): Folder {
  const last = folders[folders.length - 1];
  return { cwd: last?.cwd ?? "", previous: last?.previous ?? "" };
}

function finishCommand(
  all: readonly ShellWord[],
  folder: Folder,
  exported: Record<string, string>,
  commands: SplitCommand[],
): void {
  const words = withoutLeads(all);
  const name = words[0]?.raw;
  if (name === undefined || CLOSES.has(name) || name === "for" || name === "select" || name === "function") {
    // `for x in $(ls)`: the list is made by a command, but nobody can tell what runs with it.
    return;
  }
  const { env, rest } = takeAssignments(words);
  const substitutions = all.flatMap((word) => word.substitutions);
  if (rest[0]?.value === "export" || rest[0]?.value === "declare") Object.assign(exported, takeExports(rest.slice(1)));
  if (changeFolder(rest, folder)) return;
  // They change the shell itself and start nothing; what they substitute still runs.
  const started = SHELL_STATE.has(rest[0]?.value ?? "") ? [] : rest;
  if (started.length === 0 && substitutions.length === 0) return;
  commands.push({
    text: started.map((word) => word.raw).join(" "),
    cwd: folder.cwd,
    env: { ...exported, ...env },
    substitutions,
  });
}

function withoutLeads(words: readonly ShellWord[]): readonly ShellWord[] {
  const start = words.findIndex((word) => !LEADS.has(word.raw));
  return start === -1 ? [] : words.slice(start);
}

function takeExports(words: readonly ShellWord[]): Record<string, string> {
  return takeAssignments(words.filter((word) => ASSIGNMENT.test(word.value))).env;
}

/** Splits `A=1 B=2 command` into its assignments and the command. */
export function takeAssignments(words: readonly ShellWord[]): {
  readonly env: Record<string, string>;
  readonly rest: readonly ShellWord[];
} {
  const env: Record<string, string> = {};
  let at = 0;
  for (const word of words) {
    // Quoted, `"A=1"` is a command of that name.
    const name = ASSIGNMENT.exec(word.raw)?.[1];
    if (name === undefined) break;
    env[name] = word.value.slice(name.length + 1);
    at++;
  }
  return { env, rest: words.slice(at) };
}

/** Follows `cd`, `pushd` and `popd`; true when the command was one of them. */
function changeFolder(words: readonly ShellWord[], folder: Folder): boolean {
  const name = words[0]?.value;
  if (name !== "cd" && name !== "pushd" && name !== "popd") return false;
  const target = words.slice(1).find((word) => !/^-[LPe@]+$|^--$/.test(word.value))?.value;
  const next = name === "popd" || target === "-" ? folder.previous : intoFolder(folder.cwd, target ?? null);
  folder.previous = folder.cwd;
  folder.cwd = next;
  return true;
}

/** The folder that `target` names, seen from `cwd`; `cwd` itself where that cannot be known. */
export function intoFolder(cwd: string, target: string | null): string {
  if (target === null) return cwd;
  const checkout = WORKSPACE.exec(target)?.[0] ?? RUNNER_CHECKOUT.exec(target)?.[0];
  if (checkout !== undefined) return normalFolder(target.slice(checkout.length).replace(/^[\\/]+/, ""));
  if (/[$`~]/.test(target) || path.posix.isAbsolute(target)) return cwd;
  return normalFolder(path.posix.join(cwd, target));
}

function normalFolder(folder: string): string {
  const normal = path.posix.normalize(folder.replaceAll("\\", "/")).replace(/\/+$/, "");
  return normal === "." ? "" : normal;
}
