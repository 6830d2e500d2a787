import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { relativePath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

const FILE = String.raw`(?<file>(?:[A-Za-z]:)?[^\s:'"()[\]]+\.(?:java|kts?|groovy|scala))`;

interface Form {
  readonly says: RegExp;
  /** What stands below and says more; null when nothing does. */
  readonly more: RegExp | null;
  /** Lines between the head and what says more that say nothing of their own: the source and its caret. */
  readonly through: RegExp | null;
}

const SYMBOL = /^(?:\[ERROR\])?\s+(?:symbol|location|required|found|reason): *\S/;

// javac, kotlinc and groovyc, as they print and as Maven and Gradle pass them on.
const FORMS: readonly Form[] = [
  // maven-compiler-plugin, kotlin-maven-plugin; its other lines follow deeper.
  {
    says: new RegExp(
      String.raw`^\[ERROR\] (?:file:\/\/)?${FILE}:[[(](?<line>\d+)(?:, ?(?<col>\d+))?[\])] (?<message>\S.*)$`,
    ),
    more: /^(?:\[ERROR\])?\s{2,}\S/,
    through: null,
  },
  {
    says: new RegExp(String.raw`^\[ERROR\] file:\/\/${FILE}:(?<line>\d+):(?<col>\d+) (?<message>\S.*)$`),
    more: null,
    through: null,
  },
  // kotlinc under Gradle, before and since Kotlin 1.9.
  {
    says: new RegExp(String.raw`^e: (?:file:\/\/)?${FILE}: ?\(?(?<line>\d+)[:,] ?(?<col>\d+)\)?:? (?<message>\S.*)$`),
    more: null,
    through: null,
  },
  // kotlinc and scalac by hand.
  {
    says: new RegExp(String.raw`^(?:\[error\] )?${FILE}:(?<line>\d+):(?<col>\d+): (?:error: )(?<message>\S.*)$`),
    more: null,
    through: null,
  },
  // javac; kapt passes it on with `e: `, and older Gradle leaves the task's name without a line end in front.
  {
    says: new RegExp(
      String.raw`^(?:\s*\[javac\] )?(?:e: )?(?::[\w:]+(?=\/))?${FILE}:(?<line>\d+): error: (?<message>\S.*)$`,
    ),
    more: SYMBOL,
    through: /^\s*\^|^\s*\S/,
  },
  {
    says: new RegExp(String.raw`^${FILE}: (?<line>\d+): (?<message>.+?)(?: @ line \d+, column (?<col>\d+)\.)?$`),
    more: null,
    through: null,
  },
];

const BANNER = /^\[ERROR\] COMPILATION ERROR *:?/;
const HEAD_LIKE = /^(?:\[|e: |w: |\d+ errors?$|> |FAILURE|\S+:\d+: )/;
const MAX_MORE = 6;

// The parsers of javac, kotlinc and groovyc.
const SYNTAX =
  /^(?:(?:'.+'|<?identifier>?|class, interface.*|[\w, ]+ or [\w ]+) expected$|expecting |illegal (?:start|character)|unclosed |reached end of file|not a statement|unexpected (?:token|input)|syntax error|premature end|missing (?:'|method body))/i;

/** What Java, Kotlin and Groovy compilers refuse, each once, however often the build tool repeats it. */
export function readJvmCompile(lines: readonly LogLine[]): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  let banner: LogLine | null = null;
  for (const [at, line] of lines.entries()) {
    if (BANNER.test(line.text)) banner = line;
    const read = readForm(line, lines, at);
    if (read === null || found.has(read.key)) continue;
    const quoted = banner === null ? read.quoted : [banner, ...read.quoted];
    banner = null;
    found.set(read.key, { ...read.diagnostic, lines: quoted.map(({ number }) => number) });
  }
  return [...found.values()];
}

interface Read {
  readonly key: string;
  readonly quoted: readonly LogLine[];
  readonly diagnostic: Omit<Diagnostic, "lines">;
}

function readForm(line: LogLine, lines: readonly LogLine[], at: number): Read | null {
  if (!/\.(?:java|kts?|groovy|scala):/.test(line.text)) return null;
  for (const form of FORMS) {
    const groups = form.says.exec(line.text)?.groups;
    if (groups?.file === undefined) continue;
    const file = relativePath(groups.file) ?? groups.file;
    const message = (groups.message ?? "").replace(/^error: /, "");
    const check = /^\((\w+)\) (\w+): (.*)$/.exec(message);
    return {
      key: JSON.stringify([file, groups.line, groups.col, message]),
      quoted: [line, ...moreBelow(lines, at, form)],
      diagnostic: {
        message: check?.[3] ?? message,
        rule: check?.[2] ?? null,
        location: { file, line: Number(groups.line), col: groups.col === undefined ? null : Number(groups.col) },
        // The plug-in of checkstyle writes as the compiler does, with the kind of check in front.
        category: check === null ? categoryOf(message, moreBelow(lines, at, form)) : "linting",
      },
    };
  }
  return null;
}

function moreBelow(lines: readonly LogLine[], at: number, { more, through }: Form): readonly LogLine[] {
  if (more === null) return [];
  const below: LogLine[] = [];
  for (const line of lines.slice(at + 1, at + 1 + MAX_MORE)) {
    if (more.test(line.text)) below.push(line);
    else if (HEAD_LIKE.test(line.text) || through?.test(line.text) !== true) break;
  }
  return below;
}

function categoryOf(message: string, more: readonly LogLine[]): FailureClass {
  const text = [message, ...more.map((line) => line.text)].join("\n");
  if (
    /class file has wrong version|bad class file|compiled by a more recent version|was compiled with an incompatible version/.test(
      text,
    )
  )
    return "dependency_issue";
  return SYNTAX.test(message) ? "syntax_error" : "type_checking";
}
