import { describe, expect, it } from "vitest";
import type { FailureClass } from "../../../../src/domain/category.ts";
import type { Check } from "../../../../src/domain/check.ts";
import type { Problem } from "../../../../src/domain/problem.ts";
import { deriveFixes } from "../../../../src/repair/engines/autofix/derive-fixes.ts";
import type { CommandFacts } from "../../../../src/tools/resolve-command.ts";
import { TOOLS } from "../../../../src/tools/tools.ts";
import { plainCheck } from "../../../fakes/real-bench.ts";

const PACKAGES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "": {
    lint: "node tools/lint.js",
    "lint:fix": "node tools/lint.js --fix",
    "format:check": "prettier --check .",
    format: "prettier --write .",
    "check:style": "./style.sh",
    "fix:style": "./style.sh --write",
    loose: "node tools/loose.js",
  },
  "web/app": { fmt: "prettier --check src" },
};
const facts: CommandFacts = { packageScripts: (folder) => PACKAGES[folder] ?? null, makeTarget: () => null };

function problem(tool: string | null, category: FailureClass): Problem {
  return {
    id: "p1",
    title: "red",
    category,
    tool,
    failures: [],
    validation: null,
    files: [],
    origin: "observed",
    order: 1,
  };
}

function commands(script: string, tool: string | null, category: FailureClass, earlier: readonly Check[] = []) {
  const sources = { facts, tools: TOOLS, earlierSteps: () => earlier };
  return deriveFixes(problem(tool, category), plainCheck(script), sources).map(
    ({ command, cwd }) => `${cwd}: ${command}`,
  );
}

describe("which fixers a problem gets", () => {
  it.each([
    [
      "the tool that the log named",
      "npx eslint . && npx prettier --check .",
      "prettier",
      "code_formatting",
      [": npx prettier --write ."],
    ],
    [
      "every style fixer when the log named none",
      "eslint .\nprettier --check .",
      null,
      "linting",
      [": eslint . --fix", ": prettier --write ."],
    ],
    [
      "none when the log's tool runs here and has no fixer",
      "prettier --check . && vitest run",
      "vitest",
      "test_failure",
      [],
    ],
    ["no formatter for a failing test", "prettier --check . && ./run-tests", null, "assertion_error", []],
    ["no lock file for a style problem", "npm ci && ./style", null, "code_formatting", []],
    [
      "the lock file's own",
      "npm ci --prefix web",
      "npm",
      "dependency_issue",
      [": npm install --package-lock-only --ignore-scripts --no-audit --no-fund --prefix web"],
    ],
    [
      "the wrapper's, when the log's tool runs inside of it",
      "pre-commit run -a",
      "ruff",
      "linting",
      [": pre-commit run -a"],
    ],
    [
      "the derived command rather than the twin",
      "npm run format:check",
      "prettier",
      "code_formatting",
      [": prettier --write ."],
    ],
    [
      "a package's own folder",
      "cd web/app && npm run fmt",
      "prettier",
      "code_formatting",
      ["web/app: prettier --write src"],
    ],
    ["the twin with :fix", "npm run lint", null, "linting", [": npm run lint:fix"]],
    ["the twin with fix in front", "yarn check:style", null, "code_formatting", [": yarn run fix:style"]],
    ["no twin where there is none", "npm run loose", null, "linting", []],
    ["nothing outside of the repository", "cd .. && prettier --check .", "prettier", "code_formatting", []],
    ["one fix for a command seen twice", 'test -z "$(gofmt -l .)"', "gofmt", "code_formatting", [": gofmt -w ."]],
    [
      "the generator before the question",
      "npm run gen\ngit diff --exit-code",
      "uncommitted changes",
      "configuration_error",
      [": npm run gen"],
    ],
  ] as const)("%s", (_what, script, tool, category, expected) => {
    expect(commands(script, tool, category)).toEqual(expected);
  });

  it("a question alone is answered by the generating steps before it", () => {
    const earlier = [
      plainCheck("npm ci", { installs: true }),
      plainCheck("npx vitest run"),
      plainCheck("./generate.sh", { cwd: "api" }),
      plainCheck("./windows-only", { notRun: "runs on Windows" }),
    ];

    const found = commands("git diff --exit-code", "uncommitted changes", "configuration_error", earlier);

    expect(found).toEqual(["api: ./generate.sh"]);
  });
});

describe("a fix has what it needs from the step around it", () => {
  const fixOf = (script: string, changes: Partial<Check> = {}) => {
    const sources = { facts, tools: TOOLS, earlierSteps: () => [] };
    return deriveFixes(problem("prettier", "code_formatting"), plainCheck(script, changes), sources)[0];
  };

  it("variables and environment", () => {
    const fix = fixOf("FILES='a.js b.js'\nexport MODE=x OUT=$HOME/out\nCI=1 prettier --check $FILES", {
      env: { A: "b" },
    });

    expect(fix).toMatchObject({
      script: "FILES='a.js b.js'\nexport OUT=\"$HOME/out\"\nprettier --write $FILES",
      env: { A: "b", MODE: "x", CI: "1" },
    });
  });

  it("the PATH of package scripts", () => {
    const fix = fixOf("npm --prefix web/app run fmt");

    expect(fix?.script).toBe(
      'export PATH="$PWD/node_modules/.bin:$PWD/../node_modules/.bin:$PWD/../../node_modules/.bin:$PATH"\nprettier --write src',
    );
  });

  it("a POSIX shell, whatever the step's", () => {
    expect(fixOf("prettier --check .", { shell: "pwsh" })?.shell).toBeNull();
    expect(fixOf("prettier --check .", { shell: "bash" })?.shell).toBe("bash");
  });
});
