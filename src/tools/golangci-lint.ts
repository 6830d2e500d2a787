import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { withArgs } from "./program-call.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const ISSUE = /^((?:[A-Za-z]:[\\/])?[^\s:][^:]*\.\w+):(\d+)(?::(\d+))?: (.+) \(([a-z][\w-]*)\)$/;
// Issues of several lines carry the linter at the end of their last one.
const OPENS = /^((?:[A-Za-z]:[\\/])?[^\s:][^:]*\.go):(\d+)(?::(\d+))?: (\S.*)$/;
const CLOSES = /^(?!\s*\^).*\S \(([a-z][\w-]*)\)$/;
const MAX_SPAN = 12;
const OWN =
  /^level=(?:error|fatal) msg="(.*)"$|^(?:ERRO|level=error) (.*)$|^Error: ((?:can't load config|unknown linters|you are using a configuration).*)$/;
const SPEAKS = /\bgolangci-lint\b|^\d+ issues?:$/;

// What a linter of this name finds is not style (golangci-lint runs formatters and the type checker too).
const CATEGORIES: Readonly<Record<string, FailureClass>> = {
  typecheck: "type_checking",
  gofmt: "code_formatting",
  gofumpt: "code_formatting",
  goimports: "code_formatting",
  gci: "code_formatting",
  golines: "code_formatting",
  swaggo: "code_formatting",
};

export const golangciLint: Tool = {
  name: "golangci-lint",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["golangci-lint"]),
  /** One diagnostic an issue; else what it says of its own configuration. */
  read: (step) => {
    const named = SPEAKS.test(step.uses ?? "") || SPEAKS.test(step.command ?? "");
    if (!named && !step.lines.some(({ text }) => SPEAKS.test(text.slice(0, 2_000)))) return [];
    const lines = bareLines(step);
    const issues = lines.flatMap((line, at) => readIssue(line, lines, at));
    return issues.length > 0 ? issues : lines.flatMap(readOwn);
  },
  fix: {
    /** `golangci-lint run` → `golangci-lint run --fix`: formatters and those linters that know how. */
    derive: (command) => {
      const call = programOf(command);
      if (call?.program !== "golangci-lint" || call.args[0]?.value !== "run") return null;
      if (call.args.some(({ value }) => value === "--fix")) return null;
      return withArgs(call, ["run", "--fix", ...call.args.slice(1).map(({ raw }) => raw)]);
    },
    installs: true, // it type checks, so it may have to fetch modules
    mayTouch: (path) => path.endsWith(".go"),
    proven: "derivation-only",
  },
};

function readIssue(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic[] {
  const whole = ISSUE.exec(line.text);
  if (whole !== null) return [toDiagnostic(whole, whole[4] ?? "", whole[5] ?? "", [line])];
  const open = OPENS.exec(line.text);
  if (open === null) return [];
  const below = lines.slice(at + 1, at + MAX_SPAN);
  const stop = below.findIndex(({ text }) => CLOSES.test(text) || OPENS.test(text));
  const rule = CLOSES.exec(below[stop]?.text ?? "")?.[1];
  if (stop === -1 || rule === undefined || ISSUE.test(below[stop]?.text ?? "")) return [];
  const block = [line, ...below.slice(0, stop + 1)];
  return [toDiagnostic(open, open[4] ?? "", rule, block)];
}

function toDiagnostic(
  [, path = "", line, col]: RegExpExecArray,
  message: string,
  rule: string,
  quoted: readonly LogLine[],
): Diagnostic {
  const category = CATEGORIES[rule];
  return {
    message,
    rule,
    lines: quoted.map(({ number }) => number),
    location: {
      file: repositoryPath(path) ?? path,
      line: Number(line),
      col: col === undefined ? null : Number(col),
    },
    ...(category === undefined ? {} : { category }),
  };
}

function readOwn({ number, text }: LogLine): Diagnostic[] {
  const [, quoted, plain, fatal] = OWN.exec(text) ?? [];
  const message = quoted ?? plain ?? fatal ?? "";
  if (message === "") return [];
  const config = /config|unknown linters|unsupported version/.test(message);
  const old = /go language version \(\S+\) used to build golangci-lint is lower/.test(message);
  const category: FailureClass = old ? "environment_error" : config ? "configuration_error" : "linting";
  return [{ message: message.replace(/\\"/g, '"'), lines: [number], rule: null, category }];
}
