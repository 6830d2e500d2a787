import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { withArgs } from "./program-call.ts";
import { readPytestSection } from "./pytest-section.ts";
import { pythonCategory } from "./python-category.ts";
import { relativePath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import { quoteWord } from "./shell-words.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const BANNER =
  /^(?:=+|\[gw\d+\].*?) ?(FAILURES|ERRORS|short test summary info|warnings summary.*|.*\b(?:passed|failed|error|no tests ran)\b.*) ?=+$/;
const TITLE = /^_{3,} ?(.+?) ?_{3,}$/;
const SUMMARY = /^(FAILED|ERROR) (\S+?\.py(?:::.*?)?|\S+\/\S*?)(?: - (.*))?$/;
// What stops pytest before or after its tests, each in a line of its own.
const SINGLES: readonly {
  readonly says: RegExp;
  readonly rule?: string;
  readonly category: NonNullable<Diagnostic["category"]>;
}[] = [
  {
    says: /^(?:ERROR: )?((?:Coverage failure|FAIL(?: Required)?|FAIL Required test coverage|Required test coverage).*(?:less than fail[-_]under|not reached|below).*)$/,
    rule: "coverage",
    category: "test_failure",
  },
  { says: /^ERROR: (file or directory not found: .*|not found: .*|no tests ran.*)$/, category: "configuration_error" },
  {
    says: /^(?:pytest: |__main__\.py: |py\.test: )?ERROR: (usage: .*|unrecognized arguments: .*)$/,
    category: "configuration_error",
  },
  { says: /^(?:\S+: )?error: (unrecognized arguments: .*|argument .*)$/, category: "configuration_error" },
  {
    says: /^ERROR: (.*\b(?:pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|conftest)\b.*)$/,
    category: "configuration_error",
  },
  {
    says: /^(?:E {3,})?(pytest\.PytestConfigWarning: .*|ImportError while loading conftest .*)$/,
    category: "runtime_error",
  },
  { says: /^(\S*python\S*: No module named \S+)$/, category: "dependency_issue" },
];

export const pytest: Tool = {
  name: "pytest",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => runs(command, ["pytest", "py.test"]),
  read: (step) => {
    const lines = bareLines(step);
    const sections = readSections(lines);
    const summary = readSummary(lines);
    if (!lines.some(({ text }) => BANNER.test(text)) && summary.length === 0)
      return [...readInternal(lines), ...readSingles(lines)];
    return [...merge(sections, summary), ...readInternal(lines), ...readSingles(lines)];
  },
  /** `pytest path::test`: the failing node ids instead of the paths the command names. */
  narrow: (command, diagnostics) => {
    const call = programOf(command);
    if (!call || !/^py\.?test$/.test(call.program) || diagnostics.length === 0) return null;
    const ids = diagnostics.map(({ testId, location }) => testId ?? location?.file ?? null);
    if (ids.some((id) => id === null || !/\.py(?:::|$)/.test(id))) return null;
    const kept = call.args.filter(
      ({ value }, i) => value.startsWith("-") || VALUED.test(call.args[i - 1]?.value ?? ""),
    );
    const wanted = [...new Set(ids.filter((id) => id !== null))].sort();
    return withArgs(call, [...kept.map(({ raw }) => raw), ...wanted.map(quoteWord)]);
  },
};

/** Options of pytest, xdist and pytest-cov whose value is the next word. */
const VALUED =
  /^(?:-[kmcnpoWr]|--(?:rootdir|maxfail|durations|tb|junitxml|cov-config|dist|basetemp|timeout|ignore|deselect))$/;

interface Section {
  /** `TestA.test_b[x]`, or the file of `ERROR collecting …`. */
  readonly name: string;
  readonly collecting: boolean;
  readonly diagnostic: Diagnostic;
}

/** The `____ test_x ____` parts under FAILURES and ERRORS. */
function readSections(lines: readonly LogLine[]): Section[] {
  const sections: Section[] = [];
  let inside = false;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i];
    if (!line) break;
    const banner = BANNER.exec(line.text)?.[1];
    if (banner !== undefined) inside = banner === "FAILURES" || banner === "ERRORS";
    const title = inside ? TITLE.exec(line.text)?.[1] : undefined;
    if (title === undefined) continue;
    let end = i + 1;
    while (end < lines.length && !TITLE.test(lines[end]?.text ?? "") && !BANNER.test(lines[end]?.text ?? "")) end++;
    const name = title.replace(/^ERROR (?:collecting|at (?:setup|teardown) of) /, "").replace(/^\[doctest\] /, "");
    const collecting = title.startsWith("ERROR collecting");
    sections.push({
      name,
      collecting,
      diagnostic: readPytestSection(line, lines.slice(i + 1, end), collecting ? name : null),
    });
    i = end - 1;
  }
  return sections;
}

interface SummaryLine {
  readonly line: LogLine;
  readonly id: string;
  readonly message: string | null;
}

function readSummary(lines: readonly LogLine[]): SummaryLine[] {
  const seen = new Set<string>();
  return lines.flatMap((line) => {
    const match = SUMMARY.exec(line.text);
    const id = match?.[2];
    // With `-v` the running report says `FAILED` behind the id; only the summary has it in front.
    if (id === undefined || seen.has(id)) return [];
    seen.add(id);
    return [{ line, id, message: match?.[3] ?? null }];
  });
}

/** Sections know why, the summary knows the node id: one diagnostic for each test that either names. */
function merge(sections: readonly Section[], summary: readonly SummaryLine[]): Diagnostic[] {
  const waiting = new Map<string, SummaryLine[]>();
  for (const line of summary) {
    const name = sectionName(line.id);
    const list = waiting.get(name);
    if (list) list.push(line);
    else waiting.set(name, [line]);
  }
  const told = new Set<SummaryLine>();
  const found = sections.map((section) => {
    const candidates = waiting.get(section.name) ?? [];
    const line = candidates.find((one) => !told.has(one) && isSameFile(one.id, section.diagnostic));
    if (!line) return section.diagnostic;
    told.add(line);
    return withNodeId(section, line);
  });
  return [...found, ...summary.filter((line) => !told.has(line)).map(fromSummary)];
}

/** How a section's title calls the test of a node id: `a.py::TestB::test_c[1]` → `TestB.test_c[1]`, a file itself. */
function sectionName(id: string): string {
  const [file = "", ...path] = id.split("::");
  return path.length === 0 ? file : path.join(".");
}

/** Two files may hold tests of one name: the frames tell them apart where there are any. */
function isSameFile(id: string, { location, stack }: Diagnostic): boolean {
  const file = id.split("::")[0] ?? "";
  const known = [location?.file, ...(stack ?? []).map((frame) => frame.file)].filter((one) => one !== undefined);
  return known.length === 0 || known.some((one) => one.endsWith(file) || file.endsWith(one));
}

function withNodeId({ name, collecting, diagnostic }: Section, { id, line, message }: SummaryLine): Diagnostic {
  const silent = message !== null && diagnostic.message === name;
  return {
    ...diagnostic,
    ...(silent ? { message, category: pythonCategory(message) } : {}),
    testId: collecting || !id.includes("::") ? null : id,
    lines: [...diagnostic.lines.slice(0, MAX_QUOTED - 1), line.number].sort((a, b) => a - b),
  };
}

function fromSummary({ line, id, message }: SummaryLine): Diagnostic {
  const [path = ""] = id.split("::");
  const said = message ?? id;
  return {
    message: said,
    lines: [line.number],
    testId: id.includes("::") ? id : null,
    location: { file: relativePath(path) ?? path, line: null, col: null },
    category: pythonCategory(said),
  };
}

/** `INTERNALERROR> …`: pytest or a plug-in of it broke; its last line names the error. */
function readInternal(lines: readonly LogLine[]): Diagnostic[] {
  const told = lines.filter(({ text }) => text.startsWith("INTERNALERROR> "));
  const last = told.findLast(({ text }) => /^INTERNALERROR> (?:E +)?[\w.]*(?:Error|Exception|Exit)\b/.test(text));
  if (!last) return [];
  const message = last.text.replace(/^INTERNALERROR> (?:E +)?/, "");
  return [{ message, rule: "INTERNALERROR", lines: [last.number], category: "runtime_error" }];
}

function readSingles(lines: readonly LogLine[]): Diagnostic[] {
  const seen = new Set<string>();
  return lines.flatMap(({ number, text }): Diagnostic[] => {
    for (const { says, rule, category } of SINGLES) {
      const message = says.exec(text)?.[1];
      if (message === undefined) continue;
      if (seen.has(message)) return [];
      seen.add(message);
      return [{ message, lines: [number], category, ...(rule ? { rule } : {}) }];
    }
    return [];
  });
}
