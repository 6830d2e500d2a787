import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// `ctest -V` numbers the lines of each test.
const CTEST_PREFIX = /^\d+: /;
const RUN = /^\[ RUN {6}\] (\S+)/;
const DONE = /^\[ {2}(FAILED|SKIPPED)? {0,2}\] (\S+?)(?:,? .*)?$|^\[ {7}OK \] /;
const FAILED = /^\[ {2}FAILED {2}\] (\S+\.\S+?)(?:, where .*?)?(?: \(\d+ ms\))?$/;
const FAILURE = /^(.+?)(?::(\d+)|\((\d+)\))?: (?:Failure|error:?)(?: *(.*))?$/;
const EXPECTED = /^Expected(?: equality of these values)?:?\s*(.*)$/;
const ACTUAL = /^\s*Actual:\s*(.*)$|^\s*Which is:\s*(.*)$/;
// What a message says after its head; longer ones are dumps.
const MAX_BODY = 10;
const CRASH = /Segmentation fault|core dumped|^Aborted|terminate called|AddressSanitizer|SIGSEGV|SIGABRT|0xc0000005/;

interface Open {
  readonly test: string;
  readonly start: number;
  readonly crash: LogLine[];
  readonly bodies: { readonly head: LogLine; readonly place: Location | null; readonly body: LogLine[] }[];
}

export const gtest: Tool = {
  name: "gtest",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => /(?:^|[_-])(?:gtest|unittests?)(?:$|[_-])/.test(programOf(command)?.program ?? ""),
  /** One diagnostic a failed test: its first message with the place; a test that never ends crashed. */
  read: (step) => {
    const lines = bareLines(step).map(({ number, text }) => ({ number, text: text.replace(CTEST_PREFIX, "") }));
    if (!lines.some(({ text }) => RUN.test(text) || FAILED.test(text))) return [];
    return readTests(lines);
  },
};

function readTests(lines: readonly LogLine[]): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  let open: Open | null = null;
  for (const line of lines) {
    const run = RUN.exec(line.text)?.[1];
    if (run !== undefined) {
      if (open !== null) found.set(open.test, crashed(open));
      open = { test: run, start: line.number, crash: [], bodies: [] };
      continue;
    }
    const failed = FAILED.exec(line.text)?.[1];
    if (failed !== undefined) {
      const known = found.get(failed);
      // The list at the end names them again.
      if (known !== undefined)
        found.set(failed, { ...known, lines: [...known.lines, line.number].slice(0, MAX_QUOTED) });
      else found.set(failed, toDiagnostic(failed, open?.test === failed ? open : null, line));
    }
    if (DONE.test(line.text)) open = null;
    else if (open !== null) take(open, line);
  }
  // A log that ends inside a test: the program died in it, or the log was cut off.
  if (open !== null && open.bodies.length + open.crash.length > 0) found.set(open.test, crashed(open));
  return [...found.values()];
}

function take(open: Open, line: LogLine): void {
  const match = FAILURE.exec(line.text);
  if (match && (match[2] !== undefined || match[3] !== undefined || match[1] === "unknown file")) {
    open.bodies.push({ head: line, place: placeOf(match), body: [] });
    return;
  }
  if (CRASH.test(line.text) && open.crash.length < MAX_BODY) {
    open.crash.push(line);
    return;
  }
  const last = open.bodies.at(-1);
  if (last !== undefined && line.text.trim() !== "" && last.body.length < MAX_BODY) last.body.push(line);
}

function placeOf([, path = "", unix, msvc]: RegExpExecArray): Location | null {
  const row = unix ?? msvc;
  return row === undefined ? null : { file: repositoryPath(path) ?? path, line: Number(row), col: null };
}

function toDiagnostic(test: string, open: Open | null, end: LogLine): Diagnostic {
  const first = open?.bodies[0];
  if (open === null || first === undefined)
    return { message: `${test} failed`, testId: test, lines: [end.number], location: null };
  const quoted = open.bodies.slice(0, 3).flatMap(({ head, body }) => [head, ...body]);
  const body = first.body.map(({ text }) => text);
  const threw = body.find((text) => /^C\+\+ exception/.test(text));
  const said = threw ?? body.join("\n");
  return {
    message: said.slice(0, 1_000) || first.head.text,
    testId: test,
    lines: [...quoted.map(({ number }) => number), end.number],
    location: first.place,
    ...sides(body),
    category: threw === undefined ? "assertion_error" : "runtime_error",
  };
}

/** gtest shows the two sides of a comparison in order; which of them was expected only older versions say. */
function sides(body: readonly string[]): Pick<Diagnostic, "expected" | "actual"> {
  const expected = body.map((text) => EXPECTED.exec(text)?.[1]).find((text) => text);
  const actual = body
    .map((text) =>
      ACTUAL.exec(text)
        ?.slice(1)
        .find((one) => one),
    )
    .find((text) => text);
  return expected === undefined || actual === undefined ? {} : { expected, actual };
}

function crashed(open: Open): Diagnostic {
  const body = [...open.bodies.flatMap(({ head, body: said }) => [head, ...said]), ...open.crash];
  return {
    message: open.crash[0]?.text.trim() ?? `${open.test} did not end`,
    testId: open.test,
    lines: [open.start, ...body.map(({ number }) => number)],
    location: open.bodies[0]?.place ?? null,
    category: "runtime_error",
  };
}
