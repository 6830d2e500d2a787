import { likeness, likenessAtMost } from "../text/likeness.ts";
import { type LikenessText, plainWords } from "../text/plain-words.ts";
import { isTestPath } from "../text/test-path.ts";

/** What of a problem counts when two are compared. Texts as people wrote them; use `comparable` to prepare them once. */
export interface ComparedProblem {
  readonly problem: string;
  readonly rootCause: string;
  readonly files: readonly string[];
  /** Failure class. */
  readonly type: string;
  /** The repair: strategy, then its first actions. */
  readonly fix: string;
  /** Names the problem is about; two problems about different ones are not the same by their wording alone. */
  readonly symbols: readonly string[];
}

/** `paper`: the formula as published. `product`: with the mends of papers §10 G8 (files compared in both directions). */
export type SimilarityRule = "product" | "paper";

/** RETRACE, papers §1.9. */
export const SAME_PROBLEM = 0.5;
/** papers §13.4: near enough to be one record. */
export const NEAR_DUPLICATE = 0.85;

const WEIGHTS = { problem: 0.3, root: 0.2, file: 0.2, type: 0.15, fix: 0.1, filetype: 0.05 };

/** A problem with its texts prepared. */
export interface Comparable {
  readonly problem: LikenessText;
  readonly rootCause: LikenessText;
  readonly type: LikenessText;
  readonly fix: LikenessText;
  readonly files: readonly string[];
  readonly symbols: ReadonlySet<string>;
}

/** Prepares a problem for comparisons. */
export function comparable({ problem, rootCause, files, type, fix, symbols }: ComparedProblem): Comparable {
  return {
    problem: plainWords(problem),
    rootCause: plainWords(rootCause),
    type: plainWords(type),
    fix: plainWords(fix),
    files,
    symbols: new Set(symbols),
  };
}

/**
 * S of papers §1.9, 0 to 1. Identical problems reach 0.95 without test files, 0.75 without any files: what is empty on a side
 * counts as different.
 */
export function similarity(a: Comparable, b: Comparable, rule: SimilarityRule = "product"): number {
  return similarityWith(a, b, rule, textLikeness);
}

/** Never below `similarity`, and much cheaper. */
export function similarityAtMost(a: Comparable, b: Comparable, rule: SimilarityRule = "product"): number {
  return similarityWith(a, b, rule, textLikenessAtMost);
}

/** papers §10 G9: names and files are known on both sides, and nothing of either is shared. */
export function isAboutOthers(a: Comparable, b: Comparable): boolean {
  if (a.symbols.size === 0 || b.symbols.size === 0 || a.files.length === 0 || b.files.length === 0) return false;
  const files = new Set(a.files);
  return ![...b.symbols].some((name) => a.symbols.has(name)) && !b.files.some((file) => files.has(file));
}

type CompareTexts = (a: LikenessText, b: LikenessText) => number;

function similarityWith(a: Comparable, b: Comparable, rule: SimilarityRule, texts: CompareTexts): number {
  const file =
    rule === "paper"
      ? fileLikeness(a.files, b.files)
      : (fileLikeness(a.files, b.files) + fileLikeness(b.files, a.files)) / 2;
  const sum =
    WEIGHTS.problem * texts(a.problem, b.problem) +
    WEIGHTS.root * texts(a.rootCause, b.rootCause) +
    WEIGHTS.file * file +
    WEIGHTS.type * texts(a.type, b.type) +
    WEIGHTS.fix * texts(a.fix, b.fix) +
    WEIGHTS.filetype * testFileLikeness(a.files, b.files);
  // Sums of decimal weights: 0.95 must be 0.95, whatever the order of the summands.
  return Math.round(sum * 1e9) / 1e9;
}

function textLikeness(a: LikenessText, b: LikenessText): number {
  if (a.text === "" || b.text === "") return 0;
  const words = jaccard(a.words, b.words);
  return words === 1 ? 1 : Math.max(likeness(a.text, b.text), words);
}

function textLikenessAtMost(a: LikenessText, b: LikenessText): number {
  if (a.text === "" || b.text === "") return 0;
  return Math.max(likenessAtMost(a.text, b.text), jaccard(a.words, b.words));
}

/** Shared over all members, 0 to 1; two empty sets share nothing. */
export function jaccard<T>(a: ReadonlySet<T>, b: ReadonlySet<T>): number {
  if (a.size === 0 && b.size === 0) return 0;
  let shared = 0;
  for (const member of a) if (b.has(member)) shared++;
  return shared / (a.size + b.size - shared);
}

/* ------------------------------------------------------------------ files */

/** Mean over the left files of their best match on the right. */
function fileLikeness(left: readonly string[], right: readonly string[]): number {
  if (left.length === 0 || right.length === 0) return 0;
  const best = left.map((file) => Math.max(...right.map((other) => pathLikeness(file, other))));
  return best.reduce((sum, value) => sum + value, 0) / left.length;
}

function pathLikeness(a: string, b: string): number {
  if (a === b) return 1;
  const [x, y] = [partsOf(a), partsOf(b)];
  const sameExtension = x.extension !== "" && x.extension === y.extension;
  if (x.folder === y.folder) return sameExtension ? 0.7 : 0.5;
  return sameExtension ? 0.3 : 0;
}

function partsOf(file: string): { readonly folder: string; readonly name: string; readonly extension: string } {
  const slash = file.lastIndexOf("/");
  const name = file.slice(slash + 1);
  const dot = name.lastIndexOf(".");
  return { folder: file.slice(0, Math.max(0, slash)), name, extension: dot <= 0 ? "" : name.slice(dot).toLowerCase() };
}

function testFileLikeness(a: readonly string[], b: readonly string[]): number {
  const tests = a.filter((file) => isTestPath(file));
  const others = b.filter((file) => isTestPath(file));
  if (tests.length === 0 || others.length === 0) return 0;
  if (tests.some((file) => others.includes(file))) return 1;
  const names = new Set(tests.map((file) => partsOf(file).name));
  return others.some((file) => names.has(partsOf(file).name)) ? 0.8 : 0.3;
}
