import type { StepLog } from "../domain/ci-run.ts";

// npm and pnpm print `> name@1.2.3 script` (pnpm with the folder behind it) and the script's text in the next line.
const NPM_TITLE = /^> (?:@?[\w./-]+@\S+ \S+|[\w:.-]+)(?: .*)?$/;
const NPM_ECHO = /^> (\S.*)$/;
// yarn 1, and pnpm's prefix for packages of a workspace (`packages/web lint$ eslint .`).
const DOLLAR = /^(?:[\w./@-]+ [\w:-]+)?\$ (\S.*)$/;
// Actions that start programs themselves: the toolkit's `[command]`, golangci-lint's `Running [...]`.
const RUNNER = /^\[command\](\S.*)$/;
const RUNNING = /^(?:Running|Executing)(?::| command)? \[(\S[^\]]*)\]/;
const MAX_COMMANDS = 200;

/** Commands that package managers and actions print before they run them, in the order they were printed. */
export function echoedCommands(step: Pick<StepLog, "lines">): readonly string[] {
  const found: string[] = [];
  let afterTitle = false;
  for (const { text } of step.lines) {
    if (found.length >= MAX_COMMANDS) break;
    const line = text.slice(0, 2_000).replace(/^[\w@./-]+:[\w:-]+: /, "");
    const npm = NPM_ECHO.exec(line)?.[1];
    // Gradle's list of tasks looks like npm's titles.
    if (npm?.startsWith("Task :")) continue;
    if (npm !== undefined) {
      if (afterTitle && !NPM_TITLE_ONLY.test(line)) found.push(npm);
      afterTitle = NPM_TITLE.test(line);
      continue;
    }
    afterTitle = false;
    const other = DOLLAR.exec(line)?.[1] ?? RUNNER.exec(line)?.[1] ?? RUNNING.exec(line)?.[1];
    if (other !== undefined) found.push(other);
  }
  return [...new Set(found)];
}

const NPM_TITLE_ONLY = /^> @?[\w./-]+@\d\S* \S+$/;
