import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const FAIL = /^(?:FAIL|TIMEOUT|FLAKY): (\/\/\S+)(?: \(.*)?$/;
const SUMMARY = /^(\/\/\S+) +(?:FAILED(?: TO BUILD)?|TIMEOUT|NO STATUS)\b.*$/;
const COMPLETED = /^INFO: Build completed, \d+ tests? FAILED/;
const ERROR = /^ERROR: (\S+?(?:BUILD(?:\.bazel)?|\.bzl|WORKSPACE|MODULE\.bazel)):(\d+):(\d+): (.+)$/;
const ALONE =
  /^ERROR: ((?:no such (?:package|target)|Skipping '|Error computing|error loading package|Unable to|Unrecognized option|Config value|The lockfile|MODULE\.bazel|cycle in dependency graph|Failed to load Starlark|Analysis of target).+)$/;
// Under a failed action bazel prints what its program said.
const OUTPUT_END = /^(?:Target |INFO: |ERROR: |FAILED: |Use --|\[\d|\/\/|Loading: |Analyzing: )/;
const MAX_OUTPUT = 10;

export const bazel: Tool = {
  name: "bazel",
  kind: "build",
  category: "test_failure",
  answersTo: (command) => runs(command, ["bazel", "bazelisk", "blaze"]),
  /** Failed targets, each with every line that names it, and what bazel itself refuses. */
  read: (step) => {
    const lines = bareLines(step);
    const completed = lines.find(({ text }) => COMPLETED.test(text));
    return [...targets(lines, completed), ...lines.flatMap((line, at) => readError(line, lines, at))];
  },
};

function targets(lines: readonly LogLine[], completed: LogLine | undefined): readonly Diagnostic[] {
  const found = new Map<string, number[]>();
  for (const { number, text } of lines) {
    const label = FAIL.exec(text)?.[1] ?? SUMMARY.exec(text)?.[1];
    if (label !== undefined) found.set(label, [...(found.get(label) ?? []), number].slice(0, MAX_QUOTED));
  }
  return [...found].map(([label, numbers]) => ({
    message: `${label} failed`,
    testId: label,
    lines: [...numbers, ...(completed ? [completed.number] : [])].sort((a, b) => a - b).slice(0, MAX_QUOTED),
    location: null,
    category: /lint|vet|format|style/i.test(label) ? "linting" : "test_failure",
  }));
}

function readError(line: LogLine, lines: readonly LogLine[], at: number): readonly Diagnostic[] {
  const alone = ALONE.exec(line.text)?.[1];
  if (alone !== undefined) return [{ message: alone, lines: [line.number], location: null, category: classOf(alone) }];
  const [, path, row, col, message] = ERROR.exec(line.text) ?? [];
  if (path === undefined || message === undefined) return [];
  const below = lines.slice(at + 1, at + 1 + MAX_OUTPUT);
  const end = below.findIndex(({ text }) => OUTPUT_END.test(text));
  const output = (end === -1 ? below : below.slice(0, end)).filter(({ text }) => text.trim() !== "");
  const ran = /failed: \(Exit \d+\)/.test(message);
  return [
    {
      message,
      lines: [line, ...(ran ? output : [])].map(({ number }) => number),
      location: { file: repositoryPath(path) ?? path, line: Number(row), col: Number(col) },
      category: ran ? ranClass(message) : classOf(message),
    },
  ];
}

function ranClass(message: string): FailureClass {
  return /^(?:Compiling|Linking|Building|Generating|GoCompilePkg|KotlinCompile|scala)/.test(message)
    ? "type_checking"
    : "configuration_error";
}

function classOf(message: string): FailureClass {
  if (isNetworkTrouble(message)) return "infra_transient";
  if (/syntax error/.test(message)) return "syntax_error";
  return /lockfile|checksum|no such package '@/.test(message) ? "dependency_issue" : "configuration_error";
}
