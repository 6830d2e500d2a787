import type { LogLine } from "../domain/ci-run.ts";
import { readThrowable } from "./jvm-stack.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic } from "./tool.ts";

const CLASS = /^(?:\[ERROR\] )?Tests run: \d+, .*<<< (?:FAILURE|ERROR)!(?: -{1,2} in (\S+))?$/;
const TEST =
  /^(?:\[ERROR\] +)?(\S.*?)(?: {1,4}(?:-- )?Time elapsed: [\d.,]+ s(?:ec)?)? {0,4}<<< (?:FAILURE|ERROR)!\s*$/;
const SUMMARY = /^(?:\[ERROR\] )?(?:Failures|Errors|Failed tests|Tests in error): ?$/;
const SUMMED = /^\[ERROR\] {2,}(?:Run \d+: )?([\w$]+)(?:[.>]([\w$]+))?(?:->[\w$.]+)*\S*?:(\d+)(?:->\S+)*(?: (.*))?$/;
const NAMED = /^\[ERROR\] {2,}(?:Run \d+: )?([\w$]+)[.>]([\w$]+)\S*(?: (.*))?$/;
const OVER = /^\[(?:INFO|ERROR|WARNING|WARN|DEBUG)\]|^Running |^Tests run: |^Results ?:/;
const MAX_BODY = 300;

interface Test {
  readonly klass: string | null;
  readonly method: string | null;
  readonly diagnostic: Diagnostic;
}

/** Failing tests as Maven's Surefire and Failsafe print them: after each class, and once more at the end. */
export function readSurefire(lines: readonly LogLine[]): readonly Diagnostic[] {
  const tests: Test[] = [];
  const summary: LogLine[] = [];
  let klass: string | null = null;
  let head: LogLine | null = null;
  let summing = false;
  for (const [at, line] of lines.entries()) {
    const opened = CLASS.exec(line.text);
    if (opened !== null) {
      klass = opened[1] ?? null;
      head = line;
      summing = false;
      continue;
    }
    if (SUMMARY.test(line.text)) summing = true;
    else if (summing && /^\[ERROR\] {2,}\S/.test(line.text)) summary.push(line);
    else if (/^\[ERROR\] Tests run: |^\[INFO\] -{10}/.test(line.text)) summing = false;
    const title = TEST.exec(line.text)?.[1];
    if (title === undefined) continue;
    tests.push(readTest(line, title, klass, head, lines.slice(at + 1, at + 1 + MAX_BODY)));
    head = null;
  }
  return [...attach(tests, summary)];
}

function readTest(
  line: LogLine,
  title: string,
  known: string | null,
  head: LogLine | null,
  below: readonly LogLine[],
): Test {
  const { klass, method } = nameOf(title, known);
  const simple = klass?.split(".").pop()?.replace(/\$.*/, "") ?? null;
  const said = readThrowable(bodyOf(below), simple);
  const numbers = [...(head === null ? [] : [head.number]), line.number, ...(said?.lines ?? [])];
  return {
    klass: simple,
    method: method?.replace(/[({[].*$/, "") ?? null,
    diagnostic: {
      ...said,
      message: said?.message ?? `${title} failed`,
      testId: [klass, method].filter((part) => part !== null).join("."),
      lines: numbers.slice(0, MAX_QUOTED),
    },
  };
}

/** `sums(till.TillTest)`, since Surefire 3 `till.TillTest.sums`, or the method alone; the class alone when it could not be set up. */
function nameOf(
  title: string,
  known: string | null,
): { readonly klass: string | null; readonly method: string | null } {
  const [, method, klass] = /^(.+?)\(([\w$.]+\.[\w$]+)\)$/.exec(title) ?? [];
  if (method !== undefined && klass !== undefined) return { klass, method };
  if (title === known) return { klass: known, method: null };
  if (known !== null && title.startsWith(`${known}.`)) return { klass: known, method: title.slice(known.length + 1) };
  const [, path, name] = /^((?:[a-z_]\w*\.)+[A-Z][\w$]*)\.(.+)$/.exec(title) ?? [];
  if (path !== undefined && name !== undefined) return { klass: path, method: name };
  return /^(?:[a-z_]\w*\.)+[A-Z][\w$]*$/.test(title) ? { klass: title, method: null } : { klass: known, method: title };
}

/** Messages may hold blank lines; after the trace one ends the body. */
function bodyOf(below: readonly LogLine[]): readonly LogLine[] {
  let traced = false;
  for (const [at, { text }] of below.entries()) {
    if (OVER.test(text) || TEST.test(text) || (traced && text.trim() === "")) return below.slice(0, at);
    if (/^\s+at /.test(text)) traced = true;
  }
  return below;
}

/** The lines of the last report belong to the tests they name; those that nothing else named stand for themselves. */
function attach(tests: readonly Test[], summary: readonly LogLine[]): readonly Diagnostic[] {
  const more = new Map<Test, number[]>();
  const byClass = new Map<string, Test[]>();
  for (const test of tests) {
    const known = byClass.get(test.klass ?? "");
    if (known === undefined) byClass.set(test.klass ?? "", [test]);
    else known.push(test);
  }
  const rest: Diagnostic[] = [];
  for (const line of summary) {
    const [, klass, method, row, said] = SUMMED.exec(line.text) ?? [];
    const named = NAMED.exec(line.text);
    const owner = klass ?? named?.[1];
    const name = method ?? named?.[2];
    const test = byClass
      .get(owner ?? "")
      ?.find((one) => one.method === name || (name !== undefined && one.method?.startsWith(name) === true));
    if (test !== undefined) more.set(test, [...(more.get(test) ?? []), line.number]);
    else if (owner !== undefined)
      rest.push({
        message: (said ?? named?.[3] ?? line.text.replace(/^\[ERROR\] +/, "")).replace(/^\s*» /, "").trim(),
        testId: [owner, name].filter((part) => part !== undefined).join("."),
        lines: [line.number],
        location: {
          file: `${owner.replace(/\$.*/, "")}.java`,
          line: row === undefined ? null : Number(row),
          col: null,
        },
      });
  }
  const told = tests.map((test) => {
    const lines = [...test.diagnostic.lines.slice(0, MAX_QUOTED - 2), ...(more.get(test) ?? []).slice(0, 2)];
    return { ...test.diagnostic, lines };
  });
  return [...told, ...rest];
}
