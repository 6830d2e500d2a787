import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// GHC 9.4 and later number their errors; stack puts the package in front of each line.
const PACKAGE = /^\S+ {1,}> /;
const ERROR = /^\s*(\S[^:]*\.l?hsc?):(\d+):(\d+)(?:-\d+)?: error:(?: \[(GHC-\d+)\])?(?: \[([\w, =-]+)\])?\s*(.*)$/;
const ALONE = /^(?:(?:Error: )?(?:\[?(?:Cabal-\d+|cabal|stack|S-\d+)\]?: ?)+|<no location info>: error:\s*)(\S.*)$/;
const ALONE_HEAD = /^Error: (?:\[(S-\d+|Cabal-\d+)\]|cabal: Could not resolve dependencies:)(.*)$/;
// The source frame: a bar, or a line number and a bar.
const FRAME = /^\s*\d*\s*\|/;
const MAX_BODY = 24;

export const ghc: Tool = {
  name: "ghc",
  kind: "build",
  category: "type_checking",
  answersTo: (command) => runs(command, ["ghc", "cabal", "stack", "runghc", "runhaskell"]),
  /** Errors of GHC with the text below them, and what cabal and stack cannot resolve. */
  read: (step) => {
    const lines = bareLines(step).map(({ number, text }) => ({ number, text: text.replace(PACKAGE, "") }));
    return lines.flatMap((line, at) => readError(line, lines, at) ?? readAlone(line, lines, at) ?? []);
  },
};

function readError(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic | null {
  const [, path, row, col, code, flags, inline = ""] = ERROR.exec(line.text) ?? [];
  if (path === undefined) return null;
  const body = bodyBelow(lines, at);
  const words = [
    inline,
    ...body.filter(({ text }) => !FRAME.test(text)).map(({ text }) => text.trim().replace(/^• /, "")),
  ];
  const said = words.filter((text) => text !== "");
  return {
    message: said.slice(0, 3).join("\n").slice(0, 1_000),
    rule: code ?? flags?.split(",")[0]?.trim() ?? null,
    lines: [line, ...body].map(({ number }) => number),
    location: { file: repositoryPath(path) ?? path, line: Number(row), col: Number(col) },
    category: classOf(said.join("\n"), flags),
  };
}

function bodyBelow(lines: readonly LogLine[], at: number): readonly LogLine[] {
  const below = lines.slice(at + 1, at + 1 + MAX_BODY);
  const end = below.findIndex(({ text }) => text.trim() === "" || (!/^\s/.test(text) && !FRAME.test(text)));
  return end === -1 ? below : below.slice(0, end);
}

function readAlone(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic | null {
  const head = ALONE_HEAD.exec(line.text);
  const alone = head ? null : ALONE.exec(line.text)?.[1];
  if (
    !head &&
    (alone === undefined ||
      alone === null ||
      !/^(?:Could not|Failed|Unknown|Missing|The (?:following|program))/.test(alone))
  )
    return null;
  const below = lines.slice(at + 1, at + 9);
  const end = below.findIndex(({ text }) => text.trim() === "");
  const body = end === -1 ? below : below.slice(0, end);
  const words = [head?.[2] || alone || line.text, ...body.map(({ text }) => text)]
    .map((text) => text.trim())
    .join("\n");
  // `Failed to build x` follows the error itself.
  if (/^Failed to build/.test(alone ?? "")) return null;
  return {
    message: words.trim().slice(0, 1_000),
    rule: head?.[1] ?? null,
    lines: [line, ...body].map(({ number }) => number),
    location: null,
    category: isNetworkTrouble(words) ? "infra_transient" : "dependency_issue",
  };
}

function classOf(said: string, flags: string | undefined): FailureClass {
  if (flags !== undefined && /-Werror/.test(flags)) return "linting";
  if (/^(?:parse error|lexical error|Parse error)/.test(said)) return "syntax_error";
  return /^Could not (?:find|load) module/.test(said) ? "dependency_issue" : "type_checking";
}
