import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { programCall } from "./program-call.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import { shellWords } from "./shell-words.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { changedPlaces, fileDiagnostic, isBarePath, mentions } from "./unformatted-files.ts";

const PROGRAMS = ["gofmt", "goimports", "gofumpt"];
const DIFF = /^diff (?:-u )?(\S+\.go)\.orig \S+\.go$/;
const SYNTAX = /^(\S+\.go):(\d+):(\d+): ((?:expected|illegal|missing|unexpected|.* not terminated|string literal).*)$/;

export const gofmt: Tool = {
  name: "gofmt",
  kind: "format",
  category: "code_formatting",
  answersTo: (command) => fixed(command) !== null || runs(command, PROGRAMS),
  /** Names that `-l` lists, files that `-d` shows a diff of, and files that cannot be parsed. */
  read: (step) => {
    if (!mentions(step, /\b(?:gofmt|goimports|gofumpt)\b/)) return [];
    const lines = bareLines(step);
    const places = changedPlaces(lines);
    const found = new Map<string, Diagnostic>();
    for (const { number, text } of lines) {
      const named = DIFF.exec(text)?.[1] ?? (isBarePath(text, ["go"]) ? text.trim() : undefined);
      const syntax = SYNTAX.exec(text);
      if (named !== undefined) {
        const file = repositoryPath(named) ?? named;
        if (!found.has(file)) found.set(file, fileDiagnostic(file, [number], places.get(file) ?? null));
      } else if (syntax !== null) {
        const [, path = "", line, col, message = ""] = syntax;
        const location = { file: repositoryPath(path) ?? path, line: Number(line), col: Number(col) };
        found.set(text, { message, lines: [number], location, category: "syntax_error" });
      }
    }
    return [...found.values()];
  },
  fix: {
    derive: fixed,
    installs: false,
    // Vendored code is not the repository's to format, though `gofmt -w .` walks into it.
    mayTouch: (path) => path.endsWith(".go") && !/(?:^|\/)vendor\//.test(path),
    proven: "executed",
  },
};

/** `gofmt -l .` → `gofmt -w .`, also inside of `test -z "$(gofmt -l .)"`. */
function fixed(command: string): string | null {
  const program = programCall(command)?.program ?? "";
  if (["test", "[", "[["].includes(program)) {
    const inner = shellWords(command).flatMap(({ substitutions }) => substitutions);
    return inner.map(fixed).find((found) => found !== null) ?? null;
  }
  return changeArgs(command.replace(/\s*\|.*$/s, ""), [
    { programs: PROGRAMS, drop: /^--?[ld]$/, add: ["-w"], needsDrop: true, unless: /^--?w$/ },
  ]);
}
