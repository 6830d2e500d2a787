const NOISE: readonly RegExp[] = [
  // Nothing, and GitHub's own marks.
  /^[\s#=*_-]*$/,
  /^##\[(?:group|endgroup|debug|command|section|warning|notice)\]|^\[command\]|^Post job cleanup/,
  // Counts of nothing.
  /\b0 (?:failed|failures?|errors?|failing)\b|Failures: 0, Errors: 0\b|No errors?\b|error-?free|errors? found: 0/i,
  // Settings that are called so.
  /fail-fast|--fail|continue-on-error|^\s*[\w-]*on-error/i,
  // What passed.
  /^(?:PASS|ok)\b|\bPASSED$|\.{3}\s*(?:ok|Passed|PASSED)$|^\s*(?:✓|✔|√)/,
  // Warnings and advice.
  /\bwarn(?:ing)?\b(?!.*\berror:)|deprecat/i,
  // Progress.
  /^(?:Downloading|Downloaded|Fetching|Collecting|Installing|Unpacking|Selecting|Preparing|Progress|Resolving|Requirement already|remote:|From https|\s*\d+%)/i,
  /^\s*(?:adding|inflating|creating|copying|Compiling|Checking|Get:\d|Hit:\d|Setting up) |✖ .*\.{3}$|^Cache restore for/i,
  /^\[INFO\]|^INFO\b|^(?:\[\d+\/\d+\]|\[ *\d+%\])/,
  // Packages with such names, echoed commands.
  /^\s*[\w-]*error[\w-]*@|^\+ |^> \S+@\S+ \S+/i,
  // What npm and Gradle advise.
  /^npm (?:error|ERR!) *(?:$|aliases|\[-|Run "npm|A complete log|For a full report|\/|Fix the upstream|this command with|to accept|\d+ more|Failed at the|Usage|npm )/,
  /^> (?:Run with|Get more) /,
  // git asked something it may well not know.
  /^fatal: (?:ref HEAD is not|No (?:tags|names) )/,
];

const ECHO: readonly RegExp[] = [
  /^(?:##\[error\])?(?:Process completed with exit code|Error: Process completed|exit status \d|Command exited with)/,
  /^(?:make(?:\[\d+\])?: \*\*\*|error Command failed|\s*ELIFECYCLE|ERROR: Job failed|warning: build failed)/,
  /^\[ERROR\] *(?:->|To see|Re-run|For more|After correcting|Failed to execute goal|\[Help|Please refer to|mvn <args>|$)/,
  /^(?:BUILD FAILED|FAILURE: Build failed|FAIL$|==> FAILED: EXIT CODE|> There were failing tests|.*See the report at)/,
  /^(?:\d+ (?:tests? completed|errors? generated|problems?)|Found \d+ errors?|test result: FAILED|Failed tests?:?$)/,
  /^.{0,200}\bexited? with (?:code )?\d+\.?$|^.{0,200}\bcommand .{0,400}\bexited \(\d+\)$|Step script exited with code \d+/,
  /^Test Suites: |^Tests: {3,}/,
  /^\s*\|?\s*\^[\s^~]*$/,
];

/** Looks like an error and is none: progress, counts of nothing, settings, passed tests, echoed commands, warnings. */
export function isNoise(text: string): boolean {
  return NOISE.some((part) => part.test(text));
}

/** Only repeats that something failed: an exit code, a count, a pointer to a report, a caret. */
export function isEcho(text: string): boolean {
  return ECHO.some((part) => part.test(text));
}
