import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const VIOLATION =
  /^(\S.*?):(\d+):(\d+): (?:error|warning): (code should be clang-formatted) \[-Wclang-format-violations\]$/;
const PROGRAMS = ["clang-format", ...Array.from({ length: 20 }, (_, at) => `clang-format-${at + 6}`)];

export const clangFormat: Tool = {
  name: "clang-format",
  kind: "format",
  category: "code_formatting",
  answersTo: (command) => runs(command, PROGRAMS),
  /** One diagnostic a file, at the first place; every place repeats the same sentence. */
  read: (step) => {
    const found = new Map<string, Diagnostic>();
    for (const { number, text } of bareLines(step)) {
      const [, path, line, col, message = ""] = VIOLATION.exec(text) ?? [];
      if (path === undefined) continue;
      const file = repositoryPath(path) ?? path;
      const known = found.get(file);
      if (known !== undefined) found.set(file, { ...known, lines: [...known.lines, number] });
      else found.set(file, { message, lines: [number], location: { file, line: Number(line), col: Number(col) } });
    }
    return [...found.values()];
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        {
          programs: PROGRAMS,
          drop: /^(?:-i|-n|--?dry-run|--?Werror|--?output-replacements-xml)$/,
          add: ["-i"],
          needsDrop: true,
        },
      ]),
    installs: false,
    proven: "derivation-only",
  },
};
