import { bareLines } from "./bare-lines.ts";
import { lineFindings } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";

// `Error 1` behind a target only repeats what the target's own program said.
const MAKE =
  /^(?:\S*[\\/])?(?:g|mingw32-|n)?make(?:\[\d+\])?: \*\*\* (?<message>(?!\[|Waiting|Deleting)\S.*?)(?: {2}Stop\.?)?$/;
const MAKEFILE = /^(?<file>\S*?[Mm]akefile\S*|\S+\.mk):(?<line>\d+): \*\*\* (?<message>.+?)(?: {2}Stop\.?)?$/;
const NINJA = /^ninja: (?:error|fatal): (?<message>.+)$/;
const NINJA_FILE = /^ninja: error: (?<file>[^\s:]+\.ninja):(?<line>\d+): (?<message>.+)$/;

export const make: Tool = {
  name: "make",
  kind: "build",
  category: "configuration_error",
  answersTo: (command) => runs(command, ["make", "gmake", "ninja", "nmake", "mingw32-make"]),
  /** What make and ninja themselves cannot do: no rule, a broken Makefile. */
  read: (step) =>
    lineFindings(bareLines(step), [MAKEFILE, NINJA_FILE, MAKE, NINJA], ({ message = "" }) =>
      /missing separator|unterminated|commands commence before first target/.test(message) ? "syntax_error" : null,
    ),
};
