import type { Failure } from "../../domain/evidence.ts";
import { bodyAt, type CodeFile, type CodeView, importsFile } from "./code-view.ts";
import type { FailureGroup } from "./failure-groups.ts";
import type { Piece } from "./piece-facts.ts";
import { roleOf } from "./roles.ts";
import { mentions, namedIn, namesIn } from "./words.ts";

/** How surely a piece of the patch answers a group of failures, and why. */
export interface Link {
  readonly score: number;
  readonly why: string;
  /** All it says is that the piece lies in a function that the failure went through. */
  readonly byFunction?: boolean;
}

/** A rule looks at one failure and one piece. 0 to 1; null when it has nothing to say. */
type Rule = (failure: Failure, piece: Piece, context: LinkContext) => Link | null;

export interface LinkContext {
  readonly code: CodeView;
  /** Names that only the messages of this group speak of. */
  readonly names: readonly string[];
  /** In how many changed files a name occurs among the changed words. */
  readonly spread: (name: string) => number;
  /** Line numbers of the failures count in the failing commit. */
  readonly hasLines: boolean;
}

/** The best that any rule says about any failure of the group; null when none says anything. */
export function linkOf(group: FailureGroup, piece: Piece, context: LinkContext): Link | null {
  let best: Link | null = null;
  for (const failure of group.failures) {
    if (isProse(piece, failure)) continue;
    const rules = piece.isComment && failure.category !== "doc_docstring" ? RULES_FOR_COMMENTS : RULES;
    for (const rule of rules) {
      const link = rule(failure, piece, context);
      if (link !== null && link.score > (best?.score ?? 0)) best = link;
    }
  }
  return best;
}

/** Documentation repairs nothing unless the failure speaks of that very file. */
function isProse(piece: Piece, failure: Failure): boolean {
  return piece.role === "docs" && !mentions(`${failure.location?.file ?? ""}\n${failure.message}`, piece.oldPath);
}

// A finding's line and the line that mends it: a decorator, an import, a missing line stand right beside it.
const NEAR_LINES = 1;

/** The failure names a line that the piece changes, or stands right beside. */
const atItsLine: Rule = (failure, piece, { hasLines }) => {
  const { file, line } = failure.location ?? { file: null, line: null };
  if (!hasLines || file !== piece.oldPath) return null;
  if (isAt(line, piece, 0)) return { score: 0.95, why: `${file}:${line} is where it failed` };
  return isAt(line, piece, NEAR_LINES)
    ? { score: 0.78, why: `${file}:${line}, where it failed, is the line beside it` }
    : null;
};

/** A frame of the stack lies in the piece, or in the function that the piece changes. */
const onTheStack: Rule = (failure, piece, { hasLines, code }) => {
  if (!hasLines) return null;
  const frames = failure.stack.filter((frame) => frame.file === piece.oldPath);
  for (const frame of frames) {
    if (isAt(frame.line, piece, NEAR_LINES)) return { score: 0.92, why: `the stack holds ${frame.file}:${frame.line}` };
    const file = code.before(frame.file);
    const around = file === null || frame.line === null ? null : bodyAt(file, frame.line);
    if (around === null || roleOf(frame.file) === "test" || around.definition.kind === "type") continue;
    if (isWithin(piece, around.definition)) {
      return { score: 0.8, byFunction: true, why: `the stack holds ${around.definition.name} of ${frame.file}` };
    }
  }
  return null;
};

/** A formatter listed the file, and nothing but its layout changed here. */
const byFormatter: Rule = (failure, piece) => {
  if (failure.category !== "code_formatting" || !piece.isLayout) return null;
  const listed = failure.location?.file === piece.oldPath || mentions(failure.message, piece.oldPath);
  return listed
    ? { score: 0.95, why: `${failure.tool ?? "the formatter"} names ${piece.oldPath}, only layout differs` }
    : null;
};

const ABOUT_PACKAGES = ["dependency_issue", "package_install_error"];
const MISSING_PACKAGE =
  /cannot find (?:module|package)|no module named|could not (?:resolve|find)|unresolved import|failed to resolve|module not found|missing (?:module|package|dependency)/i;
const STALE_LOCK =
  /lock ?file|frozen|in sync|out[- ]of[- ](?:date|sync)|package-lock|needs to be updated|--locked|go\.sum/i;

/** Packages are put right in manifests and lock files. */
const byPackage: Rule = (failure, piece, { names }) => {
  if (piece.role !== "manifest" && piece.role !== "lockfile") return null;
  const text = `${piece.before}\n${piece.after}`;
  const name = names.filter((one) => one.length >= 3).find((one) => mentions(text, one));
  const isAboutPackages = ABOUT_PACKAGES.includes(failure.category) || MISSING_PACKAGE.test(failure.message);
  if (name !== undefined && isAboutPackages) return { score: 0.9, why: `the failure names the package ${name}` };
  if (piece.role === "lockfile" && isAboutPackages && STALE_LOCK.test(failure.message)) {
    return { score: 0.85, why: "the lock file was out of step" };
  }
  return null;
};

/** The failure is about a file of settings, and the piece changes that file. */
const byConfiguration: Rule = (failure, piece) => {
  if (!["manifest", "config", "workflow"].includes(piece.role)) return null;
  if (!["configuration_error", "environment_error"].includes(failure.category)) return null;
  const named = failure.location?.file === piece.oldPath || mentions(failure.message, piece.oldPath);
  return named ? { score: 0.8, why: `the failure names ${piece.oldPath}` } : null;
};

/** The failure speaks of a name, and the piece is where that name is changed. */
const byName: Rule = (failure, piece, { names, spread, code }) => {
  if (failure.category === "code_formatting" || piece.role === "lockfile" || piece.role === "manifest") return null;
  const place = failure.location?.file ?? null;
  const changed = names.filter((name) => piece.words.has(name) && spread(name) <= MOST_FILES_OF_A_NAME);
  const [name] = changed;
  if (name === undefined) return null;
  const defines = piece.definitions.some((one) => names.includes(one.name));
  if (place === piece.oldPath) return { score: 0.85, why: `${name} of the message is changed in the file it names` };
  if (defines && changed.length > 0)
    return {
      score: 0.9,
      why: `it changes ${name} within ${piece.definitions.find((one) => names.includes(one.name))?.name}`,
    };
  const file = place === null ? null : code.before(place);
  if (file !== null && importsFile(file, piece.path))
    return { score: 0.8, why: `${name} of the message is changed in what ${place} imports` };
  return { score: changed.length > 1 ? 0.76 : 0.6, why: `it changes ${name}, which the message names` };
};

// papers §8.3: a symbol in more changed files than that links nothing.
const MOST_FILES_OF_A_NAME = 4;

const ABOUT_TESTS = ["test_failure", "assertion_error", "runtime_error"];

/** A failing test calls what the piece changes, or the piece mends the test. */
const byTest: Rule = (failure, piece, { code, hasLines }) => {
  if (!ABOUT_TESTS.includes(failure.category)) return null;
  const test = testOf(failure, code, hasLines);
  if (test === null) return null;
  if (piece.oldPath === test.file.path) {
    const own = test.definition !== null && isWithin(piece, test.definition);
    return own ? { score: 0.85, why: `it changes the failing test ${test.definition?.name}` } : null;
  }
  if (piece.role !== "source" && piece.role !== "generated") return null;
  if (!tests(test.file, piece.path)) return null;
  const called = new Set(namesIn(test.body));
  const direct = piece.definitions.find((one) => called.has(one.name));
  if (direct !== undefined)
    return { score: 0.8, byFunction: true, why: `the failing test calls ${direct.name} of ${piece.path}` };
  const source = code.before(piece.oldPath);
  const between = source?.definitions.find(
    (one) =>
      one.kind !== "type" &&
      called.has(one.name) &&
      piece.definitions.some(
        (inner) => inner.kind !== "type" && inner.name !== one.name && mentions(textOf(source, one), inner.name),
      ),
  );
  return between === undefined
    ? null
    : { score: 0.76, byFunction: true, why: `the failing test calls ${between.name}, which uses what it changes` };
};

const RULES: readonly Rule[] = [atItsLine, onTheStack, byFormatter, byPackage, byConfiguration, byName, byTest];
// A comment repairs only what complains about that very line.
const RULES_FOR_COMMENTS: readonly Rule[] = [atItsLine, byFormatter];

/** The piece lies in the file in question. What only adds is at a line when it takes the place of it. */
function isAt(line: number | null, { place, before, rewrites }: Piece, near: number): boolean {
  if (line === null || place === null) return false;
  const within = place.first <= line && line <= place.last;
  if (before === "") return within && (rewrites || (near > 0 && place.last - place.first === 1));
  return place.first - near <= line && line <= place.last + near;
}

function isWithin({ place }: Piece, { start, end }: { readonly start: number; readonly end: number }): boolean {
  return place !== null && start <= place.last && place.first <= end;
}

function textOf(file: CodeFile, { start, end }: { readonly start: number; readonly end: number }): string {
  return file.lines.slice(start - 1, end).join("\n");
}

interface FailingTest {
  readonly file: CodeFile;
  readonly definition: { readonly name: string; readonly start: number; readonly end: number } | null;
  readonly body: string;
}

/** The test that failed, as it stood in the failing commit. */
function testOf(failure: Failure, code: CodeView, hasLines: boolean): FailingTest | null {
  const places = [failure.location, ...failure.stack].flatMap((place) => (place === null ? [] : [place]));
  const inTest = places.find((place) => roleOf(place.file) === "test" && code.before(place.file) !== null);
  const file = inTest === undefined ? null : code.before(inTest.file);
  if (file === null) return null;
  const name =
    failure.testId
      ?.split(/\s>\s|::|\//)
      .at(-1)
      ?.replace(/\[.*\]$/, "")
      .trim() ?? null;
  const byName = file.definitions.find((one) => one.name === name && one.kind !== "value");
  const line = hasLines ? (inTest?.line ?? null) : null;
  const around = line === null ? [] : file.definitions.filter(({ start, end }) => start <= line && line <= end);
  const definition = byName ?? around.findLast(({ kind }) => kind === "test" || kind === "function") ?? null;
  return { file, definition, body: definition === null ? file.text : textOf(file, definition) };
}

/** Whether a test file is about a source file: it imports it, lies in the same package (Go), or is named after it. */
function tests(test: CodeFile, source: string): boolean {
  if (importsFile(test, source)) return true;
  const folder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
  if (test.path.endsWith("_test.go")) return folder(test.path) === folder(source);
  const stem = (path: string): string => path.slice(path.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
  const about = stem(test.path).replace(/^test_|[._-](?:test|spec)$|_test$|_spec$|(?:Test|Tests|Spec|IT)$/, "");
  return about !== "" && about === stem(source);
}

/** Names of each group's messages, those that several groups speak of left out. */
export function namesByGroup(groups: readonly FailureGroup[]): ReadonlyMap<string, readonly string[]> {
  const all = groups.map(
    ({ id, failures }) => [id, new Set(failures.flatMap(({ message }) => namedIn(message)))] as const,
  );
  const counts = new Map<string, number>();
  for (const [, names] of all) for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return new Map(all.map(([id, names]) => [id, [...names].filter((name) => counts.get(name) === 1)]));
}
