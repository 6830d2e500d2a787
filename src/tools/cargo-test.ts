import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { readCargoBuild, runsCargo } from "./cargo-build.ts";
import { subcommandAt } from "./cargo-fmt.ts";
import { withArgs } from "./program-call.ts";
import { relativePath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import { PANIC, readRustBody } from "./rust-panic.ts";
import { type FailedRustTest, RustTests } from "./rust-tests.ts";
import { quoteWord } from "./shell-words.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const DOCTEST = /^(\S+\.(?:rs|md)) - .*\(line (\d+)\)/;
const KILLED =
  /^fatal runtime error: |^thread '.*' (?:\(\d+\) )?has overflowed its stack|^\s*process didn't exit successfully: .*\((?:signal|exit code: 0xc)/;

export const cargoTest: Tool = {
  name: "cargo test",
  kind: "test",
  category: "test_failure",
  answersTo: (command) =>
    runs(command, ["cargo-nextest"]) ||
    runsCargo(command, ["test", "t", "nextest", "miri", "llvm-cov", "tarpaulin", "careful", "insta"]),
  /** One diagnostic a failing test, whether libtest or nextest ran it; what keeps tests from being built. */
  read: (step) => {
    const lines = bareLines(step);
    const tests = new RustTests();
    for (const line of lines) tests.take(line);
    const failed = tests.failed();
    const found = failed.map(readTest);
    const first = found[0];
    const echo = tests.echo();
    if (first !== undefined && echo !== null) found[0] = { ...first, lines: [...first.lines, echo.number] };
    const told = new Set(failed.flatMap(({ body }) => body.map(({ number }) => number)));
    const builds = readCargoBuild(lines).filter(({ lines }) => !lines.some((line) => told.has(line)));
    const all = [...found, ...builds].sort((a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0));
    return all.length > 0 ? all : readCrash(lines);
  },
  /** `cargo test -- --exact a b`: the failing tests by their names. */
  narrow: (command, diagnostics) => {
    const call = programOf(command);
    const at = subcommandAt(command, "test");
    if (call === null || at === -1 || diagnostics.length === 0) return null;
    const names = diagnostics.flatMap(({ testId }) => testId ?? []);
    if (names.length < diagnostics.length) return null;
    const words = call.args.map(({ raw }) => raw);
    const dashes = words.indexOf("--");
    const own = dashes === -1 ? words : words.slice(0, dashes);
    const rest = dashes === -1 ? [] : words.slice(dashes + 1).filter((word) => word !== "--exact");
    return withArgs(call, [...own, "--", "--exact", ...[...new Set(names)].sort().map(quoteWord), ...rest]);
  },
};

function readTest({ id, heads, body }: FailedRustTest): Diagnostic {
  const said = readRustBody(body);
  const [, path, line] = DOCTEST.exec(id) ?? [];
  const own: Location | null =
    path === undefined ? null : { file: relativePath(path) ?? path, line: Number(line), col: null };
  const numbers = [...heads.map(({ number }) => number), ...said.lines];
  return {
    ...said,
    message: said.message ?? `${id} failed`,
    testId: id,
    location: said.location ?? own,
    lines: [...new Set(numbers)].sort((a, b) => a - b).slice(0, MAX_QUOTED),
  };
}

/** The test program itself died: nothing of it says which test. */
function readCrash(lines: readonly LogLine[]): readonly Diagnostic[] {
  const killed = lines.filter(({ text }) => KILLED.test(text)).slice(0, 4);
  const first = killed[0];
  if (first !== undefined) {
    const message = first.text.trim();
    return [{ message, lines: killed.map(({ number }) => number), category: "runtime_error" }];
  }
  const at = lines.findIndex(({ text }) => PANIC.test(text));
  const said = at === -1 ? null : readRustBody(lines.slice(at, at + 60));
  return said === null || said.message === null ? [] : [{ ...said, message: said.message }];
}
