import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareText } from "./bare-lines.ts";
import type { Diagnostic, Tool } from "./tool.ts";

interface Form {
  readonly says: RegExp;
  readonly category: FailureClass;
}

const WORKFLOW = String.raw`\.github\/workflows\/\S+\.ya?ml`;

// What the runner and GitHub's own actions say, in order (actions/runner, actions/toolkit, actions/checkout).
const FORMS: readonly Form[] = [
  { says: /^Unable to resolve action .+/, category: "configuration_error" },
  {
    says: /^Can't find 'action\.yml', 'action\.yaml' or 'Dockerfile' (?:under|for action) .+/,
    category: "configuration_error",
  },
  {
    says: new RegExp(
      `^(?:The workflow is not valid\\.|Invalid workflow file: )?.*${WORKFLOW} ?\\(Line: \\d+, Col: \\d+\\): .+`,
    ),
    category: "configuration_error",
  },
  { says: /^The template is not valid\. .+/, category: "configuration_error" },
  { says: /^Unexpected input\(s\) .+, valid inputs are .+/, category: "configuration_error" },
  {
    says: /^Missing download info for actions\/.+|^This request has been automatically failed because it uses a deprecated version of .+/,
    category: "configuration_error",
  },
  {
    says: /^The `?(?:set-output|save-state|set-env|add-path)`? command is (?:disabled|deprecated and will be disabled)/,
    category: "configuration_error",
  },
  {
    says: /^Unable to process file command '.+' successfully\.$|^Invalid (?:format|value) '.+'$|^Unable to process command '.+' successfully\.$/,
    category: "configuration_error",
  },
  {
    says: /^Unable to (?:find|download) (?:any )?artifacts?.+|^Artifact not found for name: .+|^An artifact with (?:this|the) name .* already exists.*|^No files were found with the provided path: .+/,
    category: "environment_error",
  },
  { says: /^Failed to CreateArtifact: .*Conflict.*/, category: "configuration_error" },
  {
    says: /^(?:The version '.+' with architecture '.+' was not found|Version .+ with arch .+ not found|Unable to find (?:Node|Python|Ruby|Java|Go) version|The specified (?:python|node|go) version file at: .+ does not exist|Could not find satisfied version|Unknown version .+ for (?:ruby|jruby|truffleruby)).*/i,
    category: "configuration_error",
  },
  {
    says: /^(?:Dependencies lock file is not found in|Some specified paths were not resolved, unable to cache dependencies|No file in .+ matched to \[).*/,
    category: "configuration_error",
  },
  {
    says: /^(?:A branch or tag with the name '.+' could not be found|Repository '.+' not found|The process '.+git' failed with exit code \d+)$/,
    category: "configuration_error",
  },
  {
    says: /^fatal: (?:unsafe repository \(|detected dubious ownership in repository).*/,
    category: "environment_error",
  },
  {
    says: /^Container initialization failed|^Docker (?:pull|create|start|build) failed with exit code \d+|^One or more containers failed to start\.?$/,
    category: "environment_error",
  },
];
// What follows it in the log and explains it.
const ADVICE = /^(?:To add an exception for this directory|\s+git config --global --add safe\.directory)/;
// The deprecation notice is a warning in every green run.
const WARNED = /^##\[(?:warning|notice)\]|^::(?:warning|notice)/;

export const githubActions: Tool = {
  name: "github actions",
  kind: "other",
  category: "configuration_error",
  answersTo: () => false, // nobody runs the runner: it is known by its words
  read: (step) => {
    const seen = new Set<string>();
    return step.lines.flatMap((line, at): Diagnostic[] => {
      if (WARNED.test(line.text)) return [];
      const message = bareText(line.text)
        .replace(/^Error: /, "")
        .trim();
      const form = FORMS.find(({ says }) => says.test(message));
      if (form === undefined || seen.has(message)) return [];
      seen.add(message);
      return [
        {
          message,
          lines: [line.number, ...(message.startsWith("fatal: ") ? advice(step.lines, at) : [])],
          location: placeIn(message),
          category: form.category,
        },
      ];
    });
  },
};

function advice(lines: readonly LogLine[], at: number): readonly number[] {
  return lines.slice(at + 1, at + 4).flatMap(({ number, text }) => (ADVICE.test(text) ? [number] : []));
}

function placeIn(message: string): Location | null {
  const [, file, line, col] = /(\.github\/workflows\/\S+?\.ya?ml) ?\(Line: (\d+), Col: (\d+)\)/.exec(message) ?? [];
  return file === undefined ? null : { file, line: Number(line), col: Number(col) };
}
