import type { FailureClass } from "../domain/category.ts";
import { bareLines } from "./bare-lines.ts";
import { type Classify, lineFindings } from "./line-findings.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { programOf } from "./run-program.ts";
import type { Tool } from "./tool.ts";
import { readVstest } from "./vstest.ts";

// MSBuild's canonical form, with the node in front when several run: `3>a.cs(1,2): error CS0246: … [a.csproj]`.
const NODE = String.raw`^\s*(?:\d+>\s*)?`;
const CODE = String.raw`(?:fatal )?error (?<rule>(?!TS\d|C\d{4}\b|LNK\d)[A-Za-z]{1,12}\d{3,5}): (?<message>.+?)`;
const PROJECT = String.raw`(?: \[[^\]]*(?:proj|\.sln|\.slnx|metaproj)[^\]]*\])?$`;
const FORMATS: readonly RegExp[] = [
  new RegExp(
    `${NODE}(?<file>\\S[^(]*?\\.\\w{1,10})\\((?<line>\\d+)(?:,(?<col>\\d+))?(?:[,-]\\d+)*\\): ${CODE}${PROJECT}`,
  ),
  new RegExp(
    `${NODE}(?:(?<file>\\S.*?(?:proj|\\.sln|\\.slnx|\\.targets|\\.props|nuget\\.config)) ?: |(?:MSBUILD|CSC|FSC|VBC|NUGET|EXEC)\\s*: )${CODE}${PROJECT}`,
    "i",
  ),
  /^(?<message>The command could not be loaded, possibly because:.*|A compatible \.NET SDK was not found\.?.*|You must install or update \.NET to run this application\.?)$/,
  /^\s*error: (?<rule>NU\d{4}): (?<message>.+?)$/,
];

// C# numbers its parser 1001 to 1056 and a few later ones.
const CS_SYNTAX = /^CS(?:10(?:0[1-9]|1[0-9]|2[2-9]|3[1-9])|15(?:1[3-9]|2[0-9])|1733|8124)$/;
const FS_SYNTAX = /^FS(?:0010|0058|0583|3118|1161)$/;
const ANALYSER = /^(?:CA|IDE|SA|SX|RCS|S|xUnit|NUnit|MSTEST|VSTHRD|MA|AD|ASP|SYSLIB|IL|RS|EF|BL)\d+$/;

export const dotnet: Tool = {
  name: "dotnet",
  kind: "build",
  category: "type_checking",
  answersTo: (command) => {
    const call = programOf(command);
    if (call === null) return false;
    if (/^(?:msbuild|xbuild|nuget|vstest\.console)$/i.test(call.program)) return true;
    return call.program === "dotnet" && call.args[0]?.value !== "format";
  },
  /** Errors of MSBuild, the compilers and NuGet, and the tests that failed. */
  read: (step) => {
    const lines = bareLines(step);
    return [...lineFindings(lines, FORMATS, classify), ...readVstest(lines)];
  },
};

const classify: Classify = ({ rule = "", message = "" }) => {
  if (/^NU/.test(rule)) return isNetworkTrouble(message) ? "infra_transient" : "dependency_issue";
  if (rule === "" || /^NETSDK/.test(rule)) return sdkClass(rule);
  if (CS_SYNTAX.test(rule) || FS_SYNTAX.test(rule)) return "syntax_error";
  if (/^MSB/.test(rule)) return isNetworkTrouble(message) ? "infra_transient" : "configuration_error";
  if (/^CS(?:0006|0246|0234)$/.test(rule)) return "type_checking";
  if (/^CS(?:157[0-9]|158[0-9]|1591|171[0-2])$/.test(rule)) return "doc_docstring";
  return ANALYSER.test(rule) ? "linting" : null;
};

/** NETSDK1045 and its like: the SDK that is installed cannot build for that target. */
function sdkClass(rule: string): FailureClass {
  return rule === "" || /^NETSDK1(?:045|141|147|208)$/.test(rule) ? "environment_error" : "configuration_error";
}
