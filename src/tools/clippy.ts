import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { subcommandAt } from "./cargo-fmt.ts";
import { withArgs } from "./program-call.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import type { ShellWord } from "./shell-words.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { mentions } from "./unformatted-files.ts";

const ERROR = /^error(?:\[(E\d+)\])?: (.*)$/;
const COUNT = /^(?:could not compile|aborting due to|process didn't exit|\d+ errors? emitted)/;
const PLACE = /^\s*--> (\S.*?):(\d+):(\d+)$/;
const LINT = /rust-clippy\/[^#]*#(\w+)|`-D (clippy::[\w-]+|[a-z][\w-]+)`|#\[deny\((?:clippy::)?(\w+)\)\]/;

export const clippy: Tool = {
  name: "clippy",
  kind: "lint",
  category: "linting",
  answersTo: (command) => subcommandAt(command, "clippy") !== -1,
  /** Errors with a place; lints by their name, compiler errors by their code. */
  read: (step) => {
    if (!mentions(step, /\bclippy\b/)) return [];
    const lines = bareLines(step);
    return lines.flatMap((line, at) => readError(line, lines.slice(at + 1, at + 60)));
  },
  fix: {
    derive: fixedClippy,
    installs: true, // it compiles, so it may have to fetch crates
    mayTouch: (path) => path.endsWith(".rs"),
    proven: "derivation-only",
  },
};

function readError({ number, text }: LogLine, after: readonly LogLine[]): Diagnostic[] {
  const [, code, message] = ERROR.exec(text) ?? [];
  if (message === undefined || COUNT.test(message)) return [];
  const place = after.slice(0, 2).find((line) => PLACE.test(line.text));
  const [, path = "", line, col] = PLACE.exec(place?.text ?? "") ?? [];
  if (place === undefined) return [];
  const end = after.findIndex((next) => next.text.trim() === "" || ERROR.test(next.text));
  const block = after.slice(0, end === -1 ? after.length : end);
  const lint = block.map((next) => LINT.exec(next.text)).find((found) => found !== null);
  const rule = lint?.[1] ?? lint?.[2]?.replace("clippy::", "") ?? lint?.[3];
  return [
    {
      message,
      rule: code ?? rule ?? null,
      lines: [number, place.number],
      location: { file: repositoryPath(path) ?? path, line: Number(line), col: Number(col) },
      ...categoryOf(code, rule),
    },
  ];
}

function categoryOf(code: string | undefined, rule: string | undefined): { readonly category?: FailureClass } {
  if (code !== undefined) return { category: "type_checking" };
  return rule === undefined ? { category: "syntax_error" } : {};
}

/**
 * `--fix` works on what only warns: rustfix leaves a crate alone that does not compile, and a denied lint counts as such.
 * So denials behind `--` become warnings, and `-D warnings` goes.
 */
function fixedClippy(command: string): string | null {
  const call = programOf(command);
  const at = subcommandAt(command, "clippy");
  if (call === null || at === -1 || call.args.some(({ value }) => value === "--fix")) return null;
  const dashes = call.args.findIndex(({ value }) => value === "--");
  const own = (dashes === -1 ? call.args : call.args.slice(0, dashes)).map(({ raw }) => raw);
  const lints = dashes === -1 ? [] : warnOnly(call.args.slice(dashes + 1));
  const fix = ["--fix", "--allow-dirty", "--allow-staged", "--allow-no-vcs"];
  return withArgs(call, [
    ...own.slice(0, at + 1),
    ...fix,
    ...own.slice(at + 1),
    ...(lints.length === 0 ? [] : ["--", ...lints]),
  ]);
}

function warnOnly(words: readonly ShellWord[]): readonly string[] {
  const kept: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const glued = /^(?:-[DF]|--(?:deny|forbid)=)(.+)$/.exec(word?.value ?? "")?.[1];
    const denies = glued !== undefined || /^(?:-[DF]|--deny|--forbid)$/.test(word?.value ?? "");
    const lint = glued ?? words[at + 1]?.value;
    if (!denies) kept.push(word?.raw ?? "");
    else if (lint !== undefined && lint !== "warnings") kept.push("-W", lint);
    if (denies && glued === undefined) at++;
  }
  return kept;
}
