import { newMatches } from "./new-matches.ts";
import type { GuardRule } from "./patch-view.ts";

/** Comments and attributes that silence a checker. The first group is what makes two of them the same habit. */
const SUPPRESSIONS: readonly RegExp[] = [
  /(eslint-disable(?:-next-line|-line)?(?:[ \t]+[\w@/-]+(?:,[ \t]*[\w@/-]+)*)?)/g,
  /(biome-ignore(?:-all|-start)?[ \t]+[\w/]+)/g,
  /(oxlint-disable[\w-]*|tslint:disable[\w:-]*|stylelint-disable[\w-]*|prettier-ignore|deno-lint-ignore[\w-]*|standard-disable)/g,
  /(@ts-(?:ignore|expect-error|nocheck))/g,
  /#[ \t]*(noqa(?::[ \t]*[A-Z]+\d+(?:,[ \t]*[A-Z]+\d+)*)?)/gi,
  /#[ \t]*(type:[ \t]*ignore(?:\[[\w, -]+\])?|pyright:[ \t]*(?:ignore(?:\[[\w, -]+\])?|basic)|mypy:[ \t]*[\w-]+|ty:[ \t]*ignore|pyre-(?:ignore|fixme)|ruff:[ \t]*noqa[^\n]*|flake8:[ \t]*noqa)/g,
  /#[ \t]*(pylint:[ \t]*(?:disable|skip-file)[\w=, -]*|nosec\b[ \t\w]*|fmt:[ \t]*(?:off|skip)|isort:[ \t]*(?:skip|off)\w*|pragma:[ \t]*no (?:cover|branch|mutate))/g,
  /(#pragma[ \t]+(?:warning[ \t]+disable|(?:GCC|clang)[ \t]+diagnostic[ \t]+ignored)[^\n]*)/g,
  /(@SuppressWarnings\([^)]*\)|@Suppress\([^)]*\)|@SuppressLint\([^)]*\)|\[SuppressMessage\([^\]]*\]|@SuppressFBWarnings\b|\bNOSONAR\b|CHECKSTYLE:?OFF)/g,
  /\/\/[ \t]*(nolint(?::[\w,]+)?|#nosec[ \t\w]*|lint:ignore[ \t]+\w+)/g,
  /(#!?\[(?:cfg_attr\([^,\]]*,[ \t]*)?(?:allow|expect)\([^)]*\)\)?\])/g,
  /(rubocop:(?:disable|todo)[ \t]+[\w/]+|:nocov:|standard:disable[^\n]*)/g,
  /(phpcs:(?:ignore|disable)[^\n]*|@codingStandardsIgnore\w*|@phpstan-ignore[\w-]*|@psalm-suppress[ \t]+\w+|@codeCoverageIgnore\w*)/g,
  /((?:istanbul|c8|v8|node:coverage)[ \t]+(?:ignore|disable)[ \t\w]*|LCOV_EXCL_\w+|GCOVR?_EXCL_\w+|#\[coverage\(off\)\])/g,
  /(shellcheck[ \t]+disable=[\w,]+|hadolint[ \t]+ignore=[\w,]+|yamllint[ \t]+disable[^\n]*|swiftlint:disable[^\n]*|ktlint-disable[^\n]*|NOLINT(?:NEXTLINE)?\b[^\n]*|markdownlint-disable[^\n]*|credo:disable[^\n]*)/g,
];

// A suppression of the same kind in so many places is the repository's own way, not ours (papers §12.8).
const HABIT = 3;

export const SUPPRESSION_RULES: readonly GuardRule[] = [
  {
    name: "suppression",
    looksAt:
      "new comments and attributes that silence a linter, type checker, coverage or scanner, unless the same one stands in three places already",
    find: ({ changed, occurrences }) =>
      SUPPRESSIONS.flatMap((pattern) =>
        newMatches(
          changed.filter(({ kind }) => kind !== "prose" && kind !== "lockfile"),
          pattern,
          "raw",
        ),
      )
        .filter(({ text }) => occurrences(text.replace(/^(?:#|\/\/)\s*/, "")) < HABIT)
        .map(({ file, line, text }) => ({
          file: file.path,
          line,
          message: `silences a check instead of satisfying it: ${text}`,
        })),
  },
];
