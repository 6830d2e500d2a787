import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { changedPlaces, fileDiagnostic } from "./unformatted-files.ts";

const WOULD = /^would reformat (\S.*)$/;
const CANNOT = /^error: cannot format (.+?): (.*)$/;
const PARSE = /^(?:Cannot parse|cannot use --safe).*?: (\d+):(\d+)/;
const COUNT = /^\d+ files? would be reformatted/;

export const black: Tool = {
  name: "black",
  kind: "format",
  category: "code_formatting",
  answersTo: (command) => runs(command, ["black", "blue", "darker"]),
  /** One diagnostic a file; with `--diff` the place of its first change. */
  read: (step) => {
    const lines = bareLines(step);
    const places = changedPlaces(lines);
    const found: Diagnostic[] = [];
    for (const { number, text } of lines) {
      const file = WOULD.exec(text)?.[1];
      const cannot = CANNOT.exec(text);
      if (file !== undefined) {
        found.push(fileDiagnostic(file, [number], places.get(repositoryPath(file) ?? file) ?? null));
      } else if (cannot !== null) {
        const [, path = "", message = ""] = cannot;
        const [, line, col] = PARSE.exec(message) ?? [];
        const location = {
          file: repositoryPath(path) ?? path,
          line: line === undefined ? null : Number(line),
          col: col === undefined ? null : Number(col),
        };
        found.push({ message, lines: [number], location, category: line === undefined ? "linting" : "syntax_error" });
      } else if (COUNT.test(text)) {
        // The verdict itself: it says that the files named above are why the step is red.
        const last = found.pop();
        if (last !== undefined) found.push({ ...last, lines: [...last.lines, number] });
      }
    }
    return found;
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        { programs: ["black", "blue"], drop: /^--(?:check|diff|color|no-color)$/, needsDrop: true },
      ]),
    installs: false,
    proven: "executed",
  },
};
