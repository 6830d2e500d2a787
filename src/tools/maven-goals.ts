import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { relativePath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

const GOAL =
  /^\[ERROR\] Failed to execute goal (?:(?:[\w.-]+:)?([\w.-]+):([\w.-]+):([\w-]+) (?:\(\S+\) )?)?on project (\S+): (.*)$/;
const HELP = / -> \[Help \d+\]$/;
const POM =
  /^\[(?:ERROR|FATAL)\] (?:\[ERROR\] )?((?:(?:Non-parseable|Non-readable|Malformed) POM|Non-resolvable (?:parent|import) POM|Child module|'[\w.]+' |Duplicate |Unresolveable build extension).*?)(?: +@ (?:(\S+), )?line (\d+), column (\d+))?(?: -> \[Help \d+\])?$/;
const PLAIN =
  /^\[ERROR\] ((?:Unknown lifecycle phase|No plugin found for prefix|Plugin \S+ or one of its dependencies|Could not find (?:the selected project|goal)|Error (?:resolving|executing Maven)|The goal you specified requires|Unable to parse|Could not create local repository|Unrecognized option|Unable to parse command line).*)$/;
const MORE = /^\[ERROR\] +\S/;
const ADVICE =
  /^\[ERROR\] *(?:$|->|To see the full|Re-run Maven|For more information|\[Help|After correcting|mvn <args>|Please refer to|-> \[Help)/;
const CAUSE = /^Caused by: (\S.*)$/;
// Another program failed: it has spoken for itself.
const OTHERS =
  /Command execution failed|Failed to run task|Process exited with an error|An Ant BuildException|exec-maven|Result of .* is: /;
const MAX_MORE = 6;
// A trace with its causes is seldom longer.
const MAX_TRACE = 400;

const CATEGORIES: readonly (readonly [RegExp, FailureClass])[] = [
  [
    /heap space|OutOfMemory|invalid target release|release version \S+ not supported|invalid source release|No compiler is provided|JAVA_HOME|Unsupported class file|class file version/i,
    "environment_error",
  ],
  [
    /Could not resolve|Could not find artifact|Could not transfer|Failure to (?:find|transfer)|not (?:found|resolve)|could not be resolved|Non-resolvable|dependency|convergence|banned/i,
    "dependency_issue",
  ],
  [/format violations|spotless|formatter-maven|fmt-maven|impsort|not formatted|tidy/i, "code_formatting"],
  [
    /checkstyle|pmd|spotbugs|findbugs|violations|license|rat-plugin|unapproved|animal-sniffer|revapi|japicmp|ktlint|detekt/i,
    "linting",
  ],
  [/javadoc|asciidoctor|:site/i, "doc_docstring"],
  [/Coverage checks|test failures|surefire|failsafe|forked VM/i, "test_failure"],
  [/compil|kapt|ksp/i, "type_checking"],
  [/enforcer|POM|version' for|lifecycle phase|prefix|reactor|option/i, "configuration_error"],
];

/** What Maven itself says: poms it cannot use, dependencies it cannot get, goals that failed. `explained`: other readers told why. */
export function readMavenGoals(lines: readonly LogLine[], explained: boolean): readonly Diagnostic[] {
  const poms = lines.flatMap(readPom);
  if (poms.length > 0) return distinct(poms);
  const goals = lines.flatMap((line, at) => readGoal(line, lines, at, explained));
  return goals.length > 0 ? distinct(goals) : distinct(lines.flatMap(readPlain));
}

function readPom({ number, text }: LogLine): Diagnostic[] {
  const [, message, file, line, col] = POM.exec(text) ?? [];
  if (message === undefined) return [];
  const path = /(\S+\.xml)\b/.exec(file ?? message)?.[1];
  const away = isNetworkTrouble(message);
  return [
    {
      message,
      lines: [number],
      location: away
        ? null
        : {
            file: (path === undefined ? null : relativePath(path)) ?? "pom.xml",
            line: line === undefined ? null : Number(line),
            col: col === undefined ? null : Number(col),
          },
      category: away
        ? "infra_transient"
        : /Non-resolvable|Unresolveable/.test(message)
          ? "dependency_issue"
          : "configuration_error",
    },
  ];
}

function readGoal(line: LogLine, lines: readonly LogLine[], at: number, explained: boolean): Diagnostic[] {
  const [, plugin, , goal, project = "", said = ""] = GOAL.exec(line.text) ?? [];
  if (project === "" || OTHERS.test(said)) return [];
  const checks = /compil|surefire|failsafe|checkstyle|spotless|ktlint|detekt|pmd|spotbugs/.test(plugin ?? "");
  if (explained && checks) return [];
  const more: LogLine[] = [];
  if (!HELP.test(line.text))
    for (const next of lines.slice(at + 1, at + 1 + MAX_MORE)) {
      if (ADVICE.test(next.text) || !MORE.test(next.text)) break;
      more.push(next);
    }
  const root = rootCause(lines.slice(at + 1, at + 1 + MAX_TRACE));
  const words = said.replace(HELP, "");
  const text = [plugin, goal, words, ...more.map((one) => one.text), root?.text].join("\n");
  return [
    {
      message: `${plugin === undefined ? "" : `${plugin}:${goal ?? ""}: `}${words}`,
      rule: plugin ?? null,
      lines: [line, ...more, ...(root === null ? [] : [root])].map(({ number }) => number),
      location: placeIn(text),
      category: isNetworkTrouble(text) ? "infra_transient" : categoryOf(text),
    },
  ];
}

/** With `-e` the trace follows; its last cause is why. */
function rootCause(below: readonly LogLine[]): LogLine | null {
  const end = below.findIndex(({ text }) => /^\[ERROR\]|^\[INFO\]/.test(text));
  return (end === -1 ? below : below.slice(0, end)).findLast(({ text }) => CAUSE.test(text)) ?? null;
}

function placeIn(text: string): Location | null {
  const [, path = "", line, col] =
    /((?:\/|[A-Za-z]:\\)\S+?\.(?:java|kts?|xml|properties))(?::\[?(\d+)(?:[,:](\d+))?)?/.exec(text) ?? [];
  const file = path === "" ? null : relativePath(path);
  if (file === null) return null;
  return { file, line: line === undefined ? null : Number(line), col: col === undefined ? null : Number(col) };
}

function readPlain({ number, text }: LogLine): Diagnostic[] {
  const message = PLAIN.exec(text)?.[1]?.replace(HELP, "");
  if (message === undefined) return [];
  return [{ message, lines: [number], category: isNetworkTrouble(message) ? "infra_transient" : categoryOf(message) }];
}

function categoryOf(text: string): FailureClass {
  return CATEGORIES.find(([says]) => says.test(text))?.[1] ?? "configuration_error";
}

function distinct(all: readonly Diagnostic[]): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const one of all) if (!found.has(one.message)) found.set(one.message, one);
  return [...found.values()];
}
