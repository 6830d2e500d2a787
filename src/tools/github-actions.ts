import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareText } from "./bare-lines.ts";
import type { Diagnostic, Tool } from "./tool.ts";

interface Form {
  readonly rule: string;
  readonly says: RegExp;
  /** When it is not the workflow that is written wrong. */
  readonly category?: FailureClass;
}

const WORKFLOW = String.raw`\.github\/workflows\/\S+\.ya?ml`;

// What the runner and GitHub's own actions say, in order (actions/runner, actions/toolkit, actions/checkout).
const FORMS: readonly Form[] = [
  { rule: "unknown-action", says: /^Unable to resolve action .+/ },
  { rule: "no-action-file", says: /^Can't find 'action\.yml', 'action\.yaml' or 'Dockerfile' (?:under|for action) .+/ },
  { rule: "invalid-workflow", says: new RegExp(`${WORKFLOW} ?\\(Line: \\d+, Col: \\d+\\): .+`) },
  {
    rule: "invalid-workflow",
    says: /^The (?:template|workflow) is not valid\. .+|^Unexpected input\(s\) .+, valid inputs are .+/,
  },
  {
    rule: "deprecated-action",
    says: /^Missing download info for actions\/.+|^This request has been automatically failed because it uses a deprecated version of .+/,
  },
  {
    rule: "disabled-command",
    says: /^The `?(?:set-output|save-state|set-env|add-path)`? command is (?:disabled|deprecated and will be disabled)/,
  },
  {
    rule: "file-command",
    says: /^Unable to process (?:file )?command '.+' successfully\.$|^Invalid (?:format|value)(?:\.| '.+'$)/,
  },
  {
    rule: "artifact",
    says: /^Unable to (?:find|download) (?:any )?artifacts?.+|^Artifact not found for name: .+|^No files were found with the provided path: .+/,
    category: "environment_error",
  },
  {
    rule: "artifact",
    says: /^Failed to CreateArtifact: .*Conflict.*|^An artifact with (?:this|the) name .* already exists.*/,
  },
  {
    rule: "unknown-version",
    says: /^(?:The version '.+' with architecture '.+' was not found|Version .+ with arch .+ not found|Unable to find (?:Node|Python|Ruby|Java|Go) version|The specified \w+ version file at: .+ does not exist|Could not find satisfied version|Unknown version .+ for (?:ruby|jruby|truffleruby)).*/i,
  },
  {
    rule: "cache-paths",
    says: /^(?:Dependencies lock file is not found in|Some specified paths were not resolved, unable to cache dependencies|No file in .+ matched to \[).*/,
  },
  { rule: "unknown-ref", says: /^A branch or tag with the name '.+' could not be found$/ },
  {
    rule: "safe-directory",
    says: /^fatal: (?:unsafe repository \(|detected dubious ownership in repository).*/,
    category: "environment_error",
  },
  {
    rule: "service-container",
    says: /^One or more containers failed to start\.?$/,
    category: "environment_error",
  },
];
// What follows git's refusal: its advice, and programs that got nothing from it.
const ADVICE = /^(?:To add an exception for this directory|\s+git config --global --add safe\.directory)/;
const FOLLOWS = /^[\w.-]+: .*\b(?:errors?|fail(?:ed|ure)|does not)\b/i;
const REACH = 8;

// The runner marks its errors (git's own it does not); what is only warned of stands in green runs too.
const MARKED = /^##\[error\]|^::error\b|^Error: |^fatal: /;

export const githubActions: Tool = {
  name: "github actions",
  kind: "other",
  category: "configuration_error",
  answersTo: () => false, // nobody runs the runner: it is known by its words
  read: (step) => {
    const seen = new Set<string>();
    return step.lines.flatMap((line, at): Diagnostic[] => {
      if (!MARKED.test(line.text)) return [];
      const message = bareText(line.text)
        .replace(/^Error: /, "")
        .trim();
      const form = FORMS.find(({ says }) => says.test(message));
      if (form === undefined || seen.has(message)) return [];
      seen.add(message);
      const lines = [line.number, ...(message.startsWith("fatal: ") ? advice(step.lines, at) : [])];
      const { rule, category = "configuration_error" } = form;
      return [{ message, rule, lines, location: placeIn(message), category }];
    });
  },
};

function advice(lines: readonly LogLine[], at: number): readonly number[] {
  return lines
    .slice(at + 1, at + 1 + REACH)
    .flatMap(({ number, text }) => (ADVICE.test(text) || FOLLOWS.test(text) ? [number] : []));
}

function placeIn(message: string): Location | null {
  const [, file, line, col] = /(\.github\/workflows\/\S+?\.ya?ml) ?\(Line: (\d+), Col: (\d+)\)/.exec(message) ?? [];
  return file === undefined ? null : { file, line: Number(line), col: Number(col) };
}
