import { newMatches, type Sight } from "./new-matches.ts";
import { type ChangedFile, type GuardRule, isTestFile } from "./patch-view.ts";

interface PatternRule {
  readonly name: string;
  readonly looksAt: string;
  readonly message: string;
  readonly in: (file: ChangedFile) => boolean;
  readonly sight: Sight;
  readonly patterns: readonly RegExp[];
}

const isCode = (file: ChangedFile): boolean => ["test", "test-setup", "source"].includes(file.kind);
const isShellLike = (file: ChangedFile): boolean =>
  ["ci", "script"].includes(file.kind) ||
  /(?:^|\/)(?:package\.json|tox\.ini|noxfile\.py|\.pre-commit-config\.yaml|lefthook\.yml)$|(?:^|\/)\.husky\//.test(
    file.path,
  );

/** Clean-up and probing, where failing does not matter and `|| true` is the usual word for it. */
const HARMLESS =
  "(?:sudo |- |run: |@|\\s)*(?:rm|rmdir|mkdir|kill|pkill|killall|docker(?:[ -]compose)? (?:rm|stop|kill|down|network|volume|logs)|git (?:fetch|worktree|branch|stash|config)|umount|grep|which|command -v|unset)\\b";

/** One row a way to switch a check off that can be seen in the text alone. */
const ROWS: readonly PatternRule[] = [
  {
    name: "test-disabled",
    looksAt: "new skip, only, todo, xfail and their kin in any of the usual frameworks",
    message: "switches a test off (or all others)",
    in: (file) => isCode(file),
    sight: "bare",
    patterns: [
      /(?<![\w$.])(?:it|test|describe|suite|context|specify|bench)(?:\.\w+)*\.(?:skip|only|todo|fails|failing|fixme|skipIf|runIf)\b/g,
      /(?<![\w$.])(?:xit|xtest|xdescribe|xcontext|xspecify|fit|fdescribe|ftest|fcontext)\s*[("' ]/g,
      /\bthis\.skip\(|(?<![\w.])(?:test|ctx|t|context)\.skip\(/g,
      /\bpytest\.(?:mark\.)?(?:skip|skipif|xfail|importorskip)\b/g,
      /@(?:unittest\.)?(?:skip|skipIf|skipUnless|expectedFailure)\b/g,
      /\b(?:self\.skipTest|raise\s+(?:unittest\.)?SkipTest)\b/g,
      /^\s*__test__\s*=\s*False/gm,
      /\bt\.(?:Skip|Skipf|SkipNow)\(/g,
      /#\[ignore\b[^\]]*\]|#\[cfg\(any\(\)\)\]/g,
      /@(?:Disabled|Ignore|DisabledIf\w*|DisabledOn\w*|EnabledIf\w*)\b/g,
      /\b(?:Assume|Assumptions)\.\w+\(|\bassumeTrue\(|\bassumeFalse\(/g,
      /^[ \t]*(?:pending|skip|xit|xdescribe|xcontext|xspecify|fit|fdescribe)(?:[ \t]+["'(\w]?|$)/gm,
      /\bmarkTest(?:Skipped|Incomplete)\(/g,
      /\[(?:Fact|Theory|Ignore|Explicit)\b[^\]]*\b(?:Skip\s*=|Ignore\b|Explicit\b)[^\]]*\]|\[Ignore(?:\([^)]*\))?\]/g,
      /\bXCTSkip\w*\b|\.disabled\(/g,
    ],
  },
  {
    name: "test-disabled",
    looksAt: "RSpec and PHPUnit words for the same that stand in strings or comments",
    message: "switches a test off",
    in: isTestFile,
    sight: "raw",
    patterns: [
      /,\s*(?:skip|pending):\s*(?:true|["'])|,\s*:(?:skip|pending)\b/g,
      /^\/\/go:build\s+[^\n]*/gm,
      /@group\s+(?:skip|broken|disabled)\b/g,
    ],
  },
  {
    name: "test-disabled",
    looksAt: "the words of a framework put under other names, where the words themselves would be seen",
    message: "replaces a word of the test framework",
    in: isTestFile,
    sight: "bare",
    patterns: [
      /\w\.(?:skip|only|todo)[ \t]*(?:[;,)]|$)/gm,
      /[{,]\s*(?:skip|only|todo)\s*(?::\s*\w+\s*)?[,}]\s*(?:[^;\n]*\}\s*)?(?:=|\))/g,
      /\b(?:const|let|var)\s+(?:it|describe|expect|assert)\s*=|\bfunction\s+(?:it|test|describe|expect|assert)\s*\(/g,
      /\bfunc\s+TestMain\(\w+ \*testing\.M\)\s*\{(?![^}]*\.Run\()[^}]*\}/g,
      /\bt\s*:?=\s*(?:&|new\()testing\.T\b/g,
    ],
  },
  {
    name: "test-unreachable",
    looksAt: "code in branches that never run",
    message: "this branch never runs",
    in: isTestFile,
    sight: "bare",
    patterns: [
      /\bif\s*\(\s*(?:false|0|!1)\s*\)/g,
      /\bif\s+(?:False|0|false)\s*[:{]/g,
      /^\s*#if\s+(?:0|false)\b/gm,
      /\bwhile\s*\(?(?:false|False|0)\)?\s*[:{]/g,
      /\bfalse\s*&&|\bFalse\s+and\b/g,
    ],
  },
  {
    name: "test-conditional",
    looksAt: "tests made to depend on where they run",
    message: "lets the test run only in some places",
    in: (file) => file.kind === "test",
    sight: "code",
    patterns: [
      /\bif\b[^\n]*(?:process\.env\.(?:CI|GITHUB_ACTIONS)\b|os\.environ[^\n]*["'](?:CI|GITHUB_ACTIONS)["']|os\.getenv\(["'](?:CI|GITHUB_ACTIONS)["']|os\.Getenv\("(?:CI|GITHUB_ACTIONS)"\)|ENV\[["']CI["']\])/g,
    ],
  },
  {
    name: "failure-swallowed",
    looksAt: "errors caught and dropped in tests",
    message: "catches a failure and drops it",
    in: isTestFile,
    sight: "bare",
    patterns: [
      /\bexcept\b[^\n]*:\s*(?:pass|return|\.\.\.|continue)\b/g,
      /\bcatch\s*(?:\([^)]*\))?\s*\{\s*(?:return;?\s*)?\}/g,
      /\bcatch\s*(?:\([^)]*\))?\s*\{\s*console\.\w+\([^)]*\);?\s*\}/g,
      /\bexcept\s*\(?[^:\n]*\bAssertionError\b/g,
      /\.catch\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null|void 0)\s*\)/g,
      /\b(?:contextlib\.)?suppress\(/g,
      /\brescue\b[^\n]*(?:\n\s*nil)?\s*\n\s*end\b/g,
      /\bcatch_unwind\b|\brecover\(\)/g,
    ],
  },
  {
    name: "failure-swallowed",
    looksAt: "assertions of Python that hold a pair, which is always true",
    message: "is true whatever it holds",
    in: isTestFile,
    sight: "code",
    patterns: [/^[ \t]*assert\s*\([^\n]*,\s*f?["'][^"'\n]*["']\s*\)[ \t]*$/gm],
  },
  {
    name: "failure-ignored",
    looksAt: "commands whose failure no longer counts",
    message: "a failing command counts as passed",
    in: isShellLike,
    sight: "code",
    patterns: [
      new RegExp(`^(?!${HARMLESS})[^\\n]*\\|\\|\\s*(?:true\\b|:(?=\\s|["']|$)|exit 0\\b|echo\\b)[^\\n]*`, "gm"),
      /;\s*(?:true|exit 0|:)\s*(?:["',]|$)/gm,
      /^[^\n]*\bset \+(?:e|o pipefail)\b[^\n]*/gm,
      /\bcontinue-on-error:\s*(?:true|["']true["']|\$\{\{)|\ballow_failure:\s*true|\bcontinueOnError:\s*true|\bsoft_fail:\s*true|\bfast_finish:\s*true/g,
      /--no-verify\b|--passWithNoTests\b|--pass-with-no-tests\b|--exit-zero\b|--no-error-on-unmatched-pattern\b|--suppress-tests-failure\b|--ignore-failures?\b|--no-fail(?:-on-\w+)?\b|--allow-failure\b|-DskipTests\b|-Dmaven\.test\.skip|-Dmaven\.test\.failure\.ignore|--skip-tests?\b|(?:^|\s)SKIP=[\w,-]+/g,
      /^\t-\s*@?\w[^\n]*|^\t@-[^\n]*|^\.IGNORE\b/gm,
      /^\t[^\n]*\S\s*&\s*$/gm,
      /^\s*exit 0\s*$/gm,
      /\btrap\s+[^\n]*\bEXIT\b/g,
      /^SHELL\s*[:?]?=\s*\S*\btrue\b/gm,
    ],
  },
  {
    name: "failure-ignored",
    looksAt: "settings that let a check pass without having checked",
    message: "a failing or empty check counts as passed",
    in: (file) => ["config", "ci", "test-setup"].includes(file.kind),
    sight: "code",
    patterns: [
      /\bpassWithNoTests["']?\s*[:=]\s*true/g,
      /\bdangerouslyIgnoreUnhandledErrors["']?\s*[:=]\s*true/g,
      /\b(?:testFailureIgnore|skipTests|failOnViolation>false|ignoreFailures)\b[^\n]*(?:true|false)/g,
      /\bignoreBuildErrors["']?\s*:\s*true|\bignoreDuringBuilds["']?\s*:\s*true/g,
      /\bwarn_?only["']?\s*[:=]\s*true/gi,
      /\bstages:\s*\[?\s*-?\s*manual/g,
      /\b(?:npm_config_)?(?:script[-_]shell|if[-_]present|ignore[-_]scripts)\s*[:=]/gi,
      /\bissues-exit-code:\s*0\b|\bprocess\.(?:exit|reallyExit)\s*=|\breallyExit\(/g,
      /\bfollow_imports["']?\s*=\s*["'](?:skip|silent)|\btestNamePattern\b|^python_(?:files|functions|classes)\s*=[^\n]*/gm,
      /\brequire_ci_to_pass:\s*(?:false|no)|\binformational:\s*true/g,
    ],
  },
  {
    name: "tests-retried",
    looksAt: "tests run again until they pass",
    message: "runs failing tests again instead of repairing them",
    in: (file) => file.kind !== "prose" && file.kind !== "source" && file.kind !== "lockfile",
    sight: "code",
    patterns: [
      /\bretries["']?\s*[:=]\s*(?:[1-9]|process\.env)|\bretryTimes\(\s*[1-9]|--reruns?[= ]\d|--retries[= ]\d|\bflaky\b(?=\()|@pytest\.mark\.flaky|\bthis\.retries\(\s*[1-9]|@RetryingTest\b|\bretry:\s*[1-9]/g,
    ],
  },
  {
    name: "test-setup-neutralised",
    looksAt: "set-up files that keep tests from running or failing",
    message: "keeps tests from running or from failing",
    in: (file) => isTestFile(file) || file.kind === "config",
    sight: "bare",
    patterns: [
      /\bcollect_ignore(?:_glob)?\b\s*(?:=|\+=|\.)/g,
      /\bdef\s+pytest_(?:collection_modifyitems|collection_finish|pycollect_makeitem|itemcollected|runtest_call|runtest_setup|cmdline_main|runtest_makereport|sessionfinish|ignore_collect|runtest_protocol|pyfunc_call)\b/g,
      /\b(?:globalThis|global)\.(?:expect|it|test|describe|assert)\s*=/g,
      /\bprocess\.exit\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0|\b(?:sys|os)\._?exit\(\s*0?\s*\)|\bregister\(\s*os\._exit\b|\bos\.Exit\(0\)|\bexit!?\s*\(?0\)?\s*$/gm,
      /\bexitstatus\s*=\s*0|\breport\.outcome\s*=/g,
    ],
  },
  {
    name: "code-knows-the-test",
    looksAt: "product code that asks whether it is being tested",
    message: "the code behaves differently under test",
    in: (file) => file.kind === "source",
    sight: "code",
    patterns: [
      /\bNODE_ENV\b["'\]]*\s*(?:={2,3}|!==?)\s*["'](?:test|testing)["']/g,
      /["'](?:test|testing)["']\s*(?:={2,3}|!==?)\s*process\.env\.NODE_ENV/g,
      /\bprocess\.env\.(?:VITEST\w*|JEST_WORKER_ID|CI|GITHUB_ACTIONS|TEST)\b|\bprocess\.env\[["'](?:VITEST|JEST_WORKER_ID|CI)["']\]|\bimport\.meta\.vitest\b/g,
      /PYTEST_CURRENT_TEST|["']pytest["']\s+(?:not\s+)?in\s+sys\.modules|sys\.modules(?:\.get\()?\[?["'](?:pytest|unittest)["']|\bos\.(?:environ|getenv)[^\n]*["'](?:CI|GITHUB_ACTIONS|TESTING)["']/g,
      /\btesting\.Testing\(\)|\bflag\.Lookup\(["']test\.|\bos\.Getenv\("(?:CI|GITHUB_ACTIONS)"\)/g,
      /\bRails\.env\.test\?|\bENV\[["'](?:CI|RSPEC)["']\]|\bdefined\?\(RSpec\)/g,
      /\bdebug_assertions\b|\bcfg!\(test\)|#\[cfg\(not\(test\)\)\]/g,
      /\btypeof\s+(?:jest|vi|describe|it)\s*!==?\s*["']undefined["']/g,
    ],
  },
];

const exitCodes: GuardRule = {
  name: "exit-code-changed",
  looksAt:
    "programs and scripts made to end with success where they ended with failure, and shells that no longer stop at an error",
  find: ({ changed }) =>
    changed
      .filter((file) => ["source", "script", "ci", "config"].includes(file.kind))
      .flatMap((file) => {
        const failing =
          /\bprocess\.exit\(\s*[1-9]|\bprocess\.exitCode\s*=\s*[1-9]|\bsys\.exit\(\s*[1-9]|\bos\.Exit\(\s*[1-9]|\bexit [1-9]/g;
        const passing =
          /\bprocess\.exit\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0|\bsys\.exit\(\s*0?\s*\)|\bos\.Exit\(\s*0\s*\)|\bexit 0\b/g;
        const stops = /\bset -\w*e\w*|\bpipefail\b|\berrexit\b/g;
        const lost = (pattern: RegExp): number =>
          count(file.maskedBefore.code, pattern) - count(file.maskedAfter.code, pattern);
        const findings = [];
        const now = newMatches([file], passing, "code")[0];
        if (lost(failing) > 0 && now !== undefined)
          findings.push({ file: file.path, line: now.line, message: "ends with success where it ended with failure" });
        if (lost(stops) > 0 && file.after !== "")
          findings.push({ file: file.path, line: null, message: "the shell no longer stops at a failing command" });
        return findings;
      }),
};

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

export const PATTERN_RULES: readonly GuardRule[] = [
  ...ROWS.map(
    (row): GuardRule => ({
      name: row.name,
      looksAt: row.looksAt,
      find: ({ changed }) =>
        row.patterns.flatMap((pattern) =>
          newMatches(changed.filter(row.in), pattern, row.sight).map(({ file, line, text }) => ({
            file: file.path,
            line,
            message: `${row.message}: ${text.length > 80 ? `${text.slice(0, 79)}…` : text}`,
          })),
        ),
    }),
  ),
  exitCodes,
];
