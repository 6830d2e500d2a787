import { bareLines } from "./bare-lines.ts";
import { type Classify, lineFindings } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";

// A template's path starts with the chart's name, which is its folder in most repositories.
const AT = String.raw`(?<file>[\w./-]+\.(?:ya?ml|tpl|txt)):(?<line>\d+)(?::(?<col>\d+))?`;
const FORMATS: readonly RegExp[] = [
  new RegExp(
    `^\\[ERROR\\] \\S+: (?<message>(?:parse error at|execution error at|template:|render error).*?\\(?${AT}.*)$`,
  ),
  /^\[ERROR\] (?<file>(?:templates\/|Chart\.yaml|values\.yaml|Chart\.lock)\S*?): (?<message>.+)$/,
  /^\[ERROR\] (?<message>.+)$/,
  new RegExp(
    `^Error: (?<message>(?:(?:INSTALLATION|UPGRADE) FAILED: )?(?:template: |parse error at \\(|execution error at \\()${AT}.*)$`,
  ),
  /^Error: (?<message>YAML parse error on (?<file>\S+?): .+)$/,
  /^Error: (?<message>(?:(?:INSTALLATION|UPGRADE) FAILED: |found in Chart\.yaml, but missing in charts\/ directory|An error occurred while checking for chart dependencies|values don't meet the specifications).*)$/,
];
// `[ERROR]` alone is Maven's word too: helm's output names a chart or a template first.
const OURS =
  /^==> Linting |^Error: (?:(?:INSTALLATION|UPGRADE) FAILED|template: |execution error at \(|parse error at \(|YAML parse error on |found in Chart\.yaml)/;

export const helm: Tool = {
  name: "helm",
  kind: "deploy",
  category: "configuration_error",
  answersTo: (command) => runs(command, ["helm", "ct", "helmfile"]),
  read: (step) => {
    const lines = bareLines(step);
    return lines.some(({ text }) => OURS.test(text)) ? lineFindings(lines, FORMATS, classify) : [];
  },
};

const classify: Classify = ({ message = "" }) => {
  if (/parse error|unexpected|YAML/.test(message)) return "syntax_error";
  if (/missing in charts\/|dependenc/.test(message)) return "dependency_issue";
  return /timed out waiting|connection refused|i\/o timeout/.test(message) ? "infra_transient" : null;
};
