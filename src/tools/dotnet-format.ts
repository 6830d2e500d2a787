import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import type { Tool } from "./tool.ts";

const FINDING = /^\s*(\S.*?)\((\d+),(\d+)\): error ([A-Z][A-Z\d]+): (.*?)(?: \[[^\]]+proj\])?$/;
// What `dotnet format` calls its own findings; compiler errors (CS…) are the compiler's to tell.
const FORMATTING = /^(?:WHITESPACE|FINALNEWLINE|ENDOFLINE|CHARSET|IMPORTS|IDE0055)$/;

export const dotnetFormat: Tool = {
  name: "dotnet format",
  kind: "format",
  category: "code_formatting",
  answersTo: (command) => {
    const call = programOf(command);
    return call?.program === "dotnet-format" || (call?.program === "dotnet" && call.args[0]?.value === "format");
  },
  read: (step) =>
    bareLines(step).flatMap(({ number, text }) => {
      const [, path, line, col, rule = "", message = ""] = FINDING.exec(text) ?? [];
      const ours = FORMATTING.test(rule);
      if (path === undefined || (!ours && !/^(?:IDE|CA|SA|RCS)\d+$/.test(rule))) return [];
      const location = { file: repositoryPath(path) ?? path, line: Number(line), col: Number(col) };
      return [{ message, rule, lines: [number], location, ...(ours ? {} : { category: "linting" as const }) }];
    }),
  fix: {
    derive: (command) => {
      const change = { drop: /^(?:--verify-no-changes|--check|--dry-run)$/, dropValued: /^--report$/ };
      return changeArgs(command, [
        { programs: ["dotnet"], subcommand: ["format"], ...change, needsDrop: true },
        { programs: ["dotnet-format"], ...change, needsDrop: true },
      ]);
    },
    installs: true, // it restores the solution first
    mayTouch: (path) => /\.(?:cs|vb|fs|csx|razor|cshtml)$/.test(path),
    proven: "derivation-only",
  },
};
