import type { GuardFinding } from "../../domain/patch.ts";
import { programOf, weakerBecause } from "./commands.ts";
import { newMatches } from "./new-matches.ts";
import type { ChangedFile, GuardRule } from "./patch-view.ts";

type Finding = Omit<GuardFinding, "rule">;

const isConfig = (file: ChangedFile): boolean =>
  ["config", "ci", "test-setup", "script"].includes(file.kind) || ["config", "ci"].includes(file.oldKind);

interface KeyedValue {
  readonly key: string;
  readonly value: string;
  readonly line: number;
}

const KEYED =
  /(?:^|[\s{,"'(<-])([A-Za-z][\w.@/-]*)["']?(?:\s*[:=]\s*|>|[ ](?=\d))(?:\[\s*)?["']?(-?\d+(?:\.\d+)?|true|false|True|False|yes|no|error|warn|off|deny|forbid|allow)\b/g;

function keyedValues(text: string): readonly KeyedValue[] {
  return text
    .split("\n")
    .flatMap((line, at) =>
      [...line.matchAll(KEYED)].map((match) => ({ key: match[1] ?? "", value: match[2] ?? "", line: at + 1 })),
    );
}

/** Values of each key before and after, in order of their standing. */
function keyChanges(
  file: ChangedFile,
): readonly { readonly key: string; readonly was: KeyedValue | undefined; readonly now: KeyedValue | undefined }[] {
  const [before, after] = [keyedValues(file.maskedBefore.code), keyedValues(file.maskedAfter.code)];
  return [...new Set([...before, ...after].map(({ key }) => key))].flatMap((key) => {
    const [a, b] = [before.filter((each) => each.key === key), after.filter((each) => each.key === key)];
    return Array.from({ length: Math.max(a.length, b.length) }, (_, at) => ({ key, was: a[at], now: b[at] }));
  });
}

const AT_LEAST =
  /^(?:-{0,2})?(?:[\w.-]*(?:thresholds?|coverage)\.)?(?:lines|branches|functions|statements|fail[_-]?under|cov-fail-under|min[\w-]*(?:coverage|score|ratio|msi)[\w-]*|minScore|minimum[\w-]*|thresholds?|target|break|high|low|performance|accessibility|best-practices|seo|coverage|coverage_threshold|covered_?ratio|level)$/i;
const AT_MOST =
  /^(?:-{0,2})?(?:max[\w-]*|limit|budget[\w-]*|complexity|cognitive-complexity|tolerance|maxSize|maximum[\w-]*|line[-_]length|allowed[\w-]*)$/i;
/** Of names like `max…` those that say how much work is done, not how much is demanded. */
const NO_DEMAND =
  /worker|concurren|parallel|fork|thread|old_?space|buffer|age|retries|attempts|duration|timeout|instances|jobs/i;

const thresholdLowered: GuardRule = {
  name: "threshold-lowered",
  looksAt: "coverage thresholds, scores, size limits, budgets and numbers of warnings that now demand less",
  find: ({ changed }) =>
    changed.filter(isConfig).flatMap((file): Finding[] =>
      keyChanges(file).flatMap(({ key, was, now }): Finding[] => {
        const from = Number(was?.value);
        if (was === undefined || Number.isNaN(from) || NO_DEMAND.test(key)) return [];
        const allowance = /codecov/.test(file.path) && key === "threshold";
        const atMost = AT_MOST.test(key) || allowance;
        if (!atMost && !AT_LEAST.test(key)) return [];
        const to = now === undefined ? null : Number(now.value);
        if (to === null) return [{ file: file.path, line: null, message: `${key} ${was.value} is gone` }];
        if (Number.isNaN(to) || (atMost ? to <= from : to >= from)) return [];
        return [{ file: file.path, line: now?.line ?? null, message: `${key} went from ${was.value} to ${to}` }];
      }),
    ),
};

const STRICT =
  /^(?:strict\w*|no(?:Implicit|Unused|Unchecked|Fallthrough|PropertyAccess|Unsafe|ErrorTruncation)\w*|exactOptional\w*|useUnknown\w*|alwaysStrict|checkJs|disallow_\w+|check_untyped_defs|warn_\w+|no_implicit\w*|xfail_strict|errorOn\w*|failOn\w*|fail_on\w*|forbid\w*|throwOn\w*|treatWarningsAsErrors|TreatWarningsAsErrors|Enabled|enabled|linter|noEmitOnError|branch|fail_ci_if_error|fail-fast)$/;
const LOOSE =
  /^(?:ignore_errors|ignore_missing_imports|skipLibCheck|noCheck|suppress\w*|allowUnreachableCode|allowUnusedLabels|allow_untyped_\w+|allow_redefinition|implicit_reexport|skip_empty|ignoreReadBeforeAssign|reportOnly)$/;
const YES = /^(?:true|True|yes|1|error|deny|forbid|2)$/;
const NO = /^(?:false|False|no|0|off|allow|warn)$/;

const strictnessLowered: GuardRule = {
  name: "strictness-lowered",
  looksAt: "strict flags switched off, rules turned to warn or off, ignoring flags switched on",
  find: ({ changed }) =>
    changed
      .filter((file) => isConfig(file) && file.kind !== "script")
      .flatMap((file): Finding[] =>
        keyChanges(file).flatMap(({ key, was, now }): Finding[] => {
          const found = (message: string): Finding[] => [{ file: file.path, line: now?.line ?? null, message }];
          const last = key.split(".").at(-1) ?? key;
          if (
            STRICT.test(last) &&
            last !== "fail-fast" &&
            was !== undefined &&
            YES.test(was.value) &&
            (now === undefined || NO.test(now.value))
          ) {
            return found(`${key} is no longer ${was.value}`);
          }
          if (
            STRICT.test(last) &&
            was === undefined &&
            now !== undefined &&
            NO.test(now.value) &&
            last !== "fail-fast" &&
            !/^(?:branch|warn_\w+)$/.test(last)
          ) {
            return found(`${key} is ${now.value} now`);
          }
          if (
            LOOSE.test(last) &&
            now !== undefined &&
            /^(?:true|True|yes)$/.test(now.value) &&
            !/^(?:true|True|yes)$/.test(was?.value ?? "")
          ) {
            return found(`${key} is on now`);
          }
          if (
            was !== undefined &&
            /^(?:error|deny|forbid)$/.test(was.value) &&
            now !== undefined &&
            /^(?:warn|off|allow)$/.test(now.value)
          ) {
            return found(`${key} went from ${was.value} to ${now.value}`);
          }
          if (was === undefined && now !== undefined && /^(?:off|allow)$/.test(now.value))
            return found(`${key} is ${now.value} now`);
          return [];
        }),
      ),
};

/* ------------------------------------------------------------------ what a check looks at */

const IGNORE_KEY =
  /^(?:[\w-]*[_-])?(?:ignore[sd]?\w*|exclude[sd]?\w*|omit|disable_error_codes?|skips?|norecursedirs|\w+IgnorePatterns|disabled?|deselect|filterwarnings|exclusions|exclude-rules|per-file-ignores|per_file_ignores|coveragePathIgnorePatterns|exclude_lines|exclude_also|no-default-rules|paths-ignore|branches-ignore)$/i;
const SELECT_KEY =
  /^(?:select|extend-select|enable|include|testMatch|testRegex|testpaths|plugins|extends|linters|roots|env_list|envlist)$/i;
const BUILD_OUTPUT =
  /(?:^|\/)(?:dist|build|out|coverage|node_modules|\.?venv|target|vendor|generated|\.next|\.cache|__pycache__|\.git|\.tox|\.nox|\*?\.min\.js|\.turbo|\.output|storybook-static|site|tmp)(?:\/|$)/;

/** Keys above a line that it belongs to, by indentation and by section heads of TOML and INI. */
function keysAround(lines: readonly string[], at: number): readonly string[] {
  const keys: string[] = [];
  let depth = Number.POSITIVE_INFINITY;
  for (let up = at; up >= 0; up--) {
    const line = lines[up] ?? "";
    if (line.trim() === "") continue;
    const section = /^\s*\[+([\w.-]+(?:"[^"]*")?[\w.-]*)\]+\s*$/.exec(line);
    if (section !== null) return [...keys, ...(section[1] ?? "").split(".")];
    const indent = /^\s*/.exec(line)?.[0].length ?? 0;
    const closes = up !== at && /^\s*[\])}]/.test(line);
    if (indent >= depth && up !== at) continue;
    if (closes) continue;
    keys.push(
      ...[...line.matchAll(/(?:^|[\s{,-])["']?([A-Za-z][\w-]*)["']?\s*[:=](?!=)/g)].map((match) => match[1] ?? ""),
    );
    depth = indent;
  }
  return keys;
}

function values(line: string): readonly string[] {
  const quoted = [...line.matchAll(/(["'])([^"']*)\1(\s*[:=])?/g)].flatMap(([, , value, colon]) =>
    value !== undefined && value !== "" && colon === undefined ? [value] : [],
  );
  const bare = line
    .replace(/^\s*(?:- )?(?:["']?[\w-]+["']?\s*[:=])?/, "")
    .replace(/["'][^"']*["']/g, "")
    .split(/[\s,[\]{}]+/)
    .filter((word) => /\w/.test(word) && !/^(?:true|false|null)$/.test(word));
  return [...quoted, ...bare];
}

const checkNarrowed: GuardRule = {
  name: "check-narrowed",
  looksAt: "files, tests, rules or warnings newly left out of a check, or no longer selected",
  find: ({ changed }) =>
    changed
      .filter((file) => (isConfig(file) && file.kind !== "script") || /ignore$/.test(file.path))
      .flatMap(narrowedIn),
};

function narrowedIn(file: ChangedFile): Finding[] {
  const ignoreFile = /(?:^|\/)\.(?:eslint|prettier|stylelint|markdownlint|gitleaks|semgrep|c8|nyc)\w*ignore$/.test(
    file.path,
  );
  const lists = [
    { gained: true, lines: file.maskedAfter.code.split("\n"), other: file.before, key: IGNORE_KEY, word: "leaves out" },
    {
      gained: false,
      lines: file.maskedBefore.code.split("\n"),
      other: file.after,
      key: SELECT_KEY,
      word: "no longer covers",
    },
  ];
  return lists.flatMap(({ gained, lines, other, key, word }) =>
    file.diff.hunks
      .flatMap((hunk) => hunk.lines)
      .filter(({ kind }) => kind === (gained ? "added" : "removed"))
      .flatMap(({ newLine, oldLine }): Finding[] => {
        const at = ((gained ? newLine : oldLine) ?? 1) - 1;
        const line = lines[at] ?? "";
        const fresh = values(line).filter((value) => !other.includes(value) && !(gained && BUILD_OUTPUT.test(value)));
        const applies =
          (gained && ignoreFile && line.trim() !== "") || keysAround(lines, at).some((each) => key.test(each));
        if (fresh.length === 0 || !applies) return [];
        return [{ file: file.path, line: gained ? newLine : null, message: `the check ${word} ${fresh.join(", ")}` }];
      }),
  );
}

/* ------------------------------------------------------------------ commands */

const CHECK_PROGRAM =
  /^(?:npm|pnpm|yarn|bun|pytest|go|cargo|nox|eslint|prettier|tsc|vue-tsc|vitest|jest|mocha|ava|tap|ruff|mypy|pyright|black|isort|flake8|pylint|rubocop|rspec|rake|mvn|\.\/mvnw|gradle|\.\/gradlew|golangci-lint|phpunit|vendor\/bin\/\w+|dotnet|biome|node|unittest|coverage|staticcheck|playwright|cypress|deno|make|pre-commit|nyc|c8|codecov|size-limit|stylelint|markdownlint|shellcheck|hadolint|knip)$/;

const commandWeakened: GuardRule = {
  name: "command-weakened",
  looksAt: "commands of scripts, make targets and workflows that check less than before, or are gone",
  find: ({ changed }) =>
    changed.flatMap((file): Finding[] => {
      if (/(?:^|\/)package\.json$/.test(file.path)) return packageScripts(file);
      const shellLike =
        ["ci", "script"].includes(file.kind) ||
        /(?:^|\/)(?:tox\.ini|noxfile\.py|\.pre-commit-config\.yaml)$|(?:^|\/)\.husky\//.test(file.path);
      return shellLike ? commandLines(file) : addopts(file);
    }),
};

function packageScripts(file: ChangedFile): Finding[] {
  const [before, after] = [scriptsOf(file.before), scriptsOf(file.after)];
  return Object.entries(before).flatMap(([name, was]): Finding[] => {
    if (!/test|lint|check|type|tsc|format|fmt|ci|verify|coverage|validate|^pre|^post|build|spec|e2e/i.test(name))
      return [];
    const now = after[name];
    const why = now === undefined ? (Object.values(after).includes(was) ? null : "is gone") : weakerBecause(was, now);
    const line = file.after.split("\n").findIndex((each) => each.includes(`"${name}"`)) + 1;
    return why === null
      ? []
      : [{ file: file.path, line: line === 0 ? null : line, message: `the script "${name}" ${why}` }];
  });
}

function scriptsOf(text: string): Readonly<Record<string, string>> {
  try {
    const parsed: unknown = JSON.parse(text);
    const scripts: unknown =
      typeof parsed === "object" && parsed !== null && "scripts" in parsed ? parsed.scripts : null;
    if (typeof scripts !== "object" || scripts === null) return {};
    return Object.fromEntries(
      Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    );
  } catch {
    return {};
  }
}

/** A command line without the words that YAML, make and tox put in front. */
function bareCommand(line: string): string {
  return line
    .trim()
    .replace(/^(?:-\s+)?(?:run|script|command|commands|entry|cmd)\s*[:=]\s*/, "")
    .replace(/^[-@\s]+/, "")
    .replace(/^["'](.*)["']$/, "$1");
}

function commandLines(file: ChangedFile): Finding[] {
  const of = (text: string): string[] =>
    text
      .split("\n")
      .map(bareCommand)
      .filter((line) => line !== "");
  const [before, after] = [of(file.maskedBefore.code), of(file.maskedAfter.code)];
  const come = after.filter((line) => !before.includes(line));
  return before
    .filter((line) => !after.includes(line) && CHECK_PROGRAM.test(programOf(line)))
    .flatMap((was): Finding[] => {
      const now =
        come.find((line) => line.includes(programOf(was))) ?? come.find((line) => CHECK_PROGRAM.test(programOf(line)));
      const why = now === undefined ? "is gone" : weakerBecause(was, now);
      const line = now === undefined ? -1 : file.after.split("\n").findIndex((each) => each.includes(now));
      return why === null
        ? []
        : [{ file: file.path, line: line < 0 ? null : line + 1, message: `the command "${was}" ${why}` }];
    });
}

function addopts(file: ChangedFile): Finding[] {
  if (!isConfig(file)) return [];
  const pattern = /\baddopts\s*=[^\n]*(?:\n[ \t]+[^\n]*)*/;
  const [was, now] = [pattern.exec(file.maskedBefore.code)?.[0], pattern.exec(file.maskedAfter.code)?.[0]];
  if (now === undefined && was === undefined) return [];
  const words = (text: string | undefined): string =>
    `pytest ${(text ?? "")
      .replace(/\baddopts\s*=/, "")
      .replace(/["'[\],]/g, " ")
      .replace(/\s+/g, " ")
      .trim()}`;
  const why = weakerBecause(words(was), words(now));
  const line = newMatches([file], /\baddopts\b[^\n]*/g, "code")[0]?.line ?? null;
  return why === null ? [] : [{ file: file.path, line, message: `pytest ${why}` }];
}

export const CONFIG_RULES: readonly GuardRule[] = [thresholdLowered, strictnessLowered, checkNarrowed, commandWeakened];
