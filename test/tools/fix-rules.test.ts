import { describe, expect, it } from "vitest";
import { NO_FACTS, simpleCommands } from "../../src/tools/resolve-command.ts";
import { TOOLS } from "../../src/tools/tools.ts";

/** The first fix that a tool derives for one of a script's commands, with the tool's name. */
function derived(script: string): readonly [string, string] | null {
  for (const { text } of simpleCommands(script, "", NO_FACTS)) {
    for (const tool of TOOLS) {
      const fixed = tool.answersTo(text) ? (tool.fix?.derive(text) ?? null) : null;
      if (fixed !== null) return [tool.name, fixed];
    }
  }
  return null;
}

describe("a fixing command keeps the paths and options of the failing one", () => {
  it.each([
    ["prettier", 'prettier --check src "docs/**/*.md"', 'prettier --write src "docs/**/*.md"'],
    [
      "prettier",
      "npx --no-install prettier -c . --config x.json",
      "npx --no-install prettier --write . --config x.json",
    ],
    ["prettier", "prettier -l '**/*.ts'", "prettier --write '**/*.ts'"],
    ["prettier", "pnpm exec prettier . --list-different --check", "pnpm exec prettier . --write"],
    ["eslint", "eslint . --max-warnings 0", "eslint . --max-warnings 0 --fix"],
    ["eslint", "yarn eslint src --ext .ts -f json -o report.json", "yarn eslint src --ext .ts -f json --fix"],
    ["eslint", "eslint --quiet -- src", "eslint --quiet --fix -- src"],
    ["eslint", "next lint", "next lint --fix"],
    ["biome", "biome ci .", "biome check --write ."],
    ["biome", "npx @biomejs/biome@2 ci --threads=2 src", "npx @biomejs/biome@2 check --write src"],
    ["biome", "biome check src", "biome check --write src"],
    ["biome", "biome format .", "biome format --write ."],
    ["biome", "biome lint .", "biome lint --write ."],
    ["stylelint", 'stylelint "**/*.css"', 'stylelint "**/*.css" --fix'],
    ["black", "black --check --diff .", "black ."],
    ["black", "python -m black --check -l 100 src tests", "python -m black -l 100 src tests"],
    ["isort", "isort --check-only --diff .", "isort ."],
    ["isort", "poetry run isort -c src", "poetry run isort src"],
    ["ruff", "ruff check .", "ruff check --fix ."],
    [
      "ruff",
      "uv run ruff check --output-format=github --no-fix src",
      "uv run ruff check --output-format=github --fix src",
    ],
    ["ruff", "ruff format --check .", "ruff format ."],
    ["gofmt", "gofmt -l .", "gofmt -w ."],
    ["gofmt", 'test -z "$(gofmt -s -l . | tee /dev/stderr)"', "gofmt -s -w ."],
    ["gofmt", 'if [ -n "$(goimports -l cmd)" ]; then exit 1; fi', "goimports -w cmd"],
    ["cargo fmt", "cargo fmt --all -- --check", "cargo fmt --all"],
    ["cargo fmt", "cargo +nightly fmt --check", "cargo +nightly fmt"],
    ["cargo fmt", "cargo fmt -- --check --config x=1", "cargo fmt -- --config x=1"],
    ["cargo fmt", "rustfmt --check src/a.rs", "rustfmt src/a.rs"],
    [
      "clippy",
      "cargo clippy --all-targets -- -D warnings -D clippy::all",
      "cargo clippy --fix --allow-dirty --allow-staged --allow-no-vcs --all-targets -- -W clippy::all",
    ],
    ["clippy", "cargo clippy", "cargo clippy --fix --allow-dirty --allow-staged --allow-no-vcs"],
    ["go mod", "go mod tidy -diff", "go mod tidy"],
    ["go mod", "go mod verify", "go mod tidy"],
    ["pre-commit", "pre-commit run --all-files --show-diff-on-failure --color=always", "pre-commit run --all-files"],
    ["terraform fmt", "terraform fmt -check -recursive -diff", "terraform fmt -recursive"],
    ["rubocop", "bundle exec rubocop --parallel", "bundle exec rubocop --parallel --autocorrect"],
    ["dotnet format", "dotnet format App.sln --verify-no-changes", "dotnet format App.sln"],
    ["clang-format", "clang-format --dry-run --Werror a.c b.c", "clang-format -i a.c b.c"],
    ["shfmt", "shfmt -i 2 -d .", "shfmt -i 2 -w ."],
    ["npm", "npm ci", "npm install --package-lock-only --ignore-scripts --no-audit --no-fund"],
    [
      "npm",
      "npm ci --legacy-peer-deps --prefix web --omit=dev",
      "npm install --package-lock-only --ignore-scripts --no-audit --no-fund --legacy-peer-deps --prefix web",
    ],
    ["pnpm", "pnpm i --frozen-lockfile", "pnpm i --lockfile-only --no-frozen-lockfile --ignore-scripts"],
    [
      "pnpm",
      "pnpm -C web install --frozen-lockfile --filter app",
      "pnpm -C web install --lockfile-only --no-frozen-lockfile --ignore-scripts --filter app",
    ],
    ["yarn", "yarn install --immutable", "yarn install --mode=update-lockfile --no-immutable"],
    [
      "yarn",
      "yarn --cwd web install --frozen-lockfile",
      'case "$(yarn --cwd web --version)" in [01].*) yarn --cwd web install --ignore-scripts --non-interactive --no-progress ;; *) yarn --cwd web install --mode=update-lockfile --no-immutable ;; esac',
    ],
    ["deno fmt", "deno fmt --check src", "deno fmt src"],
    ["mix format", "mix format --check-formatted", "mix format"],
    ["buildifier", "buildifier --mode=check -r .", "buildifier -mode=fix -r ."],
    ["csharpier", "dotnet csharpier --check .", "dotnet csharpier ."],
    ["markdownlint", "npx markdownlint docs", "npx markdownlint docs --fix"],
    ["uv", "uv lock --check", "uv lock"],
    ["uv", "uv sync --locked --all-extras", "uv lock"],
    ["poetry", "poetry check --lock", "poetry lock"],
    ["bun install", "bun install --frozen-lockfile", "bun install --lockfile-only --ignore-scripts"],
  ])("%s: %s", (tool, command, expected) => {
    expect(derived(command)).toEqual([tool, expected]);
  });
});

describe("a command that fixes already, or does not check, has no fix", () => {
  it.each([
    "prettier --write .",
    "prettier src/a.ts",
    "eslint . --fix",
    "biome check --write .",
    "stylelint a.css --fix",
    "black .",
    "isort .",
    "ruff check --fix .",
    "ruff format .",
    "gofmt -w .",
    "cargo fmt",
    "cargo build",
    "go mod tidy",
    "go build ./...",
    "pre-commit install",
    "terraform fmt",
    "terraform plan",
    "npm install left-pad",
    "npm test",
    "pnpm add x",
    "pnpm test",
    "yarn add x",
    "yarn test",
    "bun install",
  ])("%s", (command) => {
    expect(derived(command)).toBeNull();
  });
});

describe("what is said of a rule is true", () => {
  it("names as proven by execution exactly the rules that a test runs", () => {
    const executed = TOOLS.filter(({ fix }) => fix?.proven === "executed").map(({ name }) => name);

    expect(executed.sort()).toEqual(
      [
        "biome",
        "black",
        "cargo fmt",
        "eslint",
        "gofmt",
        "isort",
        "npm",
        "pnpm",
        "prettier",
        "stylelint",
        "yarn",
      ].sort(),
    );
  });

  it.each([
    ["npm", "web/package-lock.json", "package.json"],
    ["pnpm", "pnpm-lock.yaml", "package.json"],
    ["yarn", "yarn.lock", "node_modules/a/index.js"],
    ["gofmt", "a/b.go", "vendor/a/b.go"],
    ["cargo fmt", "src/a.rs", "Cargo.toml"],
    ["go mod", "go.sum", "main.go"],
  ])("%s may touch %s and not %s", (name, mine, foreign) => {
    const rule = TOOLS.find((tool) => tool.name === name)?.fix;

    expect([rule?.mayTouch?.(mine), rule?.mayTouch?.(foreign)]).toEqual([true, false]);
  });
});
