import { bareLines } from "./bare-lines.ts";
import { readGoCompile } from "./go-compile.ts";
import { readGoModules } from "./go-modules.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

/** Whether a simple command runs one of these commands of the go program. */
export function runsGo(command: string, verbs: readonly string[]): boolean {
  const call = programOf(command);
  if (call?.program !== "go") return false;
  const at = call.args[0]?.value === "-C" ? 2 : 0;
  return verbs.includes(call.args[at]?.value ?? "");
}

/** What keeps Go code from being built: modules that cannot be had, and what the compiler refuses. */
export function readGoBuild(lines: Parameters<typeof readGoCompile>[0]): readonly Diagnostic[] {
  const modules = readGoModules(lines);
  const told = new Set(modules.flatMap((one) => one.lines));
  return [...modules, ...readGoCompile(lines).filter((one) => !one.lines.some((line) => told.has(line)))].sort(
    (a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0),
  );
}

export const goBuild: Tool = {
  name: "go build",
  kind: "build",
  category: "type_checking",
  answersTo: (command) => runsGo(command, ["build", "install", "run", "generate", "get", "list", "tool"]),
  read: (step) => readGoBuild(bareLines(step)),
};

export const goVet: Tool = {
  name: "go vet",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runsGo(command, ["vet"]),
  read: (step) => readGoBuild(bareLines(step)),
};
