import { type ShellWord, shellWords } from "./shell-words.ts";
import { takeAssignments } from "./split-script.ts";

/** A simple command seen as a program with arguments, whatever starts it. */
export interface ProgramCall {
  /** What stands in front of the program, as written: [`npx`, `--no-install`]. */
  readonly runner: readonly string[];
  /** The program as written: `./node_modules/.bin/eslint`, `prettier@3`. */
  readonly written: string;
  /** Its bare name: `eslint`, `prettier`. */
  readonly program: string;
  readonly args: readonly ShellWord[];
}

/** Words that start another program given after them, and their options that take a value. */
interface Runner {
  readonly words: readonly string[];
  readonly valued: readonly string[];
  /** Words that, standing next, are the runner's own commands and no program. */
  readonly own?: ReadonlySet<string>;
  /** Plain words between runner and program: `timeout 60 x`. */
  readonly operands?: number;
}

const PACKAGE_MANAGER_WORDS =
  "access add approve-builds audit bin cache cat-file ci completion config create dedupe deploy dlx " +
  "doctor env exec explore fetch find-dupes fund get global help i import info init install install-test it la " +
  "licenses link list ll ln login logout ls node npm owner outdated pack patch patch-commit patch-remove pm ping pkg " +
  "plugin policies prefix profile prune publish rb rebuild remove restart rm root run run-script search " +
  "self-update server set setup shrinkwrap star start stop store t tag test token un uninstall unlink unpublish " +
  "unplug up update upgrade upgrade-interactive version versions view whoami why workspace workspaces x c create";
/** Commands of npm, pnpm, yarn and bun themselves: what follows the name is no program then. */
export const PACKAGE_MANAGER_COMMANDS: ReadonlySet<string> = new Set(PACKAGE_MANAGER_WORDS.split(" "));

const PNPM_VALUED = ["-C", "--dir", "--filter", "-F", "--reporter", "--loglevel"];

// Longer rows first: `npm exec` before `npm`.
const RUNNERS: readonly Runner[] = [
  { words: ["npx"], valued: ["-p", "--package", "-w", "--workspace", "--prefix"] },
  { words: ["bunx"], valued: ["-p", "--package"] },
  { words: ["bun", "x"], valued: [] },
  { words: ["uvx"], valued: ["--from", "--with", "-p", "--python"] },
  { words: ["npm", "exec"], valued: ["-p", "--package", "-w", "--workspace"] },
  { words: ["npm", "x"], valued: ["-p", "--package", "-w", "--workspace"] },
  { words: ["pnpm", "exec"], valued: PNPM_VALUED },
  { words: ["pnpm", "dlx"], valued: ["--package"] },
  { words: ["pnpx"], valued: ["--package"] },
  { words: ["yarn", "exec"], valued: [] },
  { words: ["yarn", "dlx"], valued: ["-p", "--package"] },
  { words: ["yarn", "run"], valued: [] },
  { words: ["pnpm"], valued: PNPM_VALUED, own: PACKAGE_MANAGER_COMMANDS },
  { words: ["yarn"], valued: ["--cwd"], own: PACKAGE_MANAGER_COMMANDS },
  { words: ["corepack"], valued: [], own: new Set(["enable", "disable", "prepare", "install", "use", "up", "pack"]) },
  { words: ["poetry", "run"], valued: ["-C", "--directory", "-P"] },
  { words: ["pipenv", "run"], valued: [] },
  { words: ["pdm", "run"], valued: ["-p", "--project"] },
  { words: ["rye", "run"], valued: [] },
  { words: ["hatch", "run"], valued: [] },
  {
    words: ["uv", "run"],
    valued: ["--group", "--extra", "--with", "--python", "-p", "--package", "--project", "--directory", "--env-file"],
  },
  { words: ["uv", "tool", "run"], valued: ["--from", "--with"] },
  { words: ["pipx", "run"], valued: ["--spec"] },
  { words: ["conda", "run"], valued: ["-n", "--name", "-p", "--prefix"] },
  { words: ["bundle", "exec"], valued: [] },
  { words: ["rustup", "run"], valued: [], operands: 1 },
  { words: ["dotnet", "tool", "run"], valued: [] },
  { words: ["composer", "exec"], valued: [] },
  { words: ["mise", "exec"], valued: [] },
  { words: ["mise", "x"], valued: [] },
  { words: ["direnv", "exec"], valued: [], operands: 1 },
  { words: ["sudo"], valued: ["-u", "-g"] },
  { words: ["env"], valued: ["-u", "-C"] },
  { words: ["cross-env"], valued: [] },
  { words: ["cross-env-shell"], valued: [] },
  { words: ["dotenv"], valued: ["-e", "-c"] },
  { words: ["time"], valued: [] },
  { words: ["nice"], valued: ["-n"] },
  { words: ["exec"], valued: [] },
  { words: ["command"], valued: [] },
  { words: ["timeout"], valued: ["-s", "-k"], operands: 1 },
  { words: ["xvfb-run"], valued: ["-s", "-n", "-e"] },
  { words: ["dbus-run-session"], valued: [] },
];

// `xargs` and `find -exec` are left alone: their program gets arguments that the command does not show.

// Some dozens of tools ask for the same command one after another.
let latest: { readonly command: string; readonly call: ProgramCall | null } | null = null;

/** The program of a simple command and what starts it; null for an empty command. */
export function programCall(command: string): ProgramCall | null {
  if (latest?.command !== command) latest = { command, call: takeApart(command) };
  return latest.call;
}

function takeApart(command: string): ProgramCall | null {
  const words = shellWords(command);
  let start = skipAssignments(words, 0);
  // Each runner takes at least one word, so this ends.
  for (let next = afterRunner(words, start); next !== null; next = afterRunner(words, start)) {
    start = skipAssignments(words, next);
  }
  const program = words[start];
  if (program === undefined) return null;
  return {
    runner: words.slice(0, start).map((word) => word.raw),
    written: program.raw,
    program: bareName(program.value),
    args: words.slice(start + 1),
  };
}

/** The command with other arguments, everything in front of them as it was. */
export function withArgs(call: ProgramCall, args: readonly string[]): string {
  return [...call.runner, call.written, ...args].join(" ");
}

function skipAssignments(words: readonly ShellWord[], from: number): number {
  return words.length - takeAssignments(words.slice(from)).rest.length;
}

/** Where the program starts that the runner at `from` starts; null when there is no runner, or nothing after it. */
function afterRunner(words: readonly ShellWord[], from: number): number | null {
  const python = afterPythonModule(words, from);
  if (python !== null) return python;
  // Once, and not for each of some dozens of runners: every tool asks this of every command.
  const name = bareName(words[from]?.value ?? "");
  for (const runner of RUNNERS) {
    const at = runner.words[0] === name ? afterThisRunner(words, from, runner) : null;
    if (at !== null) return at;
  }
  return null;
}

function afterPythonModule(words: readonly ShellWord[], from: number): number | null {
  if (!/^(?:.*[\\/])?(?:python[\d.]*|py|pypy[\d.]*)(?:\.exe)?$/.test(words[from]?.value ?? "")) return null;
  for (let at = from + 1; at < words.length; at++) {
    const value = words[at]?.value ?? "";
    if (value === "-m") return at + 1 < words.length ? at + 1 : null;
    if (value === "-W" || value === "-X") at++;
    else if (!/^-[A-Za-z\d.]+$/.test(value) || value === "-c") return null;
  }
  return null;
}

/** The same for a runner whose first word stands at `from`. */
function afterThisRunner(words: readonly ShellWord[], from: number, runner: Runner): number | null {
  let at = from + 1;
  for (const name of runner.words.slice(1)) {
    // Options may stand between a package manager and its command: `pnpm -C web exec x`.
    at = skipOptions(words, at, runner.valued);
    if (words[at]?.value !== name) return null;
    at++;
  }
  at = skipOptions(words, at, runner.valued) + (runner.operands ?? 0);
  at = skipOptions(words, at, runner.valued);
  const program = words[at]?.value;
  return program === undefined || runner.own?.has(program) === true ? null : at;
}

function skipOptions(words: readonly ShellWord[], from: number, valued: readonly string[]): number {
  let at = from;
  while (words[at]?.value.startsWith("-") === true) at += valued.includes(words[at]?.value ?? "") ? 2 : 1;
  return at;
}

/** `./node_modules/.bin/eslint` → `eslint`, `prettier@3.1` → `prettier`, `@biomejs/biome@2` → `biome`. */
function bareName(value: string): string {
  const name = value.replaceAll("\\", "/").replace(/(?!^)@[^/]*$/, "");
  return (name.split("/").pop() ?? name).replace(/\.(?:exe|cmd|ps1|bat)$/i, "");
}
