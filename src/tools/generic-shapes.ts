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
  head("test_failure", shape(String.raw`^\s+(?<file>[\w-]+_test\.go):(?<line>\d+): ?(?<message>.*)`)),
  head(null, shape(String.raw`^(?:PHP )?(?:Parse|Fatal) error: +(?<message>.+? in FILE(?: on line |:)(?<line>\d+))`)),
  head(
    null,
    shape(
      String.raw`^\s*FILE:(?<line>\d+): (?<message>(?:[\w.]*(?:Error|Exception)|syntax error|undefined|error)\b.*)`,
    ),
  ),
  head(null, shape(String.raw`^File FILE, line (?<line>\d+), (?<message>.+)`)),
  head("linting", shape(String.raw`^\s*FILE:(?<line>\d+):(?<col>\d+): (?<message>\S.*)`)),
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
  head("test_failure", /^\s*● (?<test>\S.* › .+)/),
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
    /^\s*(?:(?:Uncaught|Unhandled|Promise Rejection|Exception in thread "\S+"|Error requiring file)[: ]+)?(?<message>(?:[A-Za-z_$][\w$]*[.\\/:]+)*[A-Z]\w*(?:Error|Exception|Failure)\b(?: \[\w+\])?(?::.*)?)$/,
  ),
  head(null, /^\s*Error requiring file: (?<file>\S+)$/),
  head("dependency_issue", /^\s*(?<message>Cannot find (?:module|package) .+)/),
  detail(/^Unexpected failure\.$|^code=-?\d+$|^\s*Segmentation fault|^\s*Aborted/),

  // Builds.
  head(null, /^> Task (?<test>:\S+) FAILED$/),
  head(null, /^(?<message>Execution failed for task .+)/),
  detail(/^\s*> (?<message>(?!Task )\S.+)$/),
  head(null, /^FAILED: (?<message>\S.*)/),
  head(null, /^(?:\[ERROR\] )?(?<message>COMPILATION ERROR)/),
  head("test_failure", /^(?<message>(?:Coverage failure|Required test coverage).+)/),

  // Packages, git, shells.
  head("dependency_issue", /^(?<message>verifying .+: checksum mismatch)/),
  detail(/^\s+(?:downloaded|go\.sum): +h1:/),
  head("dependency_issue", /^SECURITY ERROR|^This download does NOT match/),
  head(null, /^(?:npm (?:error|ERR!)|error) (?:code (?<rule>E\w+))$/),
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

  // Words alone.
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

/** Looks like an error and is none: progress, counts of nothing, settings, passed tests, echoed commands, deprecations. */
export const NOISE =
  /^\s*$|^##\[(?:group|endgroup|debug|command|section|warning|notice)\]|^\[command\]|^\s*at (?:java|jdk|sun|org\.junit|org\.gradle)\.|\b0 (?:failed|failures?|errors?|failing)\b|Failures: 0, Errors: 0\b|fail-fast|--fail|^(?:PASS|ok)\b|\bPASSED$|\.{3}\s*(?:ok|Passed|PASSED)$|^\s*(?:✓|✔|√)|\bwarn(?:ing)?\b(?!.*\berror:)|deprecat|^(?:Downloading|Downloaded|Fetching|Collecting|Installing|Unpacking|Selecting|Preparing|Progress|Resolving|Requirement already|remote:|From https|\s*\d+%)|^\s*[\w-]*error[\w-]*@|^(?:\+|>) |No errors?\b|error-?free|errors? found: 0|continue-on-error|^Post job cleanup|^[\s#=*_-]+$|^\s*(?:adding|inflating|creating|copying|Compiling|Checking|Get:\d|Hit:\d|Setting up) |^\[INFO\]|^INFO\b|^\s*-?-?[\w-]*on-error|^(?:\[\d+\/\d+\]|\[ *\d+%\])/i;

/** What only repeats that something failed: an exit code, a count, a pointer to a report. */
export const ECHO =
  /^(?:##\[error\])?(?:Process completed with exit code|make(?:\[\d+\])?: \*\*\*|error Command failed|\s*ELIFECYCLE|\[ERROR\] (?:->|To see|Re-run|For more|After correcting|Failed to execute goal|\[Help|$)|BUILD FAILED|FAILURE: Build failed|There were failing tests|Error: Process completed|FAIL$|exit status \d|Command exited with|.*See the report at|\d+ (?:tests? completed|errors? generated|problems?)|Found \d+ errors?|test result: FAILED|Failed tests?:?$|ERROR: Job failed|.*\bexited? with (?:code )?\d+\.?$|warning: build failed)/;

interface Clue {
  readonly says: RegExp;
  readonly category: FailureClass;
}

// Small and ordered: what is sure comes first (papers §8.8).
const CLUES: readonly Clue[] = [
  { says: /The operation was canceled|The runner has received a shutdown signal/, category: "cancelled" },
  { says: /has timed out after \d+ minutes|exceeded the maximum execution time/, category: "cancelled" },
  {
    says: /No space left on device|\b(?:429|50[0234]) (?:Too Many|Bad Gateway|Service|Internal|Gateway)|Could not resolve host|Connection (?:refused|reset|timed out)|ECONNRE(?:FUSED|SET)|ETIMEDOUT|download has timed out|Failed to download (?:archive|action)|SSL|Response code [45]\d\d|lost communication|name resolution|TLS handshake/i,
    category: "infra_transient",
  },
  {
    says: /credential|permission denied|unauthori[sz]ed|forbidden|\b40[13]\b|Bad credentials|secret|Resource not accessible|access denied|not authori[sz]ed/i,
    category: "secret_or_permission",
  },
  {
    says: /OutOfMemory|heap out of memory|unsafe repository|dubious ownership|command not found|cannot find the path|cannot find or open|not recognized as|GLIBC|shared libraries|cannot compile Go|requires (?:node|python|go|java)|unsupported (?:engine|class file)|wrong version/i,
    category: "environment_error",
  },
  {
    says: /checksum mismatch|Could not find a version|No matching distribution|ResolutionImpossible|PackagesNotFound|Unable to locate package|Could not resolve (?:all|dependenc)|ERESOLVE|lock ?file|Cannot find (?:module|package) '[^./]|No module named|no required module|missing go\.sum|not available from current channels/i,
    category: "dependency_issue",
  },
  {
    says: /\.(?:md|rst|adoc|mdx)\b|broken link|is broken\b|docstring|\bdocs?\b|vitepress|sphinx|mkdocs/i,
    category: "doc_docstring",
  },
  {
    says: /SyntaxError|IndentationError|ParseError|Parse error|syntax error|unexpected token|isn't valid JSON|unterminated/i,
    category: "syntax_error",
  },
  {
    says: /config(?:uration)?\b|unknown option|\.ya?ml\b|Invalid value|not found in workflow|Root Module|checkstyle\.xml/i,
    category: "configuration_error",
  },
  {
    says: /AssertionError|AssertionFailed|ComparisonFailure|ExpectationFailed|assert(?:ion)? .*failed|expected\b.*\b(?:but|got|to)\b|Failed asserting/i,
    category: "assertion_error",
  },
  {
    says: /type mismatch|incompatible types|cannot (?:be converted|convert)|cannot find symbol|undefined reference|mismatched types|not assignable|undeclared|inlining failed|redeclared|undefined:|could not match|No instance for|not in scope/i,
    category: "type_checking",
  },
  { says: /\btests?\b.*\bfail|--- FAIL|FAIL(?:ED)?\b.*test/i, category: "test_failure" },
  { says: /reformat|formatting|not formatted|prettier|gofmt|treefmt/i, category: "code_formatting" },
  { says: /\blint|eslint|Disallowed|narrowing|clang-tidy|style/i, category: "linting" },
  {
    says: /[A-Z]\w*(?:Error|Exception)\b|panic|segmentation fault|core dumped|NullPointer/i,
    category: "runtime_error",
  },
];

/** The class that a text speaks of, by the first clue that fits; `unknown` when none does. */
export function guessCategory(text: string): FailureClass {
  return CLUES.find(({ says }) => says.test(text))?.category ?? "unknown";
}
