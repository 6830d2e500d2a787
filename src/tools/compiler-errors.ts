import type { LogLine } from "../domain/ci-run.ts";
import { repositoryPath } from "./repository-path.ts";

/** One error as compilers of the C family (gcc, clang, swiftc, MSVC) print it. */
export interface CompilerError {
  readonly file: string;
  readonly line: number;
  readonly col: number | null;
  /** `C2065` of MSVC; null where the compiler has no numbers. */
  readonly code: string | null;
  /** What stands in brackets at the end: `-Werror=unused-variable`, `bugprone-branch-clone`. */
  readonly flag: string | null;
  readonly message: string;
  readonly fatal: boolean;
  /** The error itself, the source line under it, its first note. */
  readonly lines: readonly number[];
}

const UNIX = /^\s*((?:[A-Za-z]:[\\/])?[^\s:][^:]*?\.\w{1,8}):(\d+):(?:(\d+):)? (fatal )?error: (.+)$/;
const MSVC = /^\s*(?:\d+>\s*)?(\S[^(]*?\.\w{1,8})\((\d+)(?:,(\d+))?\)\s*: (fatal )?error (C\d{4}): (.+)$/;
const FLAG = /^(.*?)\s*\[([\w.,=+-]+)\]$/;
const MSVC_PROJECT = /\s*\[[^\]]*proj\]$/;
const SOURCE = /^\s*\d+ \| /;
const NOTE = /^\s*\S[^:]*:\d+(?::\d+)?: note: /;
const HEAD = /: (?:fatal )?(?:error|warning)[ :]/;
// How far below an error its note may stand: source, carets and fix-its lie between.
const REACH = 6;

/** The errors that name a file with one of these extensions, in the order of the log. */
export function readCompilerErrors(lines: readonly LogLine[], extensions: RegExp): readonly CompilerError[] {
  return lines.flatMap((line, at) => {
    const error = readHead(line.text, extensions);
    return error === null ? [] : [{ ...error, lines: [line.number, ...explaining(lines, at)] }];
  });
}

function readHead(text: string, extensions: RegExp): Omit<CompilerError, "lines"> | null {
  const unix = UNIX.exec(text);
  const msvc = unix ? null : MSVC.exec(text);
  const [, path = "", line, col, fatal] = unix ?? msvc ?? [];
  if (path === "" || !extensions.test(path)) return null;
  const said = (unix?.[5] ?? msvc?.[6] ?? "").trim();
  const [, message = said, flag = null] = FLAG.exec(said) ?? [];
  return {
    file: repositoryPath(path) ?? path,
    line: Number(line),
    col: col === undefined ? null : Number(col),
    code: msvc?.[5] ?? null,
    flag,
    message: msvc ? said.replace(MSVC_PROJECT, "") : message,
    fatal: fatal !== undefined,
  };
}

/** The source line that the compiler shows, and the first note with its own. */
function explaining(lines: readonly LogLine[], at: number): readonly number[] {
  const quoted: number[] = [];
  let noted = false;
  for (const { number, text } of lines.slice(at + 1, at + 1 + REACH)) {
    if (HEAD.test(text)) break;
    const note = NOTE.test(text);
    if (note && noted) break;
    noted ||= note;
    if (note || SOURCE.test(text)) quoted.push(number);
  }
  return quoted;
}
