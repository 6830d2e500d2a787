import { bareLines } from "./bare-lines.ts";
import { readGradleBuild } from "./gradle-build.ts";
import { readGradleTests } from "./gradle-tests.ts";
import { readJvmCompile } from "./jvm-compile.ts";
import { readJvmLint } from "./jvm-lint.ts";
import { onceALine } from "./maven.ts";
import { withArgs } from "./program-call.ts";
import { programOf, runs } from "./run-program.ts";
import { quoteWord } from "./shell-words.ts";
import type { Tool } from "./tool.ts";

const PROGRAMS = ["gradle", "gradlew"];
const SPEAKS =
  /^(?:> Task :|FAILURE: Build failed|\* What went wrong:|BUILD FAILED|> Configure project|:\w[\w:]* FAILED$)/;

export const gradle: Tool = {
  name: "gradle",
  kind: "build",
  category: "configuration_error",
  answersTo: (command) => runs(command, PROGRAMS),
  /** Failing tests, what compilers and linters found, and why a build failed where these do not tell. */
  read: (step) => {
    const lines = bareLines(step);
    if (!lines.some(({ text }) => SPEAKS.test(text))) return [];
    const found = onceALine([...readGradleTests(lines), ...readJvmCompile(lines), ...readJvmLint(lines)]);
    return [...found, ...readGradleBuild(lines, found.length > 0)].sort(
      (a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0),
    );
  },
  /** `./gradlew test --tests '*TillTest.sums'`: the failing tests, where one test task is named. */
  narrow: (command, diagnostics) => {
    const call = programOf(command);
    if (call === null || !PROGRAMS.includes(call.program) || diagnostics.length === 0) return null;
    const tasks = call.args.filter(({ value }) => !value.startsWith("-"));
    if (tasks.length !== 1 || !/(?:^|:)\w*[tT]est\w*$/.test(tasks[0]?.value ?? "")) return null;
    const tests = diagnostics.map(({ testId }) => /^(\w+)\.(\w+)(?:\(.*\))?$/.exec(testId ?? ""));
    if (tests.some((test) => test === null)) return null;
    const wanted = [...new Set(tests.map((test) => `*${test?.[1] ?? ""}.${test?.[2] ?? ""}`))].sort();
    return withArgs(call, [
      ...call.args.map(({ raw }) => raw),
      ...wanted.flatMap((one) => ["--tests", quoteWord(one)]),
    ]);
  },
};
