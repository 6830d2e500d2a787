import { bareLines } from "./bare-lines.ts";
import { readJvmCompile } from "./jvm-compile.ts";
import { readJvmLint } from "./jvm-lint.ts";
import { readMavenGoals } from "./maven-goals.ts";
import { withArgs } from "./program-call.ts";
import { programOf, runs } from "./run-program.ts";
import { quoteWord } from "./shell-words.ts";
import { readSurefire } from "./surefire.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const PROGRAMS = ["mvn", "mvnw", "mvnd"];
const SPEAKS = /^\[(?:ERROR|FATAL|INFO)\] /;

export const maven: Tool = {
  name: "maven",
  kind: "build",
  category: "configuration_error",
  answersTo: (command) => runs(command, PROGRAMS),
  /** Failing tests, what compilers and linters found, else why a goal failed. */
  read: (step) => {
    const lines = bareLines(step);
    if (!lines.some(({ text }) => SPEAKS.test(text))) return [];
    const told = [...readSurefire(lines), ...readJvmCompile(lines), ...readJvmLint(lines)];
    const found = onceALine(told);
    return [...found, ...readMavenGoals(lines, found.length > 0)].sort((a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0));
  },
  /** `mvn -Dtest='TillTest#sums+counts' test`: the failing tests. */
  narrow: (command, diagnostics) => {
    const call = programOf(command);
    if (call === null || !PROGRAMS.includes(call.program) || diagnostics.length === 0) return null;
    if (call.args.some(({ value }) => /^-D(?:it\.)?test=/.test(value))) return null;
    const methods = new Map<string, Set<string>>();
    for (const { testId } of diagnostics) {
      const [, klass, method] = /^(?:[\w.]+\.)?([A-Z][\w$]*)\.(\w+)/.exec(testId ?? "") ?? [];
      if (klass === undefined || method === undefined) return null;
      methods.set(klass, (methods.get(klass) ?? new Set()).add(method));
    }
    const wanted = [...methods].map(([klass, names]) => `${klass}#${[...names].sort().join("+")}`).sort();
    // Other modules have no such tests, which is no failure.
    const none = ["-Dsurefire.failIfNoSpecifiedTests=false", "-DfailIfNoTests=false"];
    return withArgs(call, [...call.args.map(({ raw }) => raw), quoteWord(`-Dtest=${wanted.join(",")}`), ...none]);
  },
};

/** A line that one reader explained is not explained by the next. */
export function onceALine(all: readonly Diagnostic[]): readonly Diagnostic[] {
  const seen = new Set<number>();
  return all.filter(({ lines }) => {
    const fresh = !lines.some((line) => seen.has(line));
    for (const line of lines) seen.add(line);
    return fresh;
  });
}
