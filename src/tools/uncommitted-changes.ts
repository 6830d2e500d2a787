import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const DIFF = /^diff --git a\/(.+) b\/(.+)$/;
const STATUS = /^\s?(?:[MADRCU?!]{1,2}|[MADRCU] )\s+((?:"[^"]+"|[^\s"']+)(?: -> \S+)?)$/;
const STAT = /^ (\S.*?)\s+\|\s+(?:\d+ [+-]*|Bin .*)$/;
const NAME = /^[\w@.-]+(?:\/[\w@.+-]+)+$|^[\w@-]+(?:\.[\w-]+)+$/;
// What a check says in its own words. `out of date` alone is also said of programs and packages: it counts beside git.
const SURE =
  /^(?!\s*(?:\+|if |echo ))(?=.{0,400}\b(?:uncommitted changes?|working (?:tree|directory) is (?:dirty|not clean)|(?:please|and|then|must) commit|commit the (?:changes|result|generated)|generated (?:files?|code) (?:is|are|differs?) (?:out|not|stale|different))\b).*$/i;
const BESIDE_GIT = /^(?!\s*(?:\+|if |echo )).{0,400}\b(?:out[- ]of[- ]date|not up[- ]to[- ]date|is stale)\b/i;
// Where a check's diff shows why, four changed lines do; the rest is in the tree.
const CHANGED_LINES = 4;

const CATEGORIES: readonly { readonly file: RegExp; readonly category: FailureClass }[] = [
  {
    file: /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|go\.sum|go\.mod|Cargo\.lock|poetry\.lock|uv\.lock|Gemfile\.lock|composer\.lock)$/,
    category: "dependency_issue",
  },
  { file: /\.(?:md|mdx|rst|adoc|txt)$|(?:^|\/)docs?\//, category: "doc_docstring" },
];

/** A step that runs a generator and then asks git whether the tree is still clean. */
export const uncommittedChanges: Tool = {
  name: "uncommitted changes",
  kind: "other",
  category: "configuration_error",
  answersTo: (command) => asksGit(command),
  /** One diagnostic for each file that the generator would change; the check's own words where git names no file. */
  read: (step) => {
    const lines = bareLines(step);
    const asked = /\bgit\b/.test(step.command ?? "");
    const isAdvice = (text: string): boolean => SURE.test(text) || (asked && BESIDE_GIT.test(text));
    const advice = lines.filter(({ text }) => isAdvice(text)).slice(0, 3);
    if (!asked && advice.length === 0) return [];
    const files = readDiffs(lines);
    const named = files.size > 0 ? files : readNames(lines, step.command ?? "");
    const first = advice[0]?.text.trim();
    if (named.size === 0) {
      return first === undefined ? [] : [{ message: first, lines: advice.map(({ number }) => number), location: null }];
    }
    return [...named].map(
      ([file, numbers], index): Diagnostic => ({
        message: `${file} is not what its generator makes`,
        rule: "uncommitted-changes",
        lines: [...numbers, ...(index === 0 ? advice.map(({ number }) => number) : [])].sort((a, b) => a - b),
        location: { file, line: null, col: null },
        ...categoryOf(file),
      }),
    );
  },
};

/** `git diff --exit-code`, `git diff --quiet`, `git status --porcelain`, `git diff-index … HEAD`, `test -z "$(git …)"`. */
function asksGit(command: string): boolean {
  const call = programOf(command);
  if (call === null) return false;
  const words = call.args.map(({ value }) => value);
  if (call.program === "git") return isQuestion(words);
  if (!/^(?:test|\[|\[\[)$/.test(call.program)) return false;
  return call.args.some(({ substitutions }) => substitutions.some((inner) => asksGit(inner)));
}

function isQuestion(words: readonly string[]): boolean {
  const verb = words.find((word) => !word.startsWith("-"));
  if (verb === "diff-index" || verb === "diff-files") return true;
  if (verb === "status") return words.some((word) => /^(?:--porcelain|-s$|--short)/.test(word));
  return verb === "diff" && words.some((word) => /^--(?:exit-code|quiet|name-only|stat|check)/.test(word));
}

function readDiffs(lines: readonly LogLine[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  let open: number[] | null = null;
  let changed = 0;
  for (const { number, text } of lines) {
    const file = DIFF.exec(text)?.[2];
    if (file !== undefined) {
      open = found.get(file) ?? [];
      open.push(number);
      found.set(file, open);
      changed = 0;
    } else if (open && /^(?:\+(?!\+\+ )|-(?!-- ))/.test(text)) {
      if (changed < CHANGED_LINES) open.push(number);
      changed++;
    } else if (
      open &&
      !/^(?: |@@|index |--- |\+\+\+ |\\ |new file|deleted file|old mode|new mode|similarity|rename|$)/.test(text)
    ) {
      open = null;
    }
  }
  return found;
}

/** Files as `git status --porcelain`, `--stat` or `--name-only` list them. */
function readNames(lines: readonly LogLine[], command: string): Map<string, number[]> {
  const found = new Map<string, number[]>();
  const bare = /--name-only/.test(command);
  for (const { number, text } of lines) {
    const name = STATUS.exec(text)?.[1] ?? STAT.exec(text)?.[1] ?? (bare && NAME.test(text) ? text : undefined);
    if (name === undefined) continue;
    const file = (name.split(" -> ").at(-1) ?? name).replace(/^"|"$/g, "");
    found.set(file, [...(found.get(file) ?? []), number]);
  }
  return found;
}

function categoryOf(file: string): Pick<Diagnostic, "category"> {
  const row = CATEGORIES.find((one) => one.file.test(file));
  return row ? { category: row.category } : {};
}
