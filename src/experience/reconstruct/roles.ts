import type { ArtifactRole } from "../../domain/experience.ts";

const ROLES: readonly (readonly [ArtifactRole, RegExp])[] = [
  [
    "workflow",
    /^\.github\/(?:workflows|actions)\/|(?:^|\/)action\.ya?ml$|(?:^|\/)\.(?:travis|gitlab-ci)\.yml$|^\.circleci\//,
  ],
  ["snapshot", /\.snap$|(?:^|\/)__snapshots__\/|\.(?:golden|ambr|approved\.\w+)$|(?:^|\/)(?:goldens?|snapshots)\//],
  [
    "lockfile",
    /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|gradle\.lockfile|packages\.lock\.json|mix\.lock|pubspec\.lock|flake\.lock|deno\.lock)$/,
  ],
  [
    "manifest",
    /(?:^|\/)(?:package\.json|pnpm-workspace\.yaml|pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.(?:txt|in)|Pipfile|Cargo\.toml|go\.mod|Gemfile|[\w.-]+\.gemspec|composer\.json|pom\.xml|build\.gradle(?:\.kts)?|[\w.-]+\.csproj|mix\.exs|pubspec\.yaml|deno\.jsonc?)$/,
  ],
  [
    "test",
    /(?:^|\/)(?:__tests__|tests?|specs?|e2e|testdata|__mocks__|fixtures)\/|[._-](?:test|spec|e2e|cy)\.\w+$|(?:^|\/)test_[^/]*\.py$|(?:^|\/)conftest\.py$|_test\.(?:py|go|rb|exs|cc|cpp)$|_spec\.rb$|(?:Test|Tests|TestCase|Spec|IT)\.(?:java|kt|php|cs|scala|groovy|swift)$|(?:^|\/)tests?\.(?:py|js|ts|rs)$/,
  ],
  [
    "generated",
    /(?:^|\/)(?:dist|build|generated|vendor|node_modules)\/|\.(?:min\.js|pb\.go|generated\.\w+|g\.dart)$|_pb2\.py$/,
  ],
  [
    "config",
    /(?:^|\/)(?:\.?[\w.-]*(?:eslint|prettier|stylelint|babel|vite|vitest|jest|webpack|rollup|tsup|biome|playwright|cypress|mocha|nyc|c8|commitlint|lint-staged)[\w.-]*\.?(?:config|rc|workspace)?[\w.-]*|tsconfig[\w.-]*\.json|jsconfig\.json|\.?ruff\.toml|\.flake8|\.?pylintrc|mypy\.ini|pytest\.ini|tox\.ini|noxfile\.py|\.coveragerc|\.golangci\.\w+|clippy\.toml|rustfmt\.toml|\.rubocop\w*\.yml|\.pre-commit-config\.yaml|\.editorconfig|\.npmrc|\.nvmrc|\.node-version|\.python-version|\.tool-versions|Dockerfile[\w.-]*|docker-compose[\w.-]*\.ya?ml|(?:GNU)?[Mm]akefile|justfile|checkstyle[\w.-]*\.xml)$/,
  ],
  ["docs", /\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)(?:LICENSE|CHANGELOG|CHANGES|NOTICE|AUTHORS)[\w.]*$|^docs?\//],
  [
    "source",
    /\.(?:[cm]?[jt]sx?|py|pyi|go|rs|java|kt|rb|php|cs|scala|swift|c|cc|cpp|h|hpp|sh|bash|vue|svelte|css|scss|sql|ex|exs|dart|lua|pl|hs|ml|clj|m|r|R)$/,
  ],
];

/** What a file is for, by its name. */
export function roleOf(path: string): ArtifactRole {
  return ROLES.find(([, pattern]) => pattern.test(path))?.[0] ?? "other";
}

// papers §8.3: everything meets in them, so a meeting in them says nothing.
const HUBS =
  /(?:^|\/)(?:index|types?|utils?|helpers?|constants|common|mod|lib|main|__init__)\.\w+$|(?:^|\/)CHANGELOG[\w.]*$/i;

/** A file that most changes pass through: relations are never chained through it. */
export function isHub(path: string): boolean {
  return HUBS.test(path) || ["manifest", "lockfile", "docs"].includes(roleOf(path));
}
