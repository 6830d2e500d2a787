import type { Failure } from "../../domain/evidence.ts";
import type { FaultLocation } from "../../domain/fault.ts";
import { isTestPath } from "../../text/test-path.ts";
import { type FunctionPlace, functionAt, functionsOf } from "../history/functions.ts";
import { isTestLine, treePath } from "./from-log.ts";
import { importedFiles, namesakes } from "./imports.ts";
import type { FileTexts, LocalizeInput } from "./input.ts";

const SCORE = 0.6; // papers §2.2, 3
const LATER_CALL = 0.97; // ours: what is called on the failing line comes first
const NAMESAKE = 0.55; // ours: the file a test is named after, where none of its functions is seen called
const MOST_FILES = 12;
const MOST_TESTS = 8; // a hundred failing tests of one cause call the same code

/** A failing test as the tree has it. */
export interface FailingTest {
  readonly failure: Failure;
  readonly file: string;
  readonly text: string;
  /** The line that failed, or the test's first. */
  readonly line: number;
  /** Its whole definition; null where it could not be found. */
  readonly body: FunctionPlace | null;
}

// Ours: a test shows the fault and may seldom be mended, so what it calls stands before it.
const OWN_LINE = 0.9;

/** The lines of failing tests, and the functions of the source that they call (papers §2.2, 3). */
export async function fromTests(input: LocalizeInput, files: FileTexts): Promise<readonly FaultLocation[]> {
  const found: FaultLocation[] = [];
  for (const test of await failingTests(input, files)) {
    const { file, line } = test;
    found.push(...(await calledBy(test, input, files)));
    found.push({
      file,
      range: { start: line, end: line },
      fn: null,
      source: "test_body",
      score: SCORE * OWN_LINE,
    });
  }
  return found;
}

/** The failing tests whose definition is known, as far as the log tells where they are. */
export async function failingTests(
  { failures, paths }: Pick<LocalizeInput, "failures" | "paths">,
  files: FileTexts,
): Promise<readonly FailingTest[]> {
  const found: FailingTest[] = [];
  for (const failure of failures) {
    if (found.length >= MOST_TESTS) break;
    const place = testPlace(failure, paths);
    const text = place === null ? null : await files.read(place.file);
    if (place === null || text === null) continue;
    const functions = functionsOf(place.file, text);
    const named = namedTest(failure.testId, functions);
    const body = (place.line === null ? null : functionAt(functions, place.line)) ?? named;
    const line = place.line ?? named?.start ?? null;
    if (line !== null) found.push({ failure, file: place.file, text, line, body });
  }
  return found;
}

/** The test's own line: where it failed, else the outermost frame that lies in a test, else the file its name tells. */
function testPlace(
  failure: Failure,
  paths: ReadonlySet<string>,
): { readonly file: string; readonly line: number | null } | null {
  const named = /^[^\s:]+\.\w+(?=::|$)/.exec(failure.testId ?? "")?.[0];
  const places = [
    ...(failure.location === null ? [] : [failure.location]),
    ...failure.stack,
    ...(named === undefined ? [] : [{ file: named, line: null }]),
  ];
  const inTests = places.flatMap(({ file, line }) => {
    const there = treePath(file, paths);
    return there !== null && isTestLine(failure, there) ? [{ file: there, line }] : [];
  });
  return inTests.find(({ line }) => line !== null) ?? inTests[0] ?? null;
}

function namedTest(testId: string | null, functions: readonly FunctionPlace[]): FunctionPlace | null {
  const name = testId
    ?.split(/\s*(?:::|[>›#])\s*|(?<=\w)\.(?=\w+$)/)
    .at(-1)
    ?.replace(/\[.*\]$/, "");
  return functions.find((one) => one.name === name) ?? null;
}

async function calledBy(
  { file, text, line, body }: FailingTest,
  { paths }: LocalizeInput,
  files: FileTexts,
): Promise<readonly FaultLocation[]> {
  const lines = text.split("\n");
  const inside = body === null ? (lines[line - 1] ?? "") : lines.slice(body.start - 1, body.end).join("\n");
  const calls = [...new Set([...callsIn(lines[line - 1] ?? ""), ...callsIn(inside)])];
  const sources = [...new Set([...importedFiles(file, text, paths), ...namesakes(file, paths)])].filter(
    (path) => !isTestPath(path),
  );
  const called: { readonly file: string; readonly place: FunctionPlace }[] = [];
  for (const source of sources.slice(0, MOST_FILES)) {
    const code = await files.read(source);
    const functions = code === null ? [] : functionsOf(source, code);
    for (const place of functions) if (calls.includes(place.name)) called.push({ file: source, place });
  }
  called.sort((a, b) => calls.indexOf(a.place.name) - calls.indexOf(b.place.name));
  if (called.length > 0)
    return called.map(({ file: source, place: { name, start, end } }, rank) => ({
      file: source,
      range: { start, end },
      fn: name,
      source: "test_body",
      score: SCORE * LATER_CALL ** rank,
    }));
  return namesakes(file, paths)
    .filter((path) => !isTestPath(path))
    .map((path) => ({
      file: path,
      range: { start: 1, end: Number.MAX_SAFE_INTEGER },
      fn: null,
      source: "test_body",
      score: NAMESAKE,
    }));
}

/** Names that are called, in order; Ruby and others call without brackets, so words behind a dot count. */
function callsIn(text: string): readonly string[] {
  return [...text.matchAll(/([A-Za-z_$][\w$]*)(?=\s*\()|\.([A-Za-z_]\w*[?!]?)/g)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
}
