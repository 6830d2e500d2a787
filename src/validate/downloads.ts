import { type ProgramCall, programCall, withArgs } from "../tools/program-call.ts";

/** A program that fetches packages: which of its calls do, and the folder it fills beside the manifest. */
interface Installer {
  readonly programs: readonly string[];
  /** Matched against the arguments, one blank between them. */
  readonly args: RegExp;
  /** Null: it installs somewhere outside the tree. */
  readonly fills: readonly string[] | null;
  /** It fills the environment that is active, whatever folder it is called in. */
  readonly active?: true;
}

const NODE = ["node_modules"];
const PYTHON = [".venv", "venv"];

const INSTALLERS: readonly Installer[] = [
  {
    programs: ["npm", "pnpm", "bun"],
    args: /^(?:(?:install|i|add|ci|update|up)\b.* )?(?:-g|--global|--location=global)\b/,
    fills: null,
  },
  {
    programs: ["npm"],
    args: /^(?:-\S+ )*(?:ci|clean-install|install-clean|i|in|ins|install|add|it|install-test|cit|update|audit fix|dedupe)\b/,
    fills: NODE,
  },
  { programs: ["pnpm"], args: /^(?:-\S+ )*(?:i|install|ci|add|update|up|fetch|dedupe)\b/, fills: NODE },
  {
    programs: ["yarn"],
    args: /^(?:-\S+(?: |$))*(?:$|(?:install|add|up|upgrade|dedupe|workspaces focus)\b)/,
    fills: NODE,
  },
  { programs: ["bun"], args: /^(?:i|install|add|update)\b/, fills: NODE },
  { programs: ["lerna"], args: /^bootstrap\b/, fills: NODE },
  { programs: ["pip", "pip3"], args: /^(?:-\S+ )*(?:install|download|wheel)\b/, fills: PYTHON, active: true },
  {
    programs: ["uv"],
    args: /^(?:sync|add|lock|venv|pip (?:install|sync|compile)|tool install|python install)\b/,
    fills: PYTHON,
  },
  { programs: ["poetry"], args: /^(?:-\S+ )*(?:install|sync|add|update|lock)\b/, fills: PYTHON },
  { programs: ["pipenv"], args: /^(?:install|sync|update|lock)\b/, fills: PYTHON },
  { programs: ["pdm"], args: /^(?:install|sync|add|update|lock)\b/, fills: PYTHON },
  { programs: ["rye"], args: /^(?:sync|add|lock)\b/, fills: PYTHON },
  { programs: ["hatch"], args: /^env create\b/, fills: null },
  { programs: ["pip-compile", "pip-sync"], args: /^/, fills: PYTHON },
  { programs: ["pipx", "pre-commit"], args: /^(?:install|inject|install-hooks|autoupdate)\b/, fills: null },
  {
    programs: ["conda", "mamba", "micromamba"],
    args: /^(?:env (?:create|update)|install|create|update)\b/,
    fills: null,
  },
  { programs: ["go"], args: /^(?:mod (?:download|tidy|vendor)|install|get)\b/, fills: null },
  { programs: ["cargo"], args: /^(?:\+\S+ )?(?:fetch|install|binstall|update|generate-lockfile)\b/, fills: null },
  {
    programs: ["bundle", "bundler"],
    args: /^(?:-\S+(?: |$))*(?:$|(?:install|update|lock)\b)/,
    fills: ["vendor/bundle", ".bundle"],
  },
  { programs: ["gem"], args: /^(?:install|update)\b/, fills: null },
  { programs: ["composer"], args: /^(?:-\S+ )*(?:install|i|update|u|require)\b/, fills: ["vendor"] },
  { programs: ["dotnet"], args: /^(?:restore|tool (?:restore|install)|workload (?:restore|install))\b/, fills: null },
  { programs: ["mix"], args: /^(?:deps\.get|local\.hex|local\.rebar)\b/, fills: ["deps"] },
  { programs: ["flutter", "dart"], args: /^pub (?:get|upgrade)\b/, fills: [".dart_tool"] },
  { programs: ["swift"], args: /^package (?:resolve|update)\b/, fills: [".build"] },
  { programs: ["pod"], args: /^(?:install|update|repo update)\b/, fills: ["Pods"] },
  { programs: ["bower"], args: /^(?:install|update)\b/, fills: ["bower_components"] },
];

/** Programs that resolve and download while they do their work, so that nothing can fetch for them beforehand. */
const ALWAYS_ONLINE = new Set(["mvn", "mvnw", "gradle", "gradlew", "sbt", "bazel", "bazelisk"]);

/** How to fetch beforehand what a program would fetch while it works, so that the work itself needs no network. */
interface Prefetch {
  readonly programs: readonly string[];
  readonly args: RegExp;
  readonly command: (call: ProgramCall) => string;
}

const PREFETCHES: readonly Prefetch[] = [
  {
    programs: ["cargo"],
    args: /^(?:\+\S+ )?(?:build|b|check|c|test|t|clippy|doc|d|run|r|bench|nextest|hack|llvm-cov|tarpaulin|rustc)\b/,
    command: () => "cargo fetch",
  },
  { programs: ["go"], args: /^(?:build|test|vet|run|generate|list)\b/, command: () => "go mod download" },
  { programs: ["golangci-lint", "staticcheck", "govulncheck"], args: /^/, command: () => "go mod download" },
  { programs: ["dotnet"], args: /^(?:build|test|publish|pack|format|run)\b/, command: () => "dotnet restore" },
  { programs: ["pre-commit"], args: /^run\b/, command: () => "pre-commit install-hooks" },
  { programs: ["tox"], args: /^/, command: (call) => withArgs(call, ["--notest", ...beforeDashes(call)]) },
  { programs: ["nox"], args: /^/, command: (call) => withArgs(call, ["--install-only", ...beforeDashes(call)]) },
];

/** Arguments after `--` are for what tox and nox run, not for them. */
function beforeDashes(call: ProgramCall): string[] {
  const words = call.args.map(({ raw }) => raw);
  const dashes = words.indexOf("--");
  return dashes === -1 ? words : words.slice(0, dashes);
}

export interface Download {
  /** Folders in the working directory, any of which being there makes the call needless; null when none would. */
  readonly fills: readonly string[] | null;
  /** A folder above the working directory does as well. */
  readonly active: boolean;
}

/** What an installing simple command (`npm ci`, `pip install …`) fills; null when the command installs nothing by itself. */
export function downloadOf(command: string): Download | null {
  const call = programCall(command);
  if (call === null) return null;
  if (ALWAYS_ONLINE.has(call.program)) return { fills: null, active: false };
  const args = argsText(call);
  const here = args.replace(ELSEWHERE, "");
  const row = INSTALLERS.find(({ programs, args: pattern }) => programs.includes(call.program) && pattern.test(here));
  if (row === undefined) return null;
  // In another folder it fills another folder; which one is the option's business.
  return { fills: here === args ? row.fills : null, active: row.active === true };
}

/** Options by which package managers work in another folder, with their value. */
const ELSEWHERE = /(?<= |^)(?:--prefix|-C|--cwd|--dir|--directory|--project|-w|--workspace|--filter|-F)[ =]\S+(?: |$)/g;

/** The command that fetches what a simple command would otherwise fetch while it works; null when it fetches nothing, or can only do so itself. */
export function prefetchFor(command: string): string | null {
  const call = programCall(command);
  if (call === null) return null;
  // `uv run` first makes the environment fit; running something empty does just that.
  const uvRun = call.runner.lastIndexOf("uv");
  if (uvRun !== -1 && call.runner.includes("run") && !call.runner.includes("--no-sync")) {
    const python = call.runner.findIndex((word) => /^python[\d.]*$/.test(word));
    return [...call.runner.slice(0, python === -1 ? undefined : python), "true"].join(" ");
  }
  const args = argsText(call);
  const row = PREFETCHES.find(({ programs, args: pattern }) => programs.includes(call.program) && pattern.test(args));
  return row?.command(call) ?? null;
}

function argsText(call: ProgramCall): string {
  return call.args.map(({ value }) => value).join(" ");
}
