import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { guessCategory } from "./guess-category.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { relativePath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

const OPENS = /^(?:FAILURE: Build failed|\* What went wrong:)/;
const WRONG = /^\* What went wrong:$/;
const WHERE = /^(?:Build|Settings|Initialization|Script|Precompiled script) (?:file|plugin)? ?'(.+?)' line: (\d+)$/;
const OVER = /^\* |^BUILD FAILED|^={5,}$|^-{5,}$|^\d+ actionable tasks?:|^FAILURE: |^##\[/;
const TASK = /^(?:> Task )?(:[\w:.-]+) FAILED$/;
const EXECUTION = /^Execution failed for task '(:\S+?)'/;
const REASON = /^\s*> (?!Task |Run with|Get more)\S/;
// Below a reason: why a variant does not fit, what a script says and where, files that are not formatted.
const TELLING =
  /^\s+- Incompatible because|^\s*(?:build|settings|script)(?: file)? '.+': \d+: |^\s+Line \d+: |^e: |^\s+\^ \S|^\s{4,}(?:src|[\w-]+\/src)\/\S+$|^\s+- \S+: \S/;
const SCRIPT = /(?:build|settings|script)(?: file)? '(.+?)': (\d+): /;
// Another program or another reader has spoken.
const OTHERS = /Process 'command '.*'' finished with non-zero exit value/;
const EXPLAINED =
  /There were failing tests|Test process encountered|Compilation (?:failed|error)|Checkstyle rule violations|checkstyle violations|Lint found|KtLint|format violations|detekt|Analysis failed with|PMD rule violations|SpotBugs/i;
const MAX_REASONS = 12;

const CATEGORIES: readonly (readonly [RegExp, FailureClass])[] = [
  [
    /heap space|OutOfMemory|Unsupported class file|Could not target platform|No matching toolchains|toolchain|invalid source release|JAVA_HOME|requires at least JVM|incompatible with the Gradle|SDK location not found|License for package|NDK/i,
    "environment_error",
  ],
  [/Unable to create Root Module|configuration file/i, "configuration_error"],
  [
    /Could not (?:resolve|find|download|GET|HEAD)|No matching variant|No variants of|Cannot choose between|was not found in any of the following sources|conflict|Dependency verification failed|checksum/i,
    "dependency_issue",
  ],
  [/format violations|spotless|ktfmt/i, "code_formatting"],
  [/checkstyle|pmd|spotbugs|detekt|ktlint|\blint\b|animalsniffer|apiCheck|api check/i, "linting"],
  [
    /Could not compile (?:build|settings|script)|Script compilation error|A problem occurred (?:evaluating|configuring)|Could not (?:open|create|set|get unknown)|not found in root project|Unknown command-line option|Cannot locate tasks/i,
    "configuration_error",
  ],
  [/javadoc|dokka|asciidoctor/i, "doc_docstring"],
  [/failing tests|Test process|coverage|jacoco/i, "test_failure"],
  [/Compilation|:\S*(?:compile|kapt|ksp)\w*'/i, "type_checking"],
];

/** Gradle's own account of a failed build. `explained`: tests, compilers or linters have told why. */
export function readGradleBuild(lines: readonly LogLine[], explained: boolean): readonly Diagnostic[] {
  const tasks = new Map<string, LogLine>();
  const found = new Map<string, Diagnostic>();
  let where: Location | null = null;
  const kotlinScripts = lines.some(({ text }) => /\.gradle\.kts\b/.test(text));
  for (const [at, line] of lines.entries()) {
    const task = TASK.exec(line.text)?.[1];
    if (task !== undefined && !tasks.has(task)) tasks.set(task, line);
    if (OPENS.test(line.text) && !WRONG.test(line.text)) where = null;
    const stands = WHERE.exec(line.text);
    if (stands !== null)
      where = { file: relativePath(stands[1] ?? "") ?? stands[1] ?? "", line: Number(stands[2]), col: null };
    if (!WRONG.test(line.text)) continue;
    const one = readBlock(lines, at, { tasks, where, explained, kotlinScripts });
    where = null;
    if (one !== null && !found.has(one.message)) found.set(one.message, one);
  }
  return [...found.values()];
}

interface Seen {
  readonly tasks: ReadonlyMap<string, LogLine>;
  readonly where: Location | null;
  readonly explained: boolean;
  readonly kotlinScripts: boolean;
}

function readBlock(lines: readonly LogLine[], at: number, seen: Seen): Diagnostic | null {
  const below = lines.slice(at + 1, at + 200);
  const end = below.findIndex(({ text }) => OVER.test(text));
  const block = (end === -1 ? below : below.slice(0, end)).filter(({ text }) => text.trim() !== "");
  const text = block.map((line) => line.text).join("\n");
  if (OTHERS.test(text) || (seen.explained && EXPLAINED.test(text))) return null;
  // Other programs print in between.
  const head =
    block.find((line) => EXECUTION.test(line.text)) ??
    block.find((line) => !TASK.test(line.text) && !REASON.test(line.text));
  if (head === undefined) return null;
  const task = EXECUTION.exec(head.text)?.[1];
  const reasons = block
    .filter((line) => line.number > head.number && (REASON.test(line.text) || TELLING.test(line.text)))
    .slice(0, MAX_REASONS);
  const failed =
    task === undefined ? undefined : (seen.tasks.get(task) ?? block.find((line) => TASK.exec(line.text)?.[1] === task));
  const numbers = [failed, head, ...reasons].flatMap((line) => line?.number ?? []);
  const words = reasons
    .filter((line) => REASON.test(line.text))
    .slice(0, 2)
    .map((line) => line.text.replace(/^\s*> |[.:]$/g, ""));
  const category = categoryOf(text);
  return {
    message: [head.text.trim().replace(/[.:]$/, ""), ...words].join(": "),
    rule: task ?? null,
    lines: [...new Set(numbers)].sort((a, b) => a - b),
    location: category === "infra_transient" ? null : (seen.where ?? placeIn(text) ?? moduleFile(task, category, seen)),
    category,
  };
}

function placeIn(text: string): Location | null {
  const script = SCRIPT.exec(text);
  if (script !== null) {
    const path = script[1] ?? "";
    return { file: relativePath(path) ?? path, line: Number(script[2]), col: null };
  }
  for (const [, path = "", line] of text.matchAll(
    /((?:\/|[A-Za-z]:\\)[^\s'"{}():,]+\.(?:java|kts?|groovy|gradle|xml|ya?ml|toml|properties))(?::(\d+))?/g,
  )) {
    const file = relativePath(path);
    if (file !== null && !/(?:^|\/)build\//.test(file))
      return { file, line: line === undefined ? null : Number(line), col: null };
  }
  return null;
}

// A compiler that names no file says at least whose sources it was at.
const COMPILES = /^(?:compile|kapt|ksp)/;

/**
 * What a module depends on stands in its build file: `:app:core:compileJava` → `app/core/build.gradle`. What it compiles
 * stands in its folder.
 */
function moduleFile(task: string | undefined, category: FailureClass, { kotlinScripts }: Seen): Location | null {
  if (task === undefined) return null;
  const folders = task.split(":").slice(1, -1);
  const isCompiling = COMPILES.test(task.split(":").at(-1) ?? "");
  if (isCompiling && folders.length > 0 && category !== "dependency_issue") {
    return { file: folders.join("/"), line: null, col: null };
  }
  if (category !== "dependency_issue") return null;
  return { file: [...folders, kotlinScripts ? "build.gradle.kts" : "build.gradle"].join("/"), line: null, col: null };
}

function categoryOf(text: string): FailureClass {
  if (isNetworkTrouble(text)) return "infra_transient";
  return CATEGORIES.find(([says]) => says.test(text))?.[1] ?? guessCategory(text);
}
