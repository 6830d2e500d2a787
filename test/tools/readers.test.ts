import { describe, expect, it } from "vitest";
import type { StepLog } from "../../src/domain/ci-run.ts";
import { TOOLS } from "../../src/tools/tools.ts";

// Readers of Python's, JavaScript's and every ecosystem's tools.
const NAMES = [
  ["mocha", "cypress", "playwright", "unittest", "coverage", "yamllint", "flake8", "pylint", "mypy", "pyright"],
  ["docstrings", "pip", "uv", "poetry", "conda", "vitepress", "vite", "webpack", "next build", "sphinx", "mkdocs"],
  ["lychee", "linkinator", "markdown-link-check", "codespell", "typos", "markdownlint", "commitlint", "knip"],
  ["actionlint", "shellcheck", "hadolint", "python", "node"],
].flat();

// Beginnings that readers look for, none of them ever ended; long lines and deep indents among them.
const HOSTILE = [
  "=".repeat(70),
  "ERROR: test_a (pkg.Case)",
  "Traceback (most recent call last):",
  '  File "a.py", line 1, in f',
  "  3 failing",
  "  1) a",
  "  1) [x] › a.spec.ts:1:1 › b",
  "error: subprocess-exited-with-error",
  "  ╰─> [3 lines of output]",
  "  × No solution found when resolving dependencies:",
  "PackagesNotFoundError: x",
  "  - a",
  "error during build:",
  "Failed to compile.",
  "ERROR in ./a.js 1:1",
  "Running Sphinx v7",
  "Warning, treated as error:",
  "Extension error:",
  "WARNING -  Doc file 'a.md'",
  "FILE: a.md",
  "In a.sh line 1:",
  "Unused files (900000)",
  "⧗   input: a",
  "Error: Cannot find module 'a'",
  "Require stack:",
  `a.py:1:1: ${"E1 ".repeat(1_000)}`,
  `${"a/".repeat(1_500)}b.py:1: error: ${"x ".repeat(500)}`,
  `${" ".repeat(3_000)}^`,
  `${"because ".repeat(400)}, version solving faile`,
];

function stepOf(command: string, lines: readonly string[]): StepLog {
  return {
    source: "log.txt",
    job: null,
    number: null,
    name: "a step",
    command,
    uses: null,
    shell: null,
    env: {},
    failed: true,
    exitCode: 1,
    firstLine: 1,
    lastLine: lines.length,
    lines: lines.map((text, index) => ({ number: index + 1, text })),
    omittedLines: 0,
  };
}

describe("readers of Python, JavaScript and documents", () => {
  it.each([
    ["flake8", "python -m flake8 src"],
    ["unittest", "coverage run -m unittest discover"],
    ["unittest", "python manage.py test shop"],
    ["python", "python scripts/check.py"],
    ["pip", "python -m pip install -r requirements.txt"],
    ["pip", "uv pip install -e ."],
    ["uv", "uv sync --locked"],
    ["poetry", "poetry install --no-root"],
    ["mypy", "uv run mypy src"],
    ["pyright", "npx pyright"],
    ["sphinx", "sphinx-build -W docs out"],
    ["sphinx", "make -C docs html"],
    ["mocha", "npx mocha --recursive"],
    ["playwright", "npx playwright test"],
    ["cypress", "npx cypress run"],
    ["next build", "next build"],
    ["webpack", "webpack --mode production"],
    ["markdownlint", "npx markdownlint-cli2 docs"],
  ])("%s answers to `%s`", (name, command) => {
    expect(TOOLS.find((tool) => tool.name === name)?.answersTo(command)).toBe(true);
  });

  it.each([
    ["playwright", "npx playwright install --with-deps"],
    ["cypress", "npx cypress install"],
    ["next build", "next lint"],
    ["python", "python -m pytest"],
    ["pip", "uv sync"],
    ["poetry", "poetry run pytest"],
  ])("%s does not answer to `%s`", (name, command) => {
    expect(TOOLS.find((tool) => tool.name === name)?.answersTo(command)).toBe(false);
  });

  it.each(NAMES)(
    "%s reads thirty thousand hostile lines in seconds",
    (name) => {
      const lines = Array.from({ length: 30_000 }, (_, at) => HOSTILE[(at * 7 + (at >> 5)) % HOSTILE.length] ?? "");
      const alike = Array.from({ length: 30_000 }, (_, at) => HOSTILE[Math.floor(at / 1_100)] ?? "");
      const tool = TOOLS.find((one) => one.name === name);
      const start = performance.now();

      tool?.read(stepOf("echo", lines));
      tool?.read(stepOf("echo", alike));

      expect(tool?.name).toBe(name);
      expect(performance.now() - start).toBeLessThan(8_000);
    },
    30_000,
  );
});
