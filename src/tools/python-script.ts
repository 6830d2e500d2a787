import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { importCategory, pythonCategory } from "./python-category.ts";
import { readTracebacks } from "./python-traceback.ts";
import { relativePath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// Runners and installers print tracebacks too, and say more about them than we could.
const OTHERS =
  /^Ran \d+ tests? in |^=+ (?:FAILURES|ERRORS|short test summary info) =+$|^INTERNALERROR> |error: subprocess-exited-with-error|^(?:Sphinx|Extension|Configuration) error|^An (?:unexpected )?error has occurred: /;
// What ends a program stands near the end of the step; a traceback far above was caught, or another program's.
const REACH = 60;
// Raised in a package's parser, it is a file of the repository that does not parse.
const SYNTAX = /^\s*File "(.{1,500}?)", line (\d+)$/;

export const pythonScript: Tool = {
  name: "python",
  kind: "other",
  category: "runtime_error",
  answersTo: (command) => {
    const program = programOf(command)?.program ?? "";
    return /^(?:python[\d.]*|pypy[\d.]*)$/.test(program) || /\.py$/.test(program);
  },
  /** The traceback that ended a program, with what it was chained to. */
  read: (step) => {
    const lines = bareLines(step);
    if (lines.some(({ text }) => OTHERS.test(text))) return [];
    const chain = readTracebacks(lines);
    const last = chain.at(-1);
    if (last === undefined || last.error === null) return [];
    const left = lines.findLastIndex(({ number }) => number === last.error?.number);
    return lines.length - left > REACH ? [] : [readChain(chain, last.error, lines)];
  },
};

type Tracebacks = ReturnType<typeof readTracebacks>;

function readChain(chain: Tracebacks, error: LogLine, lines: readonly LogLine[]): Diagnostic {
  const last = chain.at(-1);
  const frames = last?.frames ?? [];
  const own = frames.at(-1);
  const syntax = /^\s*(?:SyntaxError|IndentationError|TabError)\b/.test(error.text) ? syntaxPlace(lines, error) : null;
  const message = error.text.trim();
  const packages = [...new Set(frames.flatMap(({ file }) => file.split("/").slice(0, -1)))];
  return {
    message,
    lines: [...new Set([...(own?.lines ?? []), ...(syntax?.lines ?? []), error.number])].sort((a, b) => a - b),
    location: syntax?.location ?? (own === undefined ? null : { file: own.file, line: own.line, col: null }),
    stack: frames.map(({ file, line, fn }) => ({ file, line, fn })),
    category: categoryOf(message, packages),
  };
}

function categoryOf(message: string, packages: readonly string[]): Diagnostic["category"] & string {
  const category = importCategory(message, packages) ?? pythonCategory(message);
  return category === "test_failure" ? "runtime_error" : category;
}

/** The `File` line without a function, a few lines above a SyntaxError. */
function syntaxPlace(lines: readonly LogLine[], error: LogLine): Pick<Diagnostic, "lines" | "location"> | null {
  const at = lines.findLastIndex(({ number }) => number === error.number);
  const frame = lines.slice(Math.max(0, at - 5), at).find(({ text }) => SYNTAX.test(text));
  const [, file, line] = SYNTAX.exec(frame?.text ?? "") ?? [];
  if (frame === undefined || file === undefined) return null;
  const path = relativePath(file);
  return path === null ? null : { lines: [frame.number], location: { file: path, line: Number(line), col: null } };
}
