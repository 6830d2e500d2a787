import { fence } from "../text/fence.ts";
import { redact } from "../text/redact.ts";
import { countTokens } from "../text/tokens.ts";
import type { FailingTest } from "./localize/from-tests.ts";

/** What people wrote about the change that failed. Untrusted. */
export interface Told {
  readonly pullRequest: { readonly number: number; readonly title: string; readonly body: string } | null;
  /** The issue that the pull request says it closes. */
  readonly issue: { readonly number: number; readonly title: string; readonly body: string } | null;
  /** What a maintainer answered us; "" when nobody did. */
  readonly hint: string;
}

export const NOTHING_TOLD: Told = { pullRequest: null, issue: null, hint: "" };

const MOST_TOKENS = 1_000;
const PART_TOKENS = 400; // no part may take the place of all others
const MOST_TESTS = 3;

/**
 * What the code is meant to do, as far as people said it: a maintainer's hint, the failing tests' names and words, the pull
 * request, the issue it closes. Each under its source and fenced; at most 1,000 tokens; null when nobody said anything.
 */
export function requirementOf(told: Told, tests: readonly FailingTest[]): string | null {
  const { hint, pullRequest, issue } = told;
  const parts: readonly (readonly [source: string, text: string])[] = [
    ["A maintainer's hint", hint],
    ...tests.slice(0, MOST_TESTS).map((test) => [sayTest(test), wordsOf(test)] as const),
    ...(pullRequest === null
      ? []
      : [[`Pull request #${pullRequest.number}`, `${pullRequest.title}\n\n${plainBody(pullRequest.body)}`] as const]),
    ...(issue === null ? [] : [[`Issue #${issue.number}`, `${issue.title}\n\n${plainBody(issue.body)}`] as const]),
  ];
  const said: string[] = [];
  let left = MOST_TOKENS;
  for (const [source, text] of parts) {
    const plain = redact(text).trim();
    if (plain === "") continue;
    const part = `${source}:\n${fence(withinTokens(plain, Math.min(PART_TOKENS, left - FENCE_TOKENS)))}`;
    const tokens = countTokens(part);
    if (tokens > left) break;
    left -= tokens;
    said.push(part);
  }
  return said.length === 0 ? null : said.join("\n\n");
}

const FENCE_TOKENS = 40; // the line that names the source, and the fence

function sayTest({ failure, file, line }: FailingTest): string {
  return oneLine(`The failing test ${failure.testId ?? failure.message}, ${file}:${line}`);
}

const COMMENT = /^\s*(?:\/\/+|#+(?!!)|\/\*+|\*+(?!\/)|--)\s?(.*?)(?:\*\/)?\s*$/;

/** The test's name, the comments above it and in it, its docstring. */
function wordsOf({ text, body, failure }: FailingTest): string {
  if (body === null) return failure.testId ?? "";
  const lines = text.split("\n");
  const inside = lines.slice(body.start - 1, body.end);
  const doc = /^[ \t]*(?:[rRuU]?"""([\s\S]*?)"""|[rRuU]?'''([\s\S]*?)''')/m.exec(inside.slice(1).join("\n"));
  const words = [
    body.name,
    ...commentsAbove(lines, body.start),
    ...(doc === null ? [] : [(doc[1] ?? doc[2] ?? "").replace(/^[ \t]+/gm, "").trim()]),
    ...inside.flatMap((line) => COMMENT.exec(line)?.[1] ?? []),
  ];
  return words.filter((word) => word.trim() !== "").join("\n");
}

/** Decorators and annotations may stand between. */
function commentsAbove(lines: readonly string[], start: number): readonly string[] {
  const found: string[] = [];
  for (let at = start - 2; at >= 0; at--) {
    const line = lines[at] ?? "";
    const comment = COMMENT.exec(line)?.[1];
    if (comment !== undefined) found.unshift(comment);
    else if (!/^\s*(?:@|#\[)/.test(line)) break;
  }
  return found;
}

/** Without what templates and bots hide or repeat. */
function plainBody(body: string): string {
  return body
    .replace(/<!--[\s\S]*?-->/g, "")
    .replace(/<[^>\n]{1,300}>/g, "")
    .replace(/^[ \t]*[-*] \[ \].*$/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function withinTokens(text: string, tokens: number): string {
  if (countTokens(text) <= tokens) return text;
  // Three characters a token is the least there is in English and code; the rest is cut line by line.
  let kept = text.slice(0, Math.max(0, tokens) * 4);
  while (kept !== "" && countTokens(kept) > tokens) kept = kept.slice(0, Math.floor(kept.length * 0.9));
  return `${kept.trimEnd()} …`;
}

function oneLine(text: string): string {
  return redact(text).replace(/\s+/g, " ").trim().slice(0, 200);
}
