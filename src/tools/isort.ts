import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";
import { changedPlaces } from "./unformatted-files.ts";

const UNSORTED = /^ERROR: (\S.*?) (Imports are incorrectly sorted.*)$/;

export const isort: Tool = {
  name: "isort",
  kind: "format",
  category: "code_formatting",
  answersTo: (command) => runs(command, ["isort"]),
  read: (step) => {
    const lines = bareLines(step);
    // isort's diffs call the files `x.py:before` and `x.py:after`.
    const places = changedPlaces(lines.map(({ number, text }) => ({ number, text: text.replace(/:before\t/, "\t") })));
    return lines.flatMap(({ number, text }) => {
      const [, path, message = ""] = UNSORTED.exec(text) ?? [];
      if (path === undefined) return [];
      const file = repositoryPath(path) ?? path;
      return [{ message, lines: [number], location: { file, line: places.get(file) ?? null, col: null } }];
    });
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        { programs: ["isort"], drop: /^(?:-c|--check|--check-only|--diff|--df|-d)$/, needsDrop: true },
      ]),
    installs: false,
    proven: "executed",
  },
};
