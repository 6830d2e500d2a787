/** What a file is to a check. The first row that matches decides. */
export type FileKind =
  | "ci"
  | "snapshot"
  | "test-setup"
  | "test"
  | "lockfile"
  | "config"
  | "script"
  | "prose"
  | "source";

const CONFIG_NAMES =
  /(?:^|\/)(?:package\.json|pyproject\.toml|setup\.cfg|tox\.ini|noxfile\.py|pytest\.ini|\.?coveragerc|\.coveragerc|mypy\.ini|\.mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc|\.isort\.cfg|\.?codecov\.ya?ml|\.coveralls\.ya?ml|\.nycrc(?:\.\w+)?|\.c8rc(?:\.\w+)?|biome\.jsonc?|tsconfig[\w.-]*\.json|jsconfig\.json|deno\.jsonc?|\.eslintrc(?:\.\w+)?|\.eslintignore|\.prettierignore|\.prettierrc(?:\.\w+)?|\.stylelintrc(?:\.\w+)?|\.golangci\.\w+|clippy\.toml|\.clippy\.toml|rustfmt\.toml|Cargo\.toml|deny\.toml|\.rubocop(?:_todo)?\.yml|\.rspec|phpunit\.xml(?:\.dist)?|phpstan(?:-baseline)?\.neon(?:\.dist)?|phpcs\.xml(?:\.dist)?|psalm\.xml|sonar-project\.properties|pom\.xml|build\.gradle(?:\.kts)?|checkstyle[\w.-]*\.xml|detekt[\w.-]*\.yml|\.pre-commit-config\.yaml|lefthook\.yml|\.size-limit\.\w+|\.lighthouserc\.\w+|lighthouserc\.\w+|budgets?\.json|\.editorconfig|\.mocharc\.\w+|\.swcrc|\.bandit|Directory\.Build\.props|go\.mod|\.npmrc)$|\.csproj$|(?:^|\/)[\w.-]*(?:vitest|vite|jest|eslint|playwright|cypress|karma|ava|nyc|stylelint|size-limit|lint-staged|webpack|commitlint|knip)[\w-]*\.(?:config|workspace|setup|conf)\.\w+$|(?:^|\/)\.husky\//;

const ROWS: readonly (readonly [FileKind, RegExp])[] = [
  [
    "ci",
    /^\.github\/(?:workflows|actions)\/|(?:^|\/)action\.ya?ml$|(?:^|\/)\.gitlab-ci[\w.-]*\.yml$|^\.circleci\/|(?:^|\/)azure-pipelines[\w.-]*\.yml$|(?:^|\/)\.travis\.yml$|^\.buildkite\/|(?:^|\/)Jenkinsfile|^bitbucket-pipelines\.yml$|^\.ci\/|(?:^|\/)appveyor\.yml$|^\.cirrus\.yml$|^\.drone\.yml$/,
  ],
  [
    "snapshot",
    /\.snap$|(?:^|\/)__snapshots__\/|\.ambr$|\.golden$|(?:^|\/)(?:golden|goldens)\/|\.(?:approved|verified)\.\w+$|-snapshots\/|\.snapshot$|(?:^|\/)snapshots\/|\.expected(?:\.\w+)?$/,
  ],
  [
    "lockfile",
    /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|pdm\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|Gemfile\.lock|composer\.lock|gradle\.lockfile|packages\.lock\.json|mix\.lock|pubspec\.lock|flake\.lock|deno\.lock)$/,
  ],
  [
    "test-setup",
    /(?:^|\/)(?:conftest\.py|spec_helper\.rb|rails_helper\.rb|test_helper\.rb|TestHelper\.\w+|setup-?tests?\.\w+|(?:vitest|jest|test)[.-]setup\.\w+|setup[.-](?:vitest|jest|test)s?\.\w+|global-?setup\.\w+)$/i,
  ],
  ["config", CONFIG_NAMES],
  ["prose", /\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)(?:LICENSE|CHANGELOG|NOTICE|AUTHORS)[\w.]*$/],
  [
    "test",
    /(?:^|\/)(?:__tests__|tests?|specs?|e2e|testing|testdata|__mocks__|fixtures)\/|[._-](?:test|spec|e2e|cy)\.\w+$|(?:^|\/)test_[^/]*\.py$|_test\.(?:py|go|rb|exs|dart|cc|cpp)$|_spec\.rb$|(?:Test|Tests|TestCase|Spec|IT)\.(?:java|kt|php|cs|scala|groovy|swift)$|(?:^|\/)tests?\.(?:py|js|ts|rs)$/,
  ],
  [
    "script",
    /\.(?:sh|bash|zsh|ps1|bat|cmd|mk|mak)$|(?:^|\/)(?:GNU)?[Mm]akefile$|(?:^|\/)(?:[Jj]ustfile|Taskfile\.ya?ml|Rakefile|Dockerfile[\w.-]*|Earthfile)$|^(?:script|scripts|bin)\/[^/.]+$/,
  ],
];

export function kindOf(path: string): FileKind {
  return ROWS.find(([, pattern]) => pattern.test(path))?.[0] ?? "source";
}

/** Whether a runner would collect tests from a file of this name (narrower than lying in a test folder). */
export function isCollected(path: string): boolean {
  return /[._-](?:test|spec|e2e|cy)s?\.\w+$|(?:^|\/)__tests__\/|(?:^|\/)test_[^/]*\.py$|_test\.(?:py|go|rb|exs|dart)$|_spec\.rb$|(?:Test|Tests|TestCase|Spec|IT)\.(?:java|kt|php|cs|scala|groovy|swift)$|(?:^|\/)tests?\/[^/]+\.(?:js|mjs|cjs|ts|rs)$/.test(
    path,
  );
}

/** Manifests that give a lockfile a reason to change. */
export function isManifest(path: string): boolean {
  return /(?:^|\/)(?:package\.json|pnpm-workspace\.yaml|\.npmrc|\.yarnrc\.yml|pyproject\.toml|setup\.(?:py|cfg)|requirements[\w.-]*\.(?:txt|in)|Pipfile|Cargo\.toml|go\.mod|Gemfile|[\w.-]+\.gemspec|composer\.json|build\.gradle(?:\.kts)?|[\w.-]+\.csproj|mix\.exs|pubspec\.yaml|flake\.nix|deno\.jsonc?)$/.test(
    path,
  );
}
