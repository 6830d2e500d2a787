import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { changedPlaces } from "./unformatted-files.ts";

const HOOK = /^(\S.*?)\.{3,}(?:\([^)]*\))?(Failed|Passed|Skipped)$/;
const DETAIL = /^- (hook id|exit code|duration|files were modified by this hook)(?:: (.*))?$/;
const FIXING = /^(?:Fixing|Fixed|fixed|reformatted|Formatting|Rewriting|Sorting) (\S+?\.?\w+)$|^- (\S+\.\w+):$/; // the latter is how ruff lists what it fixed
const PLACED = /^(\S+?\.\w+|\S*\/\S+?):(\d+)(?::(\d+))?:? /;
const ADVICE = /^(?:pre-commit hook\(s\) made changes|If you are seeing this message|All changes made by hooks)/;
const BROKEN = /^(?:\[ERROR\] )?An (?:unexpected )?error has occurred: /;
const BROKEN_WHERE = /^={2,}> /;
// One hook can name every file of a repository; the first few tell the story.
const MAX_QUOTED = 40;

const NOISE = /^(?:\[?(?:warning|info)\b|Fixed \d+ error)/i;
const MODIFIES = /fix|format|fmt|whitespace|prettier|black|isort|pretty|pyupgrade|end-of|line-ending|sort|docformatter/;
// By hook id, first match wins; what modified files without being named here formatted them.
const CATEGORIES: readonly (readonly [RegExp, FailureClass])[] = [
  [/^check-(?:ast|json|yaml|toml|xml)/, "syntax_error"],
  [/mypy|pyright|^tsc|type-?check|pyre/, "type_checking"],
  [/docstring|pydocstyle|interrogate|^rst|sphinx|doc8/, "doc_docstring"],
  [/lock|requirements|pip-compile/, "dependency_issue"],
  [/format|fmt$/, "code_formatting"],
  [/^(?:ruff|flake8|eslint|pylint|clippy|golangci|shellcheck|codespell|typos|bandit|hadolint|yamllint)/, "linting"],
  [MODIFIES, "code_formatting"],
];

interface Hook {
  readonly title: LogLine;
  id: string;
  modified: boolean;
  readonly output: LogLine[];
}

export const preCommit: Tool = {
  name: "pre-commit",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["pre-commit", "prek"]),
  /** One diagnostic a failed hook: its title and what it said. */
  read: (step) => {
    const lines = bareLines(step);
    const hooks = failedHooks(lines);
    const after = lines.slice(lines.findIndex(({ text }) => text.startsWith("All changes made by hooks")));
    const places = changedPlaces(after);
    return [...hooks.map((hook) => readHook(hook, places)), ...readBroken(lines)];
  },
  fix: {
    /** Running the hooks is how they fix: only what is for show goes. */
    derive: (command) => {
      const verb = programOf(command)?.args[0]?.value;
      if (verb !== "run") return null;
      return changeArgs(command, [
        {
          programs: ["pre-commit", "prek"],
          subcommand: ["run"],
          drop: /^(?:--show-diff-on-failure|-v|--verbose|--color=.*)$/,
          dropValued: /^--color$/,
        },
      ]);
    },
    installs: true, // hooks live in environments that it makes at the first run
    proven: "derivation-only",
  },
};

function failedHooks(lines: readonly LogLine[]): Hook[] {
  const hooks: Hook[] = [];
  let open: Hook | null = null;
  for (const line of lines) {
    const verdict = HOOK.exec(line.text)?.[2];
    if (verdict !== undefined || ADVICE.test(line.text) || line.text.startsWith("Process completed")) {
      open = verdict === "Failed" ? { title: line, id: "", modified: false, output: [] } : null;
      if (open !== null) hooks.push(open);
      continue;
    }
    if (open === null || line.text.trim() === "") continue;
    const detail = DETAIL.exec(line.text);
    if (detail?.[1] === "hook id") open.id = detail[2] ?? "";
    if (detail?.[1]?.startsWith("files were") === true) open.modified = true;
    if (detail === null) open.output.push(line);
  }
  return hooks;
}

function readHook({ title, id, modified, output }: Hook, places: ReadonlyMap<string, number>): Diagnostic {
  const telling = output.filter(({ text }) => FIXING.test(text) || PLACED.test(text) || !modified);
  const said = telling.length > 0 ? telling : output.filter(({ text }) => !NOISE.test(text)).slice(0, 1);
  const first = said[0];
  const name = id === "" ? (HOOK.exec(title.text)?.[1] ?? title.text) : id;
  return {
    message: `${name}: ${first?.text.trim() ?? "files were modified by this hook"}`,
    rule: id === "" ? null : id,
    lines: [title.number, ...said.slice(0, MAX_QUOTED).map(({ number }) => number)],
    location: telling.map(({ text }) => placeOf(text, places)).find((place) => place !== null) ?? null,
    category: CATEGORIES.find(([pattern]) => pattern.test(id))?.[1] ?? (modified ? "code_formatting" : "linting"),
  };
}

function placeOf(text: string, places: ReadonlyMap<string, number>): Location | null {
  const [, placed, line, col] = PLACED.exec(text) ?? [];
  if (placed !== undefined) {
    return { file: repositoryPath(placed) ?? placed, line: Number(line), col: col === undefined ? null : Number(col) };
  }
  const fixed = FIXING.exec(text);
  const fixing = fixed?.[1] ?? fixed?.[2];
  if (fixing === undefined) return null;
  const file = repositoryPath(fixing) ?? fixing;
  return { file, line: places.get(file) ?? null, col: null };
}

/** pre-commit itself could not go on: its configuration, or an environment it could not build. */
function readBroken(lines: readonly LogLine[]): Diagnostic[] {
  const start = lines.findIndex(({ text }) => BROKEN.test(text));
  const first = lines[start];
  if (first === undefined) return [];
  const said = [first, ...lines.slice(start + 1, start + 8).filter(({ text }) => BROKEN_WHERE.test(text))];
  const config = said.some(({ text }) => /InvalidConfig|InvalidManifest|\.pre-commit-config/.test(text));
  return [
    {
      message: first.text.trim(),
      lines: said.map(({ number }) => number),
      location: config ? { file: ".pre-commit-config.yaml", line: null, col: null } : null,
      category: config ? "configuration_error" : "package_install_error",
    },
  ];
}
