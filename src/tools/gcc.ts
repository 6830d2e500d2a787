import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { type CompilerError, readCompilerErrors } from "./compiler-errors.ts";
import { linkErrors } from "./link-errors.ts";
import { mergeFindings } from "./merge-findings.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

export const C_FILES = /\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|inc|inl|ipp|tpp|ixx|cppm|m|mm|cu|cuh|S|y|l|def)$/i;
const COMPILER =
  /^(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cl|clang-cl|icc|icpx|emcc|nvcc)(?:-\d+(?:\.\d+)*)?$/;
// The driver and the compiler proper complain of what has no place in a file.
const DRIVER =
  /^(?:\S*[\\/])?(?:[\w.]+-)*(?:cc1(?:plus|obj)?|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|clang-cl)(?:-\d+(?:\.\d+)*)?: (?:fatal )?error: (?!linker command failed|ld returned)(.+)$/;
const DRIVER_ECHO = /all warnings being treated as errors|unable to execute command/;
const NINJA_FAILED = /^FAILED: \S/;
// ninja prints the target, then the command, then what the command said.
const NINJA_REACH = 8;

const SYNTAX =
  /^(?:expected\b|missing terminating|unterminated|stray |extraneous|unexpected|unbalanced|#(?:else|endif|elif)|syntax error|invalid (?:token|preprocessing|suffix)|use of undeclared label)/;
const MISSING_FILE = /No such file or directory|file not found|Cannot open include file/;

export const gcc: Tool = {
  name: "gcc",
  kind: "build",
  category: "type_checking",
  answersTo: (command) => COMPILER.test(programOf(command)?.program ?? ""),
  /** Errors of gcc, clang and MSVC and of the linkers they call. Findings of clang-tidy look alike: those are its own. */
  read: (step) => {
    const lines = bareLines(step);
    const compiled = readCompilerErrors(lines, C_FILES)
      .filter(({ flag }) => flag === null || isWarningFlag(flag))
      .map((error) => toDiagnostic(error, lines));
    return mergeFindings([...compiled, ...linkErrors(lines), ...lines.flatMap(driverError)]);
  },
};

/** `-Werror=…`, `-Wunused,…` and permissive errors: the compiler's own switches, no check of clang-tidy. */
export function isWarningFlag(flag: string): boolean {
  return /^-(?:W|f|pedantic)/.test(flag);
}

/** The class of what a C compiler says (papers §8.8). */
export function compilerClass({
  message,
  flag,
  fatal,
  code,
}: Pick<CompilerError, "message" | "flag" | "fatal" | "code">): FailureClass {
  if (fatal && MISSING_FILE.test(message)) return "dependency_issue";
  if (flag !== null && /^-W/.test(flag) && !/implicit|incompatible|int-conversion|return-type/.test(flag))
    return "linting";
  // MSVC numbers its parser 2001 to 2064 and 2143 to 2147.
  if (SYNTAX.test(message) || /^C2(?:0[0-5]\d|06[0-4]|14[3-7])$/.test(code ?? "")) return "syntax_error";
  return "type_checking";
}

function toDiagnostic(error: CompilerError, lines: readonly LogLine[]): Diagnostic {
  const { file, line, col, message, flag, code } = error;
  const first = error.lines[0] ?? 0;
  const target = ninjaTarget(lines, first);
  return {
    message,
    rule: code ?? flag,
    lines: [...(target === null ? [] : [target]), ...error.lines],
    location: { file, line, col },
    category: compilerClass(error),
  };
}

/** The line of ninja that names the target which this error stopped; null when another build tool ran. */
function ninjaTarget(lines: readonly LogLine[], number: number): number | null {
  const at = indexOf(lines, number);
  for (let i = at - 1; i >= Math.max(0, at - NINJA_REACH); i--) {
    const line = lines[i];
    if (line && NINJA_FAILED.test(line.text)) return line.number;
    if (line && /^\[\d+\/\d+\] /.test(line.text)) return null;
  }
  return null;
}

/** Where a line stands: numbers ascend, so halving finds it. */
function indexOf(lines: readonly LogLine[], number: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}

function driverError({ number, text }: LogLine): readonly Diagnostic[] {
  const message = DRIVER.exec(text)?.[1];
  if (message === undefined || DRIVER_ECHO.test(message)) return [];
  const category = MISSING_FILE.test(message) || /unrecognized|unsupported|unknown argument/.test(message);
  return [
    { message, lines: [number], location: null, category: category ? "configuration_error" : "environment_error" },
  ];
}
