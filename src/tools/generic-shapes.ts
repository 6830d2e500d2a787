import type { FailureClass } from "../domain/category.ts";

/** How a line speaks of a failure, whatever tool printed it. Named groups: `message`, `file`, `line`, `col`, `rule`, `test`. */
export interface Shape {
  readonly says: RegExp;
  /** `head` opens a diagnostic, `detail` belongs to the one above it when that is near. */
  readonly part: "head" | "detail";
  /** Null: the words decide (`guessCategory`). */
  readonly category: FailureClass | null;
  /** Sure shapes are reported wherever they stand; plain ones only where nothing sure was said, or near the end. */
  readonly sure: boolean;
}

const head = (category: FailureClass | null, says: RegExp): Shape => ({ says, part: "head", category, sure: true });
const plain = (category: FailureClass | null, says: RegExp): Shape => ({ says, part: "head", category, sure: false });
const detail = (says: RegExp): Shape => ({ says, part: "detail", category: null, sure: true });

const FILE = String.raw`(?<file>(?:[A-Za-z]:[\\/])?[^\s:()"'<>|]{1,300}\.[A-Za-z]\w{0,9})`;
const shape = (text: string, flags = ""): RegExp => new RegExp(text.replace("FILE", FILE), flags);

/** In order: the first that fits decides. */
export const SHAPES: readonly Shape[] = [
  // Compilers and linters that name file and line.
  head(
    "type_checking",
    shape(String.raw`^\s*FILE\((?<line>\d+),(?<col>\d+)\): error (?<rule>[A-Z]+\d+): (?<message>.+)`),
  ),
  head(null, shape(String.raw`^(?:\[ERROR\] |e: (?:file:\/\/)?)?FILE:\[(?<line>\d+),(?<col>\d+)\] (?<message>.+)`)),
  head(
    "type_checking",
    shape(String.raw`^e: (?:file:\/\/)?FILE:(?: \()?(?<line>\d+)[:,] ?(?<col>\d+)\)?:? (?<message>.+)`),
  ),
  head(null, shape(String.raw`^\s*FILE:(?<line>\d+):(?:(?<col>\d+):)? (?:fatal )?error:? ?(?<message>.*)`, "i")),
  head(
    "linting",
    shape(String.raw`^\s*FILE:(?<line>\d+):(?<col>\d+):? (?<rule>[A-Z]{1,6}\d{2,5}):?\*? (?:\[\*\] )?(?<message>.+)`),
  ),
  head(
    "type_checking",
    shape(String.raw`^\s*(?:vet: )?(?<file>(?:\.{1,2}[\\/])?[\w./\\@-]+\.go):(?<line>\d+):(?<col>\d+): (?<message>.+)`),
  ),
  head("test_failure", shape(String.raw`^\s+(?<file>[\w-]+_test\.go):(?<line>\d+): ?(?![Ss]kipping)(?<message>.*)`)),
  head(null, shape(String.raw`^(?:PHP )?(?:Parse|Fatal) error: +(?<message>.+? in FILE(?: on line |:)(?<line>\d+))`)),
  head(
    null,
    shape(
      String.raw`^\s*FILE:(?<line>\d+): (?<message>(?:[\w.]*(?:Error|Exception)|syntax error|undefined|error)\b.*)`,
    ),
  ),
  head(null, shape(String.raw`^File FILE, line (?<line>\d+), (?<message>.+)`)),
  head("linting", shape(String.raw`^\s*FILE:(?<line>\d+):(?<col>\d+): (?!note:|warning:|info:)(?<message>\S.*)`)),
  head(null, /^error(?:\[(?<rule>E\d{4})\])?: (?<message>.+)/),
  detail(shape(String.raw`^\s*--> FILE:(?<line>\d+):(?<col>\d+)`)),

  // Formatters.
  head(
    "code_formatting",
    /^(?:Would reformat:?|would reformat|Diff in|\[warn\]|Formatting|reformatted) (?<file>\S+?)(?::(?<line>\d+):?)?$/i,
  ),
  head("code_formatting", /^\d+ files? would be reformatted/),
  head("code_formatting", /^(?<message>[^.].{2,70}\.{3,}Failed)$/),
  detail(/^Fixing (?<file>\S+)$/),
  detail(shape(String.raw`^FILE:(?<line>\d+): (?<message>[^\s\d].+\([\w-]+\))$`)),
  head("configuration_error", /^(?<message>Would (?:create|update|change|modify|remove) (?<file>\S+?):?)$/i),

  // Tests.
  head("test_failure", /^\s*--- FAIL: (?<test>\S+)/),
  head("test_failure", /^(?<test>\S.* > .+?) FAILED$/),
  head("test_failure", /^\s*Test (?<test>\S.*\)) FAILED$/),
  head("test_failure", /^\s*test (?<test>\S+) \.\.\. FAILED$/),
  head("test_failure", /^(?:ERROR|FAIL): (?<test>test\w* \([\w.]+\))/),
  head("test_failure", /^(?<test>\w+ \([\w.]+\)) \.\.\. (?:ERROR|FAIL)$/),
  head("test_failure", /^\s*(?:FAIL|TIMEOUT|ABORT|SIG\w+) \[ *[\d.]+s\] +(?<test>\S.*)/),
  head("test_failure", /^\[ERROR\] (?:Tests run: \d+.*<<< (?:FAILURE|ERROR)!.*)/),
  head("test_failure", /^\[ERROR\] +(?<test>[\w$.]+[(:.].*?)(?: +Time elapsed: .*)? *<<< (?:ERROR|FAILURE)!/),
  head("test_failure", /^\[ERROR\] {2,}(?<test>[\w$]+\.[\w$]+:\d+.*)/),
  head("test_failure", /^(?:FAIL|FAILED): (?<test>\/\/\S+)/),
  head("test_failure", /^(?<test>\/\/\S+) +FAILED(?: in .+)?$/),
  head("test_failure", /^\s*FAIL(?:ED)?\s+(?<test>\S*[\\/.:].*)/),
  head("test_failure", /^\s*(?:✗|✖|×|⨯|✘) +(?<test>\S.*)/),
  head("test_failure", /^\s*not ok \d+ -? ?(?<test>.*)/),
  head("test_failure", /^\s{0,4}● (?!Console$)(?<test>\S.*)/),
  head(null, /^_{3,} (?<test>(?:ERROR|test|Test).*?) _{3,}$/),
  head(null, /^E {2,}(?<message>[\w.]*(?:Error|Exception|Failed)\b.*)/),
  head("test_failure", /^\s{2,}\d+\) (?<test>\S.+):?$/),
  head("runtime_error", /^\s*thread '.*?' (?:\(\d+\) )?panicked at (?<message>.+)/),
  head("runtime_error", /^(?<message>panic: .+)/),
  detail(
    /^\s*(?:E {2,}\S.*|Expected\b.*|Actual\b.*|Received\b.*|[Ee]xpected:? .+|[Aa]ctual:? .+|got:? .+|want:? .+|Failed asserting that .+)$/,
  ),

  // Errors thrown.
  head(null, /^\s*Caused by: (?<message>[\w$.]+(?:Error|Exception)\b.*)/),
  head(
    null,
    /^\s*(?:(?:Uncaught|Unhandled|Promise Rejection|Exception in thread "\S+"|Error requiring file)[: ]+)?(?<message>(?:[A-Za-z_$][\w$]*[.\\/:]+)*(?:[A-Z]\w*)?(?:Error|Exception|Failure)\b(?: \[\w+\])?(?::.*)?)$/,
  ),
  head(null, /^\s*Error requiring file: (?<file>\S+)$/),
  head("dependency_issue", /^\s*(?<message>Cannot find (?:module|package) .+)/),
  detail(shape(String.raw`^\s*at FILE:(?<line>\d+)$`)),
  detail(/^file: (?<file>\S+)$/),
  detail(/^Unexpected failure\.$|^code=-?\d+$|^\s*Segmentation fault|^\s*Aborted/),

  // Builds.
  head(null, /^> Task (?<test>:\S+) FAILED$/),
  head(null, /^(?<message>Execution failed for task .+)/),
  detail(/^ *> (?<message>(?!Task |Run with |Get more )[A-Z].+)$/),
  head(null, /^FAILED: (?<message>\S.*)/),
  head(null, /^(?:\[ERROR\] )?(?<message>COMPILATION ERROR)/),
  head("test_failure", /^(?<message>(?:Coverage failure|Required test coverage).+)/),

  // Packages, git, shells.
  head("dependency_issue", /^(?<message>verifying .+: checksum mismatch)/),
  detail(/^\s+(?:downloaded|go\.sum): +h1:/),
  head("dependency_issue", /^SECURITY ERROR|^This download does NOT match/),
  head(null, /^(?:npm (?:error|ERR!)|error) code (?<rule>E(?!LIFECYCLE)\w+)$/),
  detail(
    /^npm (?:error|ERR!) (?<message>(?:`npm ci` can only|Invalid: |Missing: |ERESOLVE |While resolving|Found: |Could not resolve|peer |4\d\d |notarget |enoent |Missing script).*)/,
  ),
  head(null, /^(?<message>(?:fatal|FATAL): .+)/),
  head(
    "environment_error",
    /^(?<message>.{0,300}(?:command not found|: not found|is not recognized as an internal or external command|Permission denied|cannot find the path specified|cannot find or open .+))\.?$/,
  ),
  head(null, /^(?<message>.{0,300}(?:No such file or directory|no such file or directory).*)/),
  head(
    "infra_transient",
    /^(?<message>.{0,300}(?:Could not resolve host|Connection (?:refused|reset|timed out)|ECONNREFUSED|ETIMEDOUT|SSL_ERROR|TLS handshake|Temporary failure in name resolution|502 Bad Gateway|503 Service Unavailable|HTTP Error 5\d\d).*)/,
  ),
  head(
    "dependency_issue",
    /^(?<message>(?:ERROR: )?(?:Could not find a version|No matching distribution|ResolutionImpossible|PackagesNotFoundError|E: Unable to locate package).*)/,
  ),
  head("infra_transient", /^(?<message>.*No space left on device.*)/),

  head("environment_error", /^(?<message>\S+: cannot compile Go [\d.]+ code)/),

  // Words alone.
  plain(null, /^diff --git a\/(?<file>\S+) b\/\S+/),
  plain(
    null,
    /^\s*(?:\d\d:\d\d:\d\d(?:[.,]\d+)? )?\W{0,3}(?:\[?(?:ERROR|Error|error|FATAL|Fatal|ERR!)\]?)(?: in [\w.-]+)?(?::| -| )\s*(?<message>\S.*)/,
  ),
  plain(
    null,
    /^(?<message>[\w./-]+: (?:error|Error|cannot|Cannot|unable|failed|This does not|Exiting with failure).*)/,
  ),
  plain(
    null,
    /^(?<message>\S.{0,300}\b(?:is broken|was not found|not found|cannot|could not|failed|invalid|disallowed|mismatch|does not match|redeclared|undefined|missing|unexpected|error)\b.*)/i,
  ),
];
