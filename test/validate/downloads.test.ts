import { describe, expect, it } from "vitest";
import { downloadOf, prefetchFor } from "../../src/validate/downloads.ts";

describe("commands that install", () => {
  it.each([
    ["npm ci", ["node_modules"]],
    ["npm install --no-audit", ["node_modules"]],
    ["npm --prefix web ci", null],
    ["npm i -g pnpm", null],
    ["npm install -g typescript@5", null],
    ["pnpm i --frozen-lockfile", ["node_modules"]],
    ["yarn", ["node_modules"]],
    ["yarn --immutable", ["node_modules"]],
    ["yarn install --frozen-lockfile", ["node_modules"]],
    ["bun install", ["node_modules"]],
    ["pip install -r requirements.txt", [".venv", "venv"]],
    ["python -m pip install -e '.[dev]'", [".venv", "venv"]],
    ["python3.12 -m pip install --upgrade pip", [".venv", "venv"]],
    ["uv sync --all-extras", [".venv", "venv"]],
    ["uv pip install .", [".venv", "venv"]],
    ["poetry install --no-root", [".venv", "venv"]],
    ["poetry lock", [".venv", "venv"]],
    ["pipx install tox", null],
    ["go mod download", null],
    ["go install ./cmd/gen", null],
    ["cargo fetch --locked", null],
    ["bundle install --jobs 4", ["vendor/bundle", ".bundle"]],
    ["composer install --no-progress", ["vendor"]],
    ["dotnet restore", null],
    ["./mvnw -B verify", null],
    ["./gradlew check", null],
    ["mix deps.get", ["deps"]],
  ])("%s", (command, fills) => {
    expect(downloadOf(command)?.fills).toEqual(fills);
  });

  it.each([
    "npm test",
    "npm run install-hooks",
    "npm run ci",
    "yarn lint",
    "yarn test --ci",
    "pnpm exec eslint .",
    "pip check",
    "pip --version",
    "go test ./...",
    "go vet ./...",
    "cargo test",
    "bundle exec rspec",
    "composer test",
    "dotnet test --no-restore",
    "echo npm ci",
    "",
  ])("%j is none", (command) => {
    expect(downloadOf(command)).toBeNull();
  });
});

describe("what a command would download while it works", () => {
  it.each([
    ["cargo clippy -- -D warnings", "cargo fetch"],
    ["cargo +nightly test", "cargo fetch"],
    ["go test ./...", "go mod download"],
    ["golangci-lint run", "go mod download"],
    ["dotnet build -c Release", "dotnet restore"],
    ["pre-commit run --all-files", "pre-commit install-hooks"],
    ["uv run --group test pytest -x", "uv run --group test true"],
    ["uv run python -m pytest", "uv run true"],
    ["tox -e py312 -- -x", "tox --notest -e py312"],
    ["python -m nox -s lint", "python -m nox --install-only -s lint"],
    ["uv run --no-sync pytest", null],
    ["cargo fmt --check", null],
    ["npm test", null],
    ["", null],
  ])("%s → %s", (command, expected) => {
    expect(prefetchFor(command)).toBe(expected);
  });
});
