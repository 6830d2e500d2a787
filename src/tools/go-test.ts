import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { readGoBuild, runsGo } from "./go-build.ts";
import { packageFolder } from "./go-packages.ts";
import { framesIn, RACE, readGoTestBody } from "./go-test-body.ts";
import { withArgs } from "./program-call.ts";
import { programOf, runs } from "./run-program.ts";
import { quoteWord } from "./shell-words.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const MARK = /^\s*=== (RUN|CONT|NAME|PAUSE)\s+(\S*)/;
const VERDICT = /^(\s*)--- (FAIL|PASS|SKIP|BENCH): (\S+)/;
const SUMMED = /^=== FAIL: (\S+) (\S+) \((?:[\d.]+s|unknown)\)$/;
const PACKAGE = /^(FAIL|ok {2}|\? {3})\t(\S+)(?:\s+(.*))?$/;
const PANIC = /^(?:panic: |fatal error: )/;
const RAN_OUT = /^\t(Test\S+|Fuzz\S+|Example\S+) \([\dhms.]+\)$/;
// An example's `got:` and `want:`; nobody prints more than a screen there.
const EXAMPLE_SPAN = 20;
// Verbose tests may print without end: what they said last is what they failed of.
const MAX_KEPT = 400;
const MAX_FRAMES_QUOTED = 4;

interface Test {
  readonly name: string;
  readonly indent: number;
  readonly header: LogLine;
  readonly body: LogLine[];
}

interface Package {
  readonly name: string | null;
  readonly verdict: LogLine | null;
  readonly tests: readonly Test[];
  readonly crash: readonly LogLine[];
  /** The test that ran when the program crashed, where the log tells. */
  readonly running: string | null;
  readonly exit: LogLine | null;
}

export const goTest: Tool = {
  name: "go test",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => runsGo(command, ["test"]) || runs(command, ["gotestsum", "gotest"]),
  /** One diagnostic a failing test (its deepest subtests), crash or package that cannot be built. */
  read: (step) => {
    const lines = bareLines(step);
    const packages = packagesIn(lines);
    const folderOf = packageFolder(lines);
    const tests = packages.flatMap((one) => readPackage(one, folderOf));
    const seen = new Set(tests.flatMap((one) => one.lines));
    const builds = readGoBuild(lines).filter((one) => !one.lines.some((line) => seen.has(line)));
    return [...tests, ...builds].sort((a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0));
  },
  /** `go test -run '^(TestA|TestB)$' ./...`: the failing tests, subtests by their parents. */
  narrow: (command, diagnostics) => {
    const call = programOf(command);
    if (call?.program !== "go" || call.args[0]?.value !== "test" || diagnostics.length === 0) return null;
    const names = diagnostics.map(
      ({ testId }) => /(?:^|\.)((?:Test|Example|Fuzz)[^./]*)(?:\/.*)?$/.exec(testId ?? "")?.[1],
    );
    if (names.some((name) => name === undefined)) return null;
    const kept = call.args.filter(
      ({ value }, i) => !/^--?run(?:=|$)/.test(value) && !/^--?run$/.test(call.args[i - 1]?.value ?? ""),
    );
    const pattern = `^(${[...new Set(names)].sort().join("|")})$`;
    return withArgs(call, ["test", "-run", quoteWord(pattern), ...kept.slice(1).map(({ raw }) => raw)]);
  },
};

/** The output cut at the line that ends each package. */
function packagesIn(lines: readonly LogLine[]): readonly Package[] {
  const packages: Package[] = [];
  let reader = new PackageReader();
  for (const line of lines) {
    const [, verdict, name, rest] = PACKAGE.exec(line.text) ?? [];
    if (verdict === undefined || name === undefined) {
      reader.take(line);
      continue;
    }
    if (verdict === "FAIL" && !/^\[(?:build|setup) failed\]/.test(rest ?? "")) packages.push(reader.end(name, line));
    // What was compiled meanwhile printed nothing of ours.
    if (verdict === "FAIL" || verdict === "ok  ") reader = new PackageReader();
  }
  return [...packages, reader.end(null, null)];
}

class PackageReader {
  private readonly tests: Test[] = [];
  private readonly spoken = new Map<string, LogLine[]>();
  private readonly crash: LogLine[] = [];
  private open: Test | null = null;
  private current: string | null = null;
  private crashed: string | null = null;
  private exit: LogLine | null = null;
  private race: LogLine[] = [];
  private inRace = false;

  take(line: LogLine): void {
    if (this.crash.length > 0) {
      if (this.crash.length < MAX_KEPT) this.crash.push(line);
      return;
    }
    if (RACE.test(line.text)) this.inRace = true;
    else if (/^=+$/.test(line.text)) this.inRace = false;
    if (this.inRace) {
      if (this.race.length < MAX_KEPT) this.race.push(line);
      return;
    }
    const mark = MARK.exec(line.text);
    if (mark !== null) {
      this.current = mark[1] === "PAUSE" ? null : (mark[2] ?? null);
      this.open = null;
      return;
    }
    if (PANIC.test(line.text)) {
      this.crashed = this.open?.name ?? this.current;
      this.crash.push(line);
      return;
    }
    if (/^exit status \d+$/.test(line.text)) this.exit = line;
    const summed = SUMMED.exec(line.text);
    const verdict = VERDICT.exec(line.text);
    if (summed !== null) this.start({ name: summed[2] ?? "", indent: 0, header: line });
    else if (verdict?.[2] === "FAIL")
      this.start({ name: verdict[3] ?? "", indent: verdict[1]?.length ?? 0, header: line });
    else if (verdict !== null) this.open = null;
    else if (this.open !== null && this.belongs(line, this.open)) this.open.body.push(line);
    else this.speak(line);
  }

  end(name: string | null, verdict: LogLine | null): Package {
    return { name, verdict, tests: this.tests, crash: this.crash, running: this.crashed, exit: this.exit };
  }

  private start(test: Omit<Test, "body">): void {
    this.open = { ...test, body: [...this.race, ...(this.spoken.get(test.name) ?? [])] };
    this.race = [];
    this.spoken.delete(test.name);
    this.tests.push(this.open);
  }

  private belongs({ text }: LogLine, { name, indent, body }: Test): boolean {
    if (body.length >= MAX_KEPT) return false;
    // Examples print what they compare at the very left.
    if (name.startsWith("Example")) return body.length < EXAMPLE_SPAN && !/^FAIL$|^PASS$/.test(text);
    return text.trim() === "" || text.length - text.trimStart().length > indent;
  }

  private speak(line: LogLine): void {
    if (this.current === null) return;
    const list = this.spoken.get(this.current) ?? [];
    list.push(line);
    if (list.length > MAX_KEPT) list.shift();
    this.spoken.set(this.current, list);
  }
}

function readPackage(one: Package, folderOf: (name: string) => string | null): Diagnostic[] {
  const folder = one.name === null ? null : folderOf(one.name);
  const found = leavesOf(one.tests)
    .filter(({ test }) => one.crash.length === 0 || test.name !== one.running)
    .map(({ test, parents }): Diagnostic => {
      const example = test.name.startsWith("Example");
      const body = example ? exampleBody(test.body) : readGoTestBody(test.body, folder);
      return {
        ...body,
        message: body.message ?? `${test.name} failed`,
        testId: testIdOf(one.name, test),
        lines: [...parents, test.header]
          .map(({ number }) => number)
          .concat(body.lines)
          .sort((a, b) => a - b)
          .slice(0, MAX_QUOTED),
      };
    });
  const crash = readCrash(one);
  if (crash !== null) found.push(crash);
  if (found.length === 0 && one.verdict !== null && one.name !== null) found.push(silentFailure(one.name, one));
  const first = found[0];
  if (first === undefined || one.verdict === null) return found;
  return [{ ...first, lines: [...new Set([...first.lines, one.verdict.number])] }, ...found.slice(1)];
}

/** Failing tests that no failing subtest explains, with the headers of those they stand under, each quoted once. */
function leavesOf(tests: readonly Test[]): readonly { readonly test: Test; readonly parents: readonly LogLine[] }[] {
  const explained = new Set<string>();
  for (const { name } of tests)
    for (let cut = name.lastIndexOf("/"); cut > 0; cut = name.lastIndexOf("/", cut - 1))
      explained.add(name.slice(0, cut));
  const headers = new Map(tests.map(({ name, header }) => [name, header]));
  const seen = new Set<string>();
  return (
    tests
      // gotestsum says a test again in its summary.
      .filter(({ name }) => !explained.has(name) && !seen.has(name) && seen.add(name))
      .map((test) => {
        const parents: LogLine[] = [];
        for (let cut = test.name.lastIndexOf("/"); cut > 0; cut = test.name.lastIndexOf("/", cut - 1)) {
          const header = headers.get(test.name.slice(0, cut));
          headers.delete(test.name.slice(0, cut));
          if (header !== undefined) parents.unshift(header);
        }
        return { test, parents };
      })
  );
}

function testIdOf(packageName: string | null, { name, header }: Test): string {
  const known = packageName ?? SUMMED.exec(header.text)?.[1] ?? null;
  return known === null ? name : `${known}.${name}`;
}

function exampleBody(body: readonly LogLine[]): ReturnType<typeof readGoTestBody> {
  const said = body.filter(({ text }) => text.trim() !== "");
  const want = said.findIndex(({ text }) => text === "want:");
  const textOf = (part: readonly LogLine[]): string | null => part.map(({ text }) => text).join("\n") || null;
  const actual = want === -1 ? null : textOf(said.slice(0, want).filter(({ text }) => text !== "got:"));
  const expected = want === -1 ? null : textOf(said.slice(want + 1));
  return {
    message: expected === null ? null : `got ${actual ?? "nothing"}, want ${expected}`,
    lines: said.map(({ number }) => number),
    expected,
    actual,
    location: null,
    stack: [],
    category: "assertion_error",
  };
}

/** A panic, a fatal error of the runtime, or the time that ran out. */
function readCrash({ name, tests, crash, running }: Package): Diagnostic | null {
  const first = crash[0];
  if (first === undefined) return null;
  const timedOut = /^panic: test timed out after/.test(first.text);
  const hung = timedOut ? crash.map(({ text }) => RAN_OUT.exec(text)?.[1]).find((one) => one !== undefined) : undefined;
  const test = hung ?? running;
  const header = tests.find((one) => one.name === running)?.header;
  const frames = framesIn(crash);
  const quoted = crash.filter(({ text }) => framesIn([{ number: 0, text }]).length > 0).slice(0, MAX_FRAMES_QUOTED);
  const list = timedOut
    ? crash.filter(({ text }) => /^running tests:$/.test(text) || RAN_OUT.test(text)).slice(0, 5)
    : [];
  const place = frames[0];
  return {
    message: first.text.replace(/ \[recovered\].*$/, ""),
    testId: test === null ? null : name === null ? test : `${name}.${test}`,
    lines: [...(header ? [header] : []), first, ...list, ...quoted].map(({ number }) => number),
    location: place === undefined ? null : { ...place, col: null },
    stack: frames.map((frame) => ({ ...frame, fn: null })),
    category: timedOut ? "test_failure" : "runtime_error",
  };
}

/** A package that failed and named no test: its own `main`, or an `os.Exit`. */
function silentFailure(name: string, { verdict, exit }: Package): Diagnostic {
  const lines = [exit, verdict].flatMap((line) => (line === null ? [] : [line.number]));
  return { message: `${name} failed without naming a test`, lines, testId: name };
}
