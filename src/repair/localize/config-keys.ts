import type { Failure } from "../../domain/evidence.ts";
import type { FaultLocation } from "../../domain/fault.ts";
import type { FileTexts, LocalizeInput } from "./input.ts";

const SCORE = 0.7; // papers §2.2, 5
const MOST_FILES = 30; // the configuration of a large monorepo; each is read
const MOST_KEYS = 12;
const MOST_LINES = 2; // of one key in one file
const MOST_CHARACTERS = 200_000; // a longer file is no configuration that people write

const CLASSES: readonly Failure["category"][] = [
  "configuration_error",
  "dependency_issue",
  "package_install_error",
  "environment_error",
  "unknown",
];

const CONFIG_FILE =
  /(?:^|\/)(?:package\.json|[jt]sconfig[^/]*\.json|pyproject\.toml|setup\.(?:cfg|py)|tox\.ini|mypy\.ini|pytest\.ini|ruff\.toml|\.flake8|requirements[^/]*\.(?:txt|in)|go\.mod|Cargo\.toml|Gemfile|[^/]+\.gemspec|pom\.xml|build\.gradle(?:\.kts)?|gradle\.properties|composer\.json|\.?(?:eslint|prettier|babel|stylelint|commitlint|mocha|nyc|swc)rc(?:\.\w+)?|\.eslintrc[^/]*|[\w.-]+\.config\.[cm]?[jt]s|biome\.jsonc?|\.pre-commit-config\.yaml|\.npmrc|\.nvmrc|\.python-version|\.tool-versions|Makefile|Dockerfile|(?:docker-)?compose\.ya?ml|mkdocs\.yml|\.readthedocs\.ya?ml)$|^\.github\/workflows\/[^/]+\.ya?ml$/;

/** Where configuration files hold a key, option or package that a message names (papers §2.2, 5). */
export async function configKeys(
  { failures, paths }: Pick<LocalizeInput, "failures" | "paths">,
  files: FileTexts,
): Promise<readonly FaultLocation[]> {
  const keys = keysIn(failures.filter(({ category }) => CLASSES.includes(category)));
  if (keys.length === 0) return [];
  const byDepth = (path: string): number => path.split("/").length;
  const configs = [...paths].filter((path) => CONFIG_FILE.test(path)).sort((a, b) => byDepth(a) - byDepth(b));
  const found: FaultLocation[] = [];
  for (const file of configs.slice(0, MOST_FILES)) {
    const text = await files.read(file);
    if (text === null || text.length > MOST_CHARACTERS) continue;
    const lines = text.split("\n");
    for (const key of keys) found.push(...placesOf(key, file, lines));
  }
  return found;
}

/** What stands in quotes or backticks, options, and packages with a version. */
function keysIn(failures: readonly Failure[]): readonly string[] {
  const keys = failures.flatMap(({ message }) => [
    ...[...message.matchAll(/["'`‘“]([^"'`’”\n]{2,80})["'`’”]/g)].map((match) => match[1] ?? ""),
    ...[...message.matchAll(/(?:^|\s)(--[a-z][\w-]+)/g)].map((match) => match[1] ?? ""),
    ...[...message.matchAll(/(?:^|\s)((?:@[\w.-]+\/)?[a-z][\w.-]+)(?:@|==|>=|<=|~=)[\^~]?\d/g)].map(
      (match) => match[1] ?? "",
    ),
  ]);
  const plain = keys
    .map((key) => key.replace(/^--/, "").replace(/@[\^~]?\d.*$/, ""))
    .filter((key) => /^[\w@./:+-]{2,80}$/.test(key));
  return [...new Set(plain)].slice(0, MOST_KEYS);
}

function placesOf(key: string, file: string, lines: readonly string[]): readonly FaultLocation[] {
  const word = new RegExp(`(?:^|[^\\w.-])${key.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&")}(?![\\w-])`);
  const at = lines.flatMap((line, index) => (word.test(line) ? [index + 1] : []));
  return at.slice(0, MOST_LINES).map((line) => ({
    file,
    range: { start: line, end: line },
    fn: null,
    source: "config_key",
    score: SCORE,
  }));
}
