import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { type ArgChange, changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// `src/a.ts:3:1 lint/style/useConst  FIXABLE  ━━━━`, `src/a.ts format ━━━━`, `internalError/io ━━━━`.
const HEADER =
  /^(?:(\S.*?)(?::(\d+):(\d+))? )?((?:lint|assist|syntax|suppressions|internalError|files|plugin)\/\S+|format|organizeImports|parse|deserialize|configuration|plugin|project)\s.*[━─]{2,}\s*$/;
const SAID = /^\s*(×|✖|✕|!|⚠|i|ℹ)\s+(\S.*)$/;
const ERROR_MARK = /[×✖✕]/;
/** Said after something else was: it only follows. */
const FOLLOWS = /^(?:Code formatting aborted due to parsing errors|Biome exited because the configuration)/;
const TOO_MANY = /warnings were emitted|--error-on-warnings/;

const CATEGORIES: ReadonlyMap<string, FailureClass> = new Map([
  ["format", "code_formatting"],
  ["organizeImports", "code_formatting"],
  ["assist", "code_formatting"],
  ["parse", "syntax_error"],
  ["syntax", "syntax_error"],
  ["deserialize", "configuration_error"],
  ["configuration", "configuration_error"],
  ["internalError", "configuration_error"],
  ["project", "configuration_error"],
]);

const FIXES = /^--(?:write|fix|apply|apply-unsafe)$/;
// Only `ci` knows this one.
const CI_ONLY = /^--threads$/;
const row = (subcommand: string, becomes: string): ArgChange => ({
  programs: ["biome"],
  subcommand: [subcommand],
  becomes: [becomes],
  dropValued: CI_ONLY,
  unless: FIXES,
});

export const biome: Tool = {
  name: "biome",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["biome"]),
  /** Errors; warnings only when no error is there and the command counts them. */
  read: (step) => {
    const lines = bareLines(step);
    const found = lines.flatMap((line, at) => readBlock(line, lines.slice(at + 1, at + 8)));
    const errors = found.filter(({ isError }) => isError);
    const wanted = errors.length > 0 || !lines.some(({ text }) => TOO_MANY.test(text)) ? errors : found;
    // The linter, the formatter and the import sorter each report what the parser said.
    const places = new Set<string>();
    return wanted.flatMap(({ isError: _, ...diagnostic }) => {
      const place = JSON.stringify([diagnostic.rule, diagnostic.message, diagnostic.location]);
      if (places.has(place) || FOLLOWS.test(diagnostic.message)) return [];
      places.add(place);
      return [diagnostic];
    });
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [
        row("ci", "check --write"),
        row("check", "check --write"),
        row("format", "format --write"),
        row("lint", "lint --write"),
      ]),
    installs: false,
    proven: "executed",
  },
};

function readBlock(header: LogLine, after: readonly LogLine[]): (Diagnostic & { readonly isError: boolean })[] {
  const match = HEADER.exec(header.text);
  if (match === null) return [];
  const [, file, line, col, rule = ""] = match;
  const said = after.find(({ text }) => SAID.test(text));
  const [, mark = "×", message = rule] = SAID.exec(said?.text ?? "") ?? [];
  const category = CATEGORIES.get(rule.split("/")[0] ?? rule);
  return [
    {
      message: message.trim(),
      rule,
      lines: said === undefined ? [header.number] : [header.number, said.number],
      location:
        file === undefined
          ? null
          : {
              file: repositoryPath(file) ?? file,
              line: line === undefined ? null : Number(line),
              col: col === undefined ? null : Number(col),
            },
      ...(category === undefined ? {} : { category }),
      isError: ERROR_MARK.test(mark),
    },
  ];
}
