import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { changedPlaces, fileDiagnostic, isBarePath, mentions } from "./unformatted-files.ts";

const DIFF = /^(?:diff |--- )(\S+)\.orig(?:\s|$)/;
// Other compilers place their errors alike: only what is a shell script by its name, or has no extension at all.
const SYNTAX = /^((?:[^\s:]*[\\/])?(?:[^\s:\\/]+\.(?:sh|bash|bats|ksh|mksh)|[^\s:.\\/]+)):(\d+):(\d+): (.*)$/;

export const shfmt: Tool = {
  name: "shfmt",
  kind: "format",
  category: "code_formatting",
  answersTo: (command) => runs(command, ["shfmt"]),
  /** Files listed by `-l` or shown by `-d`, and scripts that cannot be parsed. */
  read: (step) => {
    if (!mentions(step, /\bshfmt\b/)) return [];
    const lines = bareLines(step);
    const places = changedPlaces(lines);
    const found = new Map<string, Diagnostic>();
    for (const { number, text } of lines) {
      // Indented paths are somebody else's list.
      const listed = /^\S/.test(text) && isBarePath(text, ["sh", "bash", "bats", "ksh"]) ? text.trim() : undefined;
      const named = DIFF.exec(text)?.[1] ?? listed;
      const [, path, line, col, message = ""] = SYNTAX.exec(text) ?? [];
      if (named !== undefined) {
        const file = repositoryPath(named) ?? named;
        if (!found.has(file)) found.set(file, fileDiagnostic(file, [number], places.get(file) ?? null));
      } else if (path !== undefined) {
        const location = { file: repositoryPath(path) ?? path, line: Number(line), col: Number(col) };
        found.set(text, { message, lines: [number], location, category: "syntax_error" });
      }
    }
    return [...found.values()];
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        {
          programs: ["shfmt"],
          drop: /^(?:-d|--diff|-l|--list)$/,
          add: ["-w"],
          needsDrop: true,
          unless: /^(?:-w|--write)$/,
        },
      ]),
    installs: false,
    proven: "derivation-only",
  },
};
