import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location, StackFrame } from "../domain/evidence.ts";

/** What a Java exception and its trace say. */
export interface JvmThrowable {
  readonly message: string;
  readonly lines: readonly number[];
  readonly expected: string | null;
  readonly actual: string | null;
  readonly location: Location | null;
  readonly stack: readonly StackFrame[];
  readonly category: FailureClass;
}

const FRAME =
  /^\s+at (?:[\w.-]+(?:@[\w.+-]+)?\/{1,2})?((?:[\w$]+\.)+)([^()]*?) ?\(([\w$-]+\.(?:java|kt|kts|groovy|scala)):(\d+)\)/;
const ANY_FRAME = /^\s+(?:at \S.*\(.*\)|\.{3} \d+ (?:more|common frames omitted)|~?\[\S+\])\s*$/;
// Gradle's short form puts the place into the line: `java.lang.AssertionError at TillTest.java:12`.
const SHORT = /^(\s*(?:Caused by: )?[\w$.]+) at ([\w$-]+\.(?:java|kt|groovy|scala)):(\d+)$/;
const EXCEPTION =
  /^\s*(?:[\w$]+\.)*[A-Z][\w$]*(?:Error|Exception|Failure|Throwable|Exit|Interrupt\w*|[A-Z]\w*)?(?:: .*|:)?$/;
const CAUSE = /^\s*Caused by: ?(.*)$/;
const FOREIGN =
  /^(?:java|javax|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|org\.(?:junit|gradle|apache\.maven|opentest4j|hamcrest|assertj|mockito|springframework|codehaus|testng|hibernate|spockframework|jetbrains)|io\.(?:mockk|kotest)|com\.google\.common\.truth|worker\.org)\./;
const SIDES =
  /expected:? ?\[?<?(?<a>[\s\S]*?)>?\]? (?:but was ?:?|but found) ?<?\[?(?<b>[\s\S]*?)\]?>?(?:$|\n)|expected ?: ?(?<c>.*)\n\s*but was ?: ?(?<d>.*)/i;
const ASSERTION =
  /(?:AssertionError|AssertionFailedError|ComparisonFailure|MultipleFailuresError|AssertionException|ConditionNotSatisfiedError|ExpectationException|AssertJMultipleFailuresError)\b/;

const MAX_MESSAGE = 8;
const MAX_CAUSES = 3;
const MAX_OWN = 5;

interface Frame extends StackFrame {
  readonly number: number;
  readonly klass: string;
  readonly line: number;
}

/**
 * Reads an exception and what follows it, up to `lines`' end. `testClass` is the failing test's simple name, where known:
 * its frame is where a failing test is looked at, and its package tells own frames from foreign ones.
 */
export function readThrowable(lines: readonly LogLine[], testClass: string | null): JvmThrowable | null {
  const start = lines.findIndex(({ text }) => text.trim() !== "");
  const head = lines[start];
  if (head === undefined || ANY_FRAME.test(head.text) || !(EXCEPTION.test(head.text) || SHORT.test(head.text)))
    return null;
  const trace = lines.slice(start + 1).findIndex(({ text }) => ANY_FRAME.test(text) || CAUSE.test(text));
  const said = lines
    .slice(start + 1, trace === -1 ? lines.length : start + 1 + trace)
    .filter(({ text }) => text.trim() !== "");
  const words = said.slice(0, MAX_MESSAGE);
  const rest = trace === -1 ? [] : lines.slice(start + 1 + trace);
  const own = ownFrames(rest, testClass);
  const causes = causesIn(rest);
  const message = [head, ...words].map(({ text }) => text.trim().replace(/ at [\w$-]+\.\w+:\d+$/, "")).join("\n");
  const groups = SIDES.exec(message)?.groups;
  const first = FRAME.test(rest[0]?.text ?? "") || rest.length > 0 ? own : [];
  return {
    message,
    lines: [head, ...words, ...first.slice(0, MAX_OWN), ...causes].map(({ number }) => number).sort((a, b) => a - b),
    expected: groups?.a ?? groups?.c ?? null,
    actual: groups?.b ?? groups?.d ?? null,
    location: placeOf(own, testClass) ?? shortPlace(head.text),
    stack: own.map(({ file, line, fn }) => ({ file, line, fn })),
    category: categoryOf(message, causes),
  };
}

/** Frames of the project in the outermost trace; in those of causes only where it has none. */
function ownFrames(rest: readonly LogLine[], testClass: string | null): readonly Frame[] {
  const cause = rest.findIndex(({ text }) => CAUSE.test(text));
  const frames = rest.flatMap(readFrame);
  const test = frames.find(({ klass }) => klass === testClass);
  const prefix = test === undefined ? null : projectOf(test.file);
  const own = frames.filter(({ file }) => {
    if (prefix !== null) return file.startsWith(prefix);
    return !FOREIGN.test(file.replaceAll("/", "."));
  });
  const limit = cause === -1 ? Number.POSITIVE_INFINITY : (rest[cause]?.number ?? 0);
  const outer = own.filter(({ number }) => number < limit);
  return outer.length > 0 ? outer : own.slice(0, 1);
}

function readFrame({ number, text }: LogLine): Frame[] {
  const [, path = "", fn = "", base = "", line] = FRAME.exec(text) ?? [];
  if (base === "") return [];
  const packages = path.split(".").filter((part) => /^[a-z_]/.test(part));
  const file = [...packages, base].join("/");
  return [{ number, file, line: Number(line), fn, klass: base.replace(/\.\w+$/, "") }];
}

/** `org/jabref/gui/X.java` → `org/jabref/`; `okhttp3/internal/X.kt` → `okhttp3/`: what stands behind a top-level domain is the owner. */
function projectOf(file: string): string {
  const parts = file.split("/").slice(0, -1);
  const depth = (parts[0]?.length ?? 0) <= 3 ? 2 : 1;
  return parts.length === 0 ? "" : `${parts.slice(0, depth).join("/")}/`;
}

function placeOf(own: readonly Frame[], testClass: string | null): Location | null {
  const place =
    own.findLast(({ klass }) => klass === testClass) ??
    own.findLast(({ klass }) => /(?:Test|Tests|TestCase|Spec|IT)$/.test(klass)) ??
    own[0];
  return place === undefined ? null : { file: place.file, line: place.line, col: null };
}

function shortPlace(text: string): Location | null {
  const [, , file, line] = SHORT.exec(text) ?? [];
  return file === undefined ? null : { file, line: Number(line), col: null };
}

/** The words of each cause; some printers put them on a line of their own. */
function causesIn(rest: readonly LogLine[]): readonly LogLine[] {
  const causes = rest.flatMap((line, at): LogLine[] => {
    const said = CAUSE.exec(line.text)?.[1];
    if (said === undefined) return [];
    const next = rest[at + 1];
    return said.trim() !== "" || next === undefined ? [line] : [next];
  });
  // The last cause is the root.
  return causes.length <= MAX_CAUSES ? causes : [...causes.slice(0, MAX_CAUSES - 1), ...causes.slice(-1)];
}

function categoryOf(message: string, causes: readonly LogLine[]): FailureClass {
  const head = message.split("\n", 1)[0] ?? "";
  if (ASSERTION.test(head)) return "assertion_error";
  if (
    [head, ...causes.map(({ text }) => text)].some((text) => /OutOfMemoryError|UnsupportedClassVersionError/.test(text))
  )
    return "environment_error";
  return "runtime_error";
}
