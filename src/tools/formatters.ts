import type { FailureClass } from "../domain/category.ts";
import type { ValidationKind } from "../domain/evidence.ts";
import { type ArgChange, changeArgs } from "./change-args.ts";
import { programOf } from "./run-program.ts";
import type { Tool } from "./tool.ts";

interface Row {
  readonly name: string;
  readonly kind: ValidationKind;
  readonly category: FailureClass;
  readonly changes: readonly ArgChange[];
  readonly installs?: boolean;
  readonly mayTouch?: RegExp;
}

const format = (name: string, change: Omit<ArgChange, "programs">): Row => ({
  name,
  kind: "format",
  category: "code_formatting",
  changes: [{ programs: [name.split(" ")[0] ?? name], ...change }],
});
const lint = (name: string, change: Omit<ArgChange, "programs">): Row => ({
  ...format(name, change),
  kind: "lint",
  category: "linting",
});
const lock = (name: string, mayTouch: RegExp, changes: readonly ArgChange[]): Row => ({
  name,
  kind: "install",
  category: "dependency_issue",
  changes,
  installs: true,
  mayTouch,
});
const CHECKS = { drop: /^--?check$/, needsDrop: true };

/** Programs whose checking and fixing forms differ in one option. Their words are the generic reader's to read. */
const ROWS: readonly Row[] = [
  format("deno fmt", { subcommand: ["fmt"], ...CHECKS }),
  format("dprint", { subcommand: ["check"], becomes: ["fmt"] }),
  format("dart format", {
    subcommand: ["format"],
    drop: /^(?:--set-exit-if-changed|--output=\w+)$/,
    dropValued: /^-o$/,
    needsDrop: true,
  }),
  format("mix format", { subcommand: ["format"], drop: /^--(?:check-formatted|dry-run)$/, needsDrop: true }),
  {
    ...format("taplo", {}),
    changes: ["fmt", "format"].map((verb) => ({
      programs: ["taplo"],
      subcommand: [verb],
      drop: /^--(?:check|diff)$/,
      needsDrop: true,
    })),
    mayTouch: /\.toml$/,
  },
  format("stylua", CHECKS),
  format("zig fmt", { subcommand: ["fmt"], ...CHECKS }),
  format("nixfmt", CHECKS),
  format("alejandra", { drop: /^(?:-c|--check)$/, needsDrop: true }),
  format("treefmt", { drop: /^--(?:ci|fail-on-change)$/, needsDrop: true }),
  format("buildifier", { drop: /^-{1,2}mode=(?:check|diff)$/, add: ["-mode=fix"], needsDrop: true }),
  format("buf format", { subcommand: ["format"], drop: /^(?:--exit-code|-d|--diff)$/, add: ["-w"], needsDrop: true }),
  format("scalafmt", { drop: /^--(?:test|check|list)$/, needsDrop: true }),
  format("swiftformat", { drop: /^--(?:lint|dryrun)$/, needsDrop: true }),
  format("cmake-format", { ...CHECKS, add: ["-i"] }),
  format("gersemi", { drop: /^(?:-c|--check|--diff)$/, add: ["-i"], needsDrop: true }),
  format("elm-format", { drop: /^--validate$/, add: ["--yes"], needsDrop: true }),
  format("php-cs-fixer", { subcommand: ["check"], becomes: ["fix"], drop: /^--(?:dry-run|diff)$/ }),
  format("php-cs-fixer fix", { subcommand: ["fix"], drop: /^--(?:dry-run|diff)$/, needsDrop: true }),
  format("pint", { drop: /^--(?:test|bail)$/, needsDrop: true }),
  format("yapf", { drop: /^(?:-d|--diff|-q|--quiet)$/, add: ["-i"], needsDrop: true }),
  format("autopep8", { drop: /^(?:-d|--diff|--exit-code)$/, add: ["--in-place"], needsDrop: true }),
  format("docformatter", { drop: /^(?:-c|--check|--diff)$/, add: ["--in-place"], needsDrop: true }),
  {
    ...format("csharpier", {}),
    changes: [
      { programs: ["csharpier"], subcommand: ["check"], becomes: ["format"] },
      { programs: ["dotnet"], subcommand: ["csharpier", "check"], becomes: ["csharpier", "format"] },
      { programs: ["dotnet"], subcommand: ["csharpier"], ...CHECKS },
    ],
  },
  lint("oxlint", { add: ["--fix"], append: true, unless: /^--fix/ }),
  lint("standard", { add: ["--fix"], append: true, unless: /^--fix$/ }),
  lint("xo", { add: ["--fix"], append: true, unless: /^--fix$/ }),
  lint("sqlfluff", { subcommand: ["lint"], becomes: ["fix"] }),
  lint("swiftlint", { add: ["--fix"], append: true, unless: /^--(?:fix|autocorrect)$/ }),
  lint("ktlint", { add: ["-F"], append: true, unless: /^(?:-F|--format)$/ }),
  lint("syncpack", { subcommand: ["lint"], becomes: ["fix"] }),
  lock("bun install", /(?:^|\/)bun\.lockb?$/, [
    {
      programs: ["bun"],
      subcommand: ["install"],
      drop: /^--frozen-lockfile$/,
      add: ["--lockfile-only", "--ignore-scripts"],
      needsDrop: true,
    },
  ]),
];

export const FORMATTERS: readonly Tool[] = ROWS.map(toTool);

function toTool({ name, kind, category, changes, installs = false, mayTouch }: Row): Tool {
  return {
    name,
    kind,
    category,
    answersTo: (command) => {
      const call = programOf(command);
      return changes.some(
        ({ programs, subcommand = [] }) =>
          call !== null &&
          programs.includes(call.program) &&
          subcommand.every((word, at) => call.args[at]?.value === word),
      );
    },
    read: () => [],
    fix: {
      derive: (command) => changeArgs(command, changes),
      installs,
      ...(mayTouch === undefined ? {} : { mayTouch: (path: string) => mayTouch.test(path) }),
      proven: "derivation-only",
    },
  };
}
