import type { LogLine } from "../domain/ci-run.ts";
import { relativePath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

const FILE = String.raw`(?<file>(?:[A-Za-z]:)?[^\s:'"()[\]]+\.(?:java|kts?|groovy|scala|xml|properties))`;
const FORMS: readonly RegExp[] = [
  // checkstyle's own printer; Ant's and Gradle's task put their mark in front.
  new RegExp(
    String.raw`^(?:\[ant:checkstyle\] )?\[(?:ERROR|WARN)\] ${FILE}:(?<line>\d+)(?::(?<col>\d+))?: (?<message>.*) \[(?<rule>[A-Z]\w+)\]\.?$`,
  ),
  // ktlint, also through its Gradle and Maven plug-ins.
  new RegExp(
    String.raw`^(?:\[ERROR\] )?${FILE}:(?<line>\d+):(?<col>\d+):? (?<message>\S.*) \((?:(?<rule>[a-z][\w-]+(?::[\w-]+)*)|cannot be auto-corrected.*)\)$`,
  ),
  // detekt.
  new RegExp(String.raw`^${FILE}:(?<line>\d+):(?<col>\d+): (?<message>\S.*) \[(?<rule>[A-Z]\w+)\]$`),
  // PMD and SpotBugs under Maven.
  /^\[(?:ERROR|INFO|WARNING)\] PMD Failure: (?<file>[\w.$]+):(?<line>\d+) Rule:(?<rule>\w+) (?<message>.*)$/,
  /^\[ERROR\] (?:High|Medium|Low): (?<message>.*) \[[\w.$,\s]+\] At (?<file>[\w$]+\.\w+):\[lines? (?<line>\d+)[^\]]*\] (?<rule>[A-Z_]+)$/,
];
const VIOLATIONS = /^(?:\[ERROR\] |> )?\s*(?:.*: )?The following files had format violations:$/;
const VIOLATING = /^(?:\[ERROR\])?\s{4,6}(\S+\.\w+)$/;
const WHERE = /^(?:\[ERROR\])?\s{8,10}@@ -(\d+)/;
const MAX_SPAN = 200;

/** Findings of checkstyle, ktlint, detekt, PMD, SpotBugs and Spotless, under Gradle, Maven or by hand. Each once. */
export function readJvmLint(lines: readonly LogLine[]): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const [at, line] of lines.entries()) {
    const read = VIOLATIONS.test(line.text) ? readViolations(lines, at) : readForm(line);
    for (const one of read) {
      const key = JSON.stringify([one.location, one.rule, one.message]);
      if (!found.has(key)) found.set(key, one);
    }
  }
  return [...found.values()];
}

function readForm({ number, text }: LogLine): readonly Diagnostic[] {
  for (const form of FORMS) {
    const groups = form.exec(text)?.groups;
    if (groups?.file === undefined) continue;
    const file = relativePath(groups.file) ?? groups.file;
    const col = groups.col === undefined ? null : Number(groups.col);
    const formats =
      /(?:^|:)(?:indent|no-|spacing|final-newline|max-line-length|argument-list-wrapping|import-ordering|trailing)/;
    return [
      {
        message: groups.message ?? text,
        rule: groups.rule ?? null,
        lines: [number],
        location: { file, line: Number(groups.line), col },
        category: formats.test(groups.rule ?? "") ? "code_formatting" : "linting",
      },
    ];
  }
  return [];
}

/** Spotless lists the files, each with the start of what it would change. */
function readViolations(lines: readonly LogLine[], at: number): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const [i, line] of lines.slice(at + 1, at + MAX_SPAN).entries()) {
    if (
      /^(?:\[ERROR\] )?(?:> |\* |Run |Violations also present|\.\.\. \(|-> )/.test(line.text) ||
      /^\S/.test(line.text.replace(/^\[ERROR\]/, ""))
    )
      break;
    const path = VIOLATING.exec(line.text)?.[1];
    if (path === undefined) continue;
    const hunk = WHERE.exec(lines[at + 2 + i]?.text ?? "")?.[1];
    const file = relativePath(path) ?? path;
    found.push({
      message: `${file} is not formatted`,
      rule: null,
      lines: [...(found.length === 0 ? [lines[at]?.number ?? 0] : []), line.number],
      location: { file, line: hunk === undefined ? null : Number(hunk), col: null },
      category: "code_formatting",
    });
  }
  return found;
}
