import type { ValidationKind } from "../domain/evidence.ts";
import type { SimpleCommand } from "../tools/resolve-command.ts";
import type { Tool } from "../tools/tool.ts";
import { answeringTools } from "./answering-tools.ts";

/** First match wins; looked for in each simple command of a script. What tools of ours answer to needs no row. */
const KINDS: readonly (readonly [ValidationKind, RegExp])[] = [
  [
    "install",
    /^(?:npm (?:ci|i|install|add)|pnpm (?:i|install|add|fetch)|yarn(?: install| add|$)|bun (?:install|i|add)|(?:python3? -m )?pip3? install|pip-sync|uv (?:sync|pip install|venv)|poetry install|pdm install|hatch env|pipenv (?:install|sync)|conda (?:install|create|env)|go (?:mod download|get|install)|cargo fetch|bundle install|gem install|composer install|dotnet restore|apt(?:-get)? |brew |choco |corepack )/,
  ],
  [
    "format",
    /\b(?:prettier|black|isort|gofmt|rustfmt|clang-format)\b|cargo fmt|ruff format|biome format|dotnet format|(?:run |make |:)(?:format|fmt)/,
  ],
  ["type", /\b(?:tsc|mypy|pyright|vue-tsc|flow|pyre)\b|(?:run |make |:)(?:type-?check|types)/],
  [
    "lint",
    /\b(?:eslint|ruff|flake8|pylint|golangci-lint|clippy|stylelint|markdownlint|shellcheck|actionlint|checkstyle|ktlint|detekt|rubocop|pre-commit)\b|go vet|(?:run |make |:)lint/,
  ],
  [
    "test",
    /\b(?:jest|vitest|mocha|pytest|unittest|tox|nox|ava|playwright|cypress|rspec|phpunit|pest|ctest|nextest)\b|\b(?:npm|pnpm|yarn|bun|go|cargo|dotnet|mvn|mvnw|gradle|gradlew|make|deno|stack|cabal|php artisan|swift|mix) (?:\S+ )*(?:test|verify|check)\b|(?:run |make |:)test|node --test|run[-_]?tests?\b/,
  ],
  [
    "docs",
    /\b(?:sphinx-build|mkdocs|typedoc|vitepress|docusaurus|rustdoc|javadoc|doxygen)\b|cargo doc|(?:run |make |:)docs?/,
  ],
  [
    "deploy",
    /\b(?:deploy|terraform apply|kubectl|wrangler|vercel|netlify)\b|npm publish|twine upload|cargo publish|docker push|goreleaser/,
  ],
  ["package", /npm pack|docker build|python3? -m build|cargo package|poetry build|dotnet pack/],
  [
    "build",
    /\b(?:npm|pnpm|yarn|bun|go|cargo|dotnet|make|mvn|mvnw|gradle|gradlew|deno|swift|stack|cabal|bazel)\b.*\b(?:build|compile|assemble|package)\b|\b(?:webpack|rollup|vite|esbuild|cmake|ninja|gcc|g\+\+|clang)\b|^make$/,
  ],
];

// A script that installs and then tests is a test: what it is for comes last, what it needs comes first.
const RANK: readonly ValidationKind[] = [
  "test",
  "type",
  "lint",
  "format",
  "docs",
  "build",
  "package",
  "deploy",
  "install",
  "other",
];

/** The tool a script's commands name, first in their order, and the kind of validation the script is. */
export function classifyCommands(
  commands: readonly SimpleCommand[],
  tools: readonly Tool[],
): { readonly tool: Tool | null; readonly kind: ValidationKind } {
  const named = commands.flatMap((command) => answeringTools(command.text, tools).slice(0, 1));
  const kinds = commands.map((command) => kindOf(command, tools));
  const kind = RANK.find((candidate) => kinds.includes(candidate)) ?? "other";
  return { tool: named.find((tool) => tool.kind === kind) ?? named[0] ?? null, kind };
}

function kindOf(command: SimpleCommand, tools: readonly Tool[]): ValidationKind {
  const spelled = [command.text, ...command.via].map((text) => KINDS.find(([, says]) => says.test(text))?.[0]);
  const [tool] = answeringTools(command.text, tools);
  // One program does several things: `npm ci` installs, `npm test` tests; its words say more than its name.
  return spelled.find((kind) => kind !== undefined) ?? tool?.kind ?? "other";
}
