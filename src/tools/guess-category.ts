import type { FailureClass } from "../domain/category.ts";

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
    says: /:(?:GL|SS|ES|PR|RT|YD|SA|EX)\d\d:|\bD[1-4]\d\d\b/,
    category: "doc_docstring",
  },
  { says: /: error: .+ {2}\[[a-z-]+\]$|Couldn't match|mismatched types/m, category: "type_checking" },
  {
    says: /OutOfMemory|heap out of memory|unsafe repository|dubious ownership|command not found|cannot find the path|cannot find or open|not recognized as|GLIBC|shared libraries|cannot compile Go|requires (?:node|python|go|java)|unsupported (?:engine|class file)|wrong version/i,
    category: "environment_error",
  },
  {
    says: /checksum mismatch|Could not find a version|No matching distribution|ResolutionImpossible|PackagesNotFound|Unable to locate package|Could not resolve (?:all|dependenc)|No variants of|can only install packages when|ERESOLVE|lock ?file|Cannot find (?:module|package) '[^./]|No module named|no required module|missing go\.sum|not available from current channels/i,
    category: "dependency_issue",
  },
  {
    says: /\.(?:md|rst|adoc|mdx)\b|broken link|is broken\b|docstring|\bdocs?\b|vitepress|sphinx|mkdocs/i,
    category: "doc_docstring",
  },
  {
    says: /^(?:\S+: )?(?:Type|Value|Key|Name|Attribute|Index|Reference|Range|Runtime|ZeroDivision)Error\b/m,
    category: "runtime_error",
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
    says: /Execution failed for task '\S*(?:compile|kapt|ksp)|type mismatch|incompatible types|cannot (?:be converted|convert)|cannot find symbol|undefined reference|mismatched types|not assignable|undeclared|inlining failed|redeclared|undefined:|could not match|No instance for|not in scope/i,
    category: "type_checking",
  },
  { says: /FAIL.*\blint|lint\w*\b.*FAIL/, category: "linting" },
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
