import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { readThrowable } from "./jvm-stack.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic } from "./tool.ts";

const FAILED = /^(\S.* > .+?) FAILED$/;
// The test logger plug-in puts the class on a line of its own.
const LOGGED = /^ {2}Test (\S.*?) FAILED(?: \([\d.]+m?s\))?$/;
const CLASS = /^((?:[a-z_]\w*\.)+[A-Z][\w$]*)$/;
const MAX_BODY = 300;

/** Failing tests as Gradle prints them, with the trace under each. One that two loggers report is one. */
export function readGradleTests(lines: readonly LogLine[]): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  let klass: string | null = null;
  for (const [at, line] of lines.entries()) {
    klass = CLASS.exec(line.text)?.[1] ?? klass;
    const path = FAILED.exec(line.text)?.[1];
    const logged = LOGGED.exec(line.text)?.[1];
    if (path === undefined && logged === undefined) continue;
    const names =
      path === undefined
        ? [klass ?? "", logged ?? ""]
        : path.split(" > ").filter((name) => !/^Gradle Test /.test(name));
    const simple = simpleClass(names);
    const said = readThrowable(bodyOf(lines.slice(at + 1, at + 1 + MAX_BODY), path === undefined ? 2 : 4), simple);
    const testId = names.join(".");
    const key = JSON.stringify([simple, names.at(-1)]);
    const known = found.get(key);
    const numbers = [line.number, ...(said?.lines ?? [])];
    if (known !== undefined) {
      found.set(key, { ...known, lines: [...known.lines, ...numbers].slice(0, MAX_QUOTED) });
      continue;
    }
    found.set(key, {
      ...said,
      ...placeOf(said?.location ?? null, names[0] ?? ""),
      message: said?.message ?? `${testId} failed`,
      testId,
      lines: numbers.slice(0, MAX_QUOTED),
    });
  }
  return [...found.values()];
}

/** `HttpTest[jvm] > …` → `HttpTest`, `org.till.TillTest` → `TillTest`; display names with blanks are no class. */
function simpleClass(names: readonly string[]): string | null {
  const first =
    names[0]
      ?.replace(/\[.*\]$/, "")
      .split(".")
      .pop()
      ?.replace(/\$.*/, "") ?? "";
  return /^\w+$/.test(first) ? first : null;
}

/** The short form names files without their packages, which the class tells where it is said in full. */
function placeOf(location: Location | null, klass: string): Pick<Diagnostic, "location"> {
  if (location === null || location.file.includes("/")) return { location };
  const folder = /^(?:[a-z_]\w*\.)+/.exec(klass)?.[0].replaceAll(".", "/") ?? "";
  return { location: { ...location, file: `${folder}${location.file}` } };
}

/** What stands deeper than the title; one blank line may part it from the trace, and its causes from each other. */
function bodyOf(below: readonly LogLine[], indent: number): readonly LogLine[] {
  const end = below.findIndex(({ text }) => text.trim() !== "" && text.length - text.trimStart().length < indent);
  return end === -1 ? below : below.slice(0, end);
}
