import type { BlameCommit, HistoryHeuristic } from "../../domain/fault.ts";
import type { CommitFacts, History } from "../../ports/history.ts";
import { hasOutline } from "../../text/code-outline.ts";
import { type FileDiff, type Hunk, pathOf } from "../../text/diff.ts";
import { isTestPath } from "../../text/test-path.ts";
import { functionAt, functionsOf, sameFunction, textOf } from "./functions.ts";

/** The commit that history is shown of, and the located line that led to it. */
export interface ShownCommit {
  readonly commit: BlameCommit;
  readonly facts: CommitFacts;
  /** In the failing revision. */
  readonly file: string;
  readonly line: number;
}

export interface PayloadParts {
  readonly history: History;
  /** The failing commit. */
  readonly head: string;
  /** Files of the fault, best first. */
  readonly located: readonly string[];
}

const MOST_NAMES = 120; // papers §2.4: 600 in the public code, ours 120
const MOST_FILES = 50; // papers §2.4
const PAIR_CHARACTERS = 1_500; // each side, papers §2.4
const DIFF_CHARACTERS = 3_000; // papers §2.4
const MESSAGE_CHARACTERS = 600; // date and message go with every payload; a message may hold a whole changelog

type Payload = (shown: ShownCommit, parts: PayloadParts) => Promise<string>;

const PAYLOADS: Readonly<Record<HistoryHeuristic, Payload>> = {
  none: async () => "",
  fn_all: allFunctions,
  fn_pair: functionPair,
  fl_diff: fileDiff,
};

/** What one heuristic shows of a commit as text, truncated; "" when it has nothing to show. Rejects with GitFailed. */
export async function payloadOf(heuristic: HistoryHeuristic, shown: ShownCommit, parts: PayloadParts): Promise<string> {
  const body = await PAYLOADS[heuristic](shown, parts);
  return body === "" ? "" : `${sayCommit(shown)}\n\n${body}`;
}

function sayCommit({ commit, facts, file, line }: ShownCommit): string {
  const whose = commit.inPr ? ", which belongs to the failing pull request," : "";
  const name = commit.pathAtCommit === file ? "" : ` (then ${commit.pathAtCommit})`;
  const message = cut(facts.message, MESSAGE_CHARACTERS);
  return `Commit ${commit.sha.slice(0, 12)} of ${commit.date.slice(0, 10)}${whose} last touched line ${line} of ${file}${name}.\nIts message: ${message}`;
}

/** Names of all functions in the program files that the commit changed, those of the fault first. */
async function allFunctions(shown: ShownCommit, { history, located }: PayloadParts): Promise<string> {
  const files = programFiles(shown, located).slice(0, MOST_FILES);
  const said: string[] = [];
  let left = MOST_NAMES;
  for (const file of files) {
    const text = await history.read(shown.commit.sha, file);
    const names = text === null ? [] : [...new Set(functionsOf(file, text).map(({ name }) => name))].slice(0, left);
    left -= names.length;
    if (names.length > 0) said.push(`${file}: ${names.join(", ")}`);
    if (left <= 0) break;
  }
  return said.length === 0 ? "" : `Functions of the files it changed:\n${said.join("\n")}`;
}

/** Files are counted as they were called then; tests only where the fault itself lies in a test (papers §2.4). */
function programFiles({ commit, facts, file }: ShownCommit, located: readonly string[]): readonly string[] {
  const withTests = isTestPath(file);
  const changed = facts.files
    .flatMap(({ newPath }) => newPath ?? [])
    .filter((path) => isProgram(path) && (withTests || !isTestPath(path)));
  const rank = (path: string): number => (path === commit.pathAtCommit ? 0 : located.includes(path) ? 1 : 2);
  return [...changed].sort((a, b) => rank(a) - rank(b));
}

const PROGRAM =
  /\.(?:c|cc|cpp|cxx|h|hh|hpp|cs|kt|kts|scala|swift|php|dart|lua|pl|pm|r|jl|ex|exs|erl|hs|ml|sh|bash|vue|svelte|groovy|zig)$/i;

function isProgram(path: string): boolean {
  return hasOutline(path) || PROGRAM.test(path);
}

/** The function that holds the line, as it was before the commit and after it. */
async function functionPair({ commit, facts, file, line }: ShownCommit, parts: PayloadParts): Promise<string> {
  const { history, head } = parts;
  const now = await history.read(head, file);
  const wanted = now === null ? null : functionAt(functionsOf(file, now), line);
  if (wanted === null) return "";
  const { pathAtCommit, sha } = commit;
  const change = facts.files.find(({ newPath }) => newPath === pathAtCommit);
  const bodyAt = async (revision: string | null, path: string | null): Promise<string | null> => {
    const text = revision === null || path === null ? null : await history.read(revision, path);
    const found = text === null ? null : sameFunction(functionsOf(path ?? "", text), wanted);
    return text === null || found === null ? null : cut(textOf(text, found), PAIR_CHARACTERS);
  };
  const after = await bodyAt(sha, pathAtCommit);
  const before = await bodyAt(facts.parent, change === undefined ? pathAtCommit : change.oldPath);
  if (after === null && before === null) return "";
  return [
    `${wanted.name} before that commit:`,
    before ?? "(it was not there)",
    "",
    `${wanted.name} after it:`,
    after ?? "(it was gone)",
  ].join("\n");
}

/** The commit's diff: the file of the fault first, then other located files it changed (papers G43). */
async function fileDiff({ commit, facts }: ShownCommit, parts: PayloadParts): Promise<string> {
  const { history, located } = parts;
  if (facts.parent === null) return newFile(commit, history);
  const files = await history.diff(facts.parent, commit.sha, 3);
  const rank = (file: FileDiff): number => (pathOf(file) === commit.pathAtCommit ? -1 : located.indexOf(pathOf(file)));
  const shown = files.filter((file) => !file.binary && (pathOf(file) === commit.pathAtCommit || rank(file) >= 0));
  const text = [...shown].sort((a, b) => rank(a) - rank(b)).map(sayDiff);
  return text.length === 0 ? "" : `What it changed:\n${cut(text.join("\n"), DIFF_CHARACTERS)}`;
}

async function newFile({ sha, pathAtCommit }: BlameCommit, history: History): Promise<string> {
  const text = await history.read(sha, pathAtCommit);
  return text === null ? "" : `It brought ${pathAtCommit} as a new file:\n${cut(text, DIFF_CHARACTERS)}`;
}

function sayDiff({ oldPath, newPath, hunks }: FileDiff): string {
  return [`--- ${oldPath ?? "/dev/null"}`, `+++ ${newPath ?? "/dev/null"}`, ...hunks.map(sayHunk)].join("\n");
}

const MARKS = { context: " ", added: "+", removed: "-" } as const;

function sayHunk({ oldStart, oldLines, newStart, newLines, section, lines }: Hunk): string {
  const head = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@${section === "" ? "" : ` ${section}`}`;
  return [head, ...lines.map(({ kind, text }) => MARKS[kind] + text)].join("\n");
}

/** The beginning, whole lines, and how much is missing. */
function cut(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const kept = text.slice(0, characters);
  const lineEnd = kept.lastIndexOf("\n");
  const whole = lineEnd > characters / 2 ? kept.slice(0, lineEnd) : kept;
  return `${whole}\n… ${text.length - whole.length} characters left out`;
}
