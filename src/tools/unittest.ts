import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { importCategory, pythonCategory } from "./python-category.ts";
import { readTracebacks, type TracebackFrame } from "./python-traceback.ts";
import { programOf, runs } from "./run-program.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const RULER = /^={70}$/;
const END = /^-{70}$/;
const TITLE = /^(ERROR|FAIL|UNEXPECTED SUCCESS): (\S.*)$/;
// `test_a (pkg.test_mod.Case)` before Python 3.11, `test_a (pkg.test_mod.Case.test_a)` since; then the subtest's arguments.
const NAME = /^(\S+) \(([\w.]+)\)(.*)$/;
// `-v` reports while running; the test's own output may stand between name and verdict.
const RUNNING = /^(\S+ \([\w.]+\)).{0,300}? \.\.\. (?:ERROR|FAIL|unexpected success)$/;
const DIFFERENT = /^AssertionError: (?:\w+ differ: |Sequences differ: )?(.{1,500}?) != (.{1,500}?)(?: : .*)?$/;

export const unittest: Tool = {
  name: "unittest",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => {
    if (runs(command, ["unittest", "nose2", "nosetests", "xmlrunner", "django-admin", "stestr", "trial"])) return true;
    const call = programOf(command);
    const script = /^python[\d.]*$/.test(call?.program ?? "")
      ? call?.args.find(({ value }) => /\.py$/.test(value))
      : null;
    const file = script?.value ?? call?.program ?? "";
    return /(?:^|\/)(?:run_?tests?|test)\.py$/.test(file) || (/manage\.py$/.test(file) && /\btest\b/.test(command));
  },
  /** One diagnostic for each `ERROR:` and `FAIL:` section that the runner prints at its end. */
  read: (step) => {
    const lines = bareLines(step);
    const running = runningLines(lines);
    return lines.flatMap((line, at) => (RULER.test(line.text) ? readSection(lines, at + 1, running) : []));
  },
};

/** Where `-v` said of a test that it failed. */
function runningLines(lines: readonly LogLine[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { number, text } of lines) {
    const name = RUNNING.exec(text)?.[1];
    if (name !== undefined && !found.has(name)) found.set(name, number);
  }
  return found;
}

function readSection(lines: readonly LogLine[], at: number, running: ReadonlyMap<string, number>): Diagnostic[] {
  const title = lines[at];
  const [, kind, name] = TITLE.exec(title?.text ?? "") ?? [];
  if (title === undefined || kind === undefined || name === undefined) return [];
  const body = bodyOf(lines, at + 1);
  const tracebacks = readTracebacks(body);
  const errors = tracebacks.flatMap(({ error }) => error ?? []);
  const last = errors.at(-1);
  const message = last?.text.trim() ?? `${name} ${kind === "FAIL" ? "failed" : kind.toLowerCase()}`;
  const frames = tracebacks.flatMap((traceback) => traceback.frames);
  const place = placeOf(tracebacks[0]?.frames ?? [], frames, name, message);
  const seen = running.get(/^\S+ \([\w.]+\)/.exec(name)?.[0] ?? name);
  const [, actual, expected] = DIFFERENT.exec(message) ?? [];
  const quoted = [
    ...(seen === undefined ? [] : [seen]),
    title.number,
    ...(place?.lines ?? []),
    ...errors.map(({ number }) => number),
  ];
  return [
    {
      message,
      lines: [...new Set(quoted)].sort((a, b) => a - b).slice(0, MAX_QUOTED),
      testId: testIdOf(name),
      location: place === null ? null : { file: place.file, line: place.line, col: null },
      expected: expected ?? null,
      actual: actual ?? null,
      stack: frames.map(({ file, line, fn }) => ({ file, line, fn })),
      category: importCategory(message, packagesOf(frames)) ?? pythonCategory(message),
    },
  ];
}

/** From the first rule under the title to the next section or the end of the report. */
function bodyOf(lines: readonly LogLine[], from: number): readonly LogLine[] {
  // A description may stand between title and rule, no more.
  const gap = lines.slice(from, from + 20).findIndex(({ text }) => END.test(text));
  if (gap === -1) return [];
  const start = from + gap;
  let end = start + 1;
  while (end < lines.length && !RULER.test(lines[end]?.text ?? "") && !END.test(lines[end]?.text ?? "")) end++;
  return lines.slice(start + 1, end);
}

/** `test_a (pkg.mod.Case)` → `pkg.mod.Case.test_a`, as the command line takes it. */
function testIdOf(name: string): string {
  const [, method = "", path = "", rest = ""] = NAME.exec(name) ?? [];
  if (path === "") return name;
  const id = path.split(".").at(-1) === method || /^(?:setUp|tearDown)/.test(method) ? path : `${path}.${method}`;
  return `${id}${rest}`;
}

/**
 * An expectation that was not met is looked at in the test's own module; what crashed where the first error of the chain
 * was raised.
 */
function placeOf(
  first: readonly TracebackFrame[],
  all: readonly TracebackFrame[],
  name: string,
  message: string,
): TracebackFrame | null {
  const own = /^AssertionError\b/.test(message) ? all.findLast(({ file }) => isModule(file, name)) : undefined;
  return own ?? first.at(-1) ?? all.at(-1) ?? null;
}

function isModule(file: string, name: string): boolean {
  const path = NAME.exec(name)?.[2] ?? "";
  return path.split(".").some((part) => part !== "" && file.endsWith(`${part}.py`));
}

/** The repository's own packages, as far as the frames show. */
function packagesOf(frames: readonly TracebackFrame[]): readonly string[] {
  return [...new Set(frames.flatMap(({ file }) => file.split("/").slice(0, -1)))];
}
