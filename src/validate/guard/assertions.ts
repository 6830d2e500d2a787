import { BRACKET_MAX, closingBracket, lineFinder, type MaskedCode } from "./mask-code.ts";
import { strengthOfCall, strengthOfComparison } from "./strength.ts";

export interface Assertion {
  /** Without white space: equal texts are the same assertion, wherever they stand. */
  readonly text: string;
  /** What it speaks about. */
  readonly subject: string;
  /** 0 (cannot fail) to 5 (one exact value); null when its name does not tell (a helper of the project). */
  readonly strength: number | null;
  /** How many separate facts it states: the fields of an object it compares with. */
  readonly facts: number;
  readonly line: number;
  /** Name of the test around it, "" outside of any. */
  readonly test: string;
}

export interface TestCase {
  readonly name: string;
  readonly index: number;
  readonly line: number;
  /** Rows of its table; 1 without a table. */
  readonly rows: number;
}

/** How test cases begin, searched in text without comments; the name is the first group that matched. */
const TEST_STARTS: readonly RegExp[] = [
  /(?<![\w.$])(?:it|test|specify)(?:\.(?:concurrent|sequential|fails|serial))*\s*\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`]*)`|([\w.]+)\s*,)/g,
  /^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)/gm,
  /^func[ \t]+(?:\([^)]*\)[ \t]*)?((?:Test|Fuzz|Example)\w*)/gm,
  /\bt\.Run\(\s*(?:"([^"\n]*)"|([\w.]+))/g,
  /#\[(?:\w+::)*test(?:\([^\]]*\))?\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\s+)?(?:async\s+)?fn\s+(\w+)/g,
  /@(?:Test|ParameterizedTest|RepeatedTest)\b(?:\([^)]*\))?\s*(?:@\w+(?:\([^)]*\))?\s*)*(?:(?:public|private|protected|internal|final|suspend|static|void|fun)\s+)*(`[^`]+`|\w+)\s*\(/g,
  /\[(?:Fact|Theory|Test|TestMethod|TestCase)\b[^\]]*\]\s*(?:\[[^\]]*\]\s*)*(?:(?:public|private|async|static|void|Task)\s+)*(\w+)\s*\(/g,
  /^[ \t]*(?:it|specify|test|scenario|example)[ \t]+(?:"([^"\n]*)"|'([^'\n]*)')(?:.*)\bdo\b/gm,
  /\bfunction[ \t]+(test\w+)\s*\(/g,
];

/** Table tests of JavaScript: the table stands in brackets or a template, the name behind it. */
const TABLE_START =
  /(?<![\w.$])(?:it|test|specify)(?:\.(?:concurrent|sequential|fails|serial))*\.(?:each|for)\s*(?:<[^<>()]*>)?(?=[(`])/g;
const TABLE_NAME = /\s*\(\s*(?:"([^"\n]*)"|'([^'\n]*)'|`([^`]*)`|([\w.]+)\s*,)/y;

export function testCasesIn(masked: MaskedCode): readonly TestCase[] {
  const { code, bare } = masked;
  const lineAt = lineFinder(code);
  const found = TEST_STARTS.flatMap((pattern) =>
    [...code.matchAll(pattern)].flatMap((match): TestCase[] => {
      const name = match.slice(1).find((group) => group !== undefined);
      // Inside a string it is the text of a fixture, not a test.
      if (name === undefined || bare.slice(match.index, match.index + match[0].length).trim() === "") return [];
      return [{ name, index: match.index, line: lineAt(match.index), rows: rowsAbove(masked, match.index) }];
    }),
  );
  return [...found, ...tableTestsIn(masked, lineAt)].sort((a, b) => a.index - b.index);
}

function tableTestsIn({ code, bare }: MaskedCode, lineAt: (index: number) => number): TestCase[] {
  return [...bare.matchAll(TABLE_START)].flatMap((match): TestCase[] => {
    const open = match.index + match[0].length;
    const template = bare.charAt(open) === "`";
    const close = template ? bare.indexOf("`", open + 1) + 1 : closingBracket(bare, open);
    TABLE_NAME.lastIndex = close;
    const name = TABLE_NAME.exec(code)
      ?.slice(1)
      .find((group) => group !== undefined);
    if (name === undefined || close === 0) return [];
    const list = bare.slice(open, close).search(/\[/);
    const rows = template
      ? code.slice(open, close).trim().split("\n").length - 2
      : list < 0
        ? 1
        : elementsIn(bare, open + list);
    return [{ name, index: match.index, line: lineAt(match.index), rows }];
  });
}

/** Rows of `parametrize(names, [...])` and friends just above a test. */
function rowsAbove({ code, bare }: MaskedCode, start: number): number {
  // Decorators of one test: what is further up belongs to another.
  const near = code.slice(Math.max(0, start - 4_000), start);
  if (!/parametrize|InlineData|TestCase|DataRow|#\[(?:case|test_case)/.test(near)) return 1;
  const above = near.split(/\n[ \t]*\n/).at(-1) ?? "";
  const offset = start - above.length;
  let rows = 1;
  for (const table of above.matchAll(/parametrize\s*\(/g)) {
    const list = bare.indexOf("[", offset + table.index);
    if (list >= 0 && list < closingBracket(bare, offset + table.index + table[0].length - 1))
      rows *= Math.max(1, elementsIn(bare, list));
  }
  const inline = above.match(/\[(?:InlineData|TestCase|DataRow)\(|#\[(?:case|test_case)\b/g)?.length ?? 0;
  return Math.max(rows, inline);
}

/** Elements of the list that opens at `open`, counted by its outer commas. */
function elementsIn(bare: string, open: number): number {
  const inside = bare.slice(open + 1, closingBracket(bare, open) - 1);
  let depth = 0;
  let commas = 0;
  for (const char of inside) {
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (char === "," && depth === 0) commas++;
  }
  const closed = /,\s*$/.test(inside);
  return inside.trim() === "" && !/["']/.test(inside) ? 0 : commas + (closed ? 0 : 1);
}

/** Calls whose name says that they check something, searched without strings and comments. */
const CALLS =
  /(?<![\w$.])(?:[\w$]+(?:\.|::))*(?:(?:assert|Assert|refute|expect|verify|should|must|ensure|XCTAssert|ASSERT_|EXPECT_)\w*|(?:Assert|Assertions|assert|require|\$this|self|t|is|pytest|cy)(?:\.|::|->)(?:\w+))(?:\.\w+)*!?\s*\(/g;
const AVA =
  /^t\.(?:is|not|equal|notEqual|deepEqual|same|strictSame|true|false|truthy|falsy|ok|notOk|throws\w*|rejects|like|snapshot|match|notThrows\w*|Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/;
const CHECKING =
  /(?:^|[.:>])_?(?:assert|Assert|refute|expect|verify|should|must|ensure|XCTAssert|ASSERT_|EXPECT_)\w*(?:[.:]+\w+)*$|^(?:Assert|Assertions|assert|require)(?:\.|::)\w+|^pytest\.(?:raises|warns|approx)$/;
const STATEMENT = /^([ \t]*)((?:assert|refute)\w*)[ \t]+(?=\S)(?!=)/gm;
const ATTRIBUTE = /#\[should_panic[^\]]*\]/g;

/** All live assertions of a file, in order. */
export function assertionsIn(masked: MaskedCode, path: string): readonly Assertion[] {
  const tests = testCasesIn(masked);
  const lineAt = lineFinder(masked.code);
  const spans = [...callSpans(masked), ...statementSpans(masked), ...attributeSpans(masked)].sort(
    (a, b) => a.start - b.start,
  );
  let end = -1;
  return spans.flatMap((span) => {
    // What stands inside another assertion is a part of it.
    if (span.start < end) return [];
    end = span.end;
    return [readAssertion(masked, span, { tests, path, lineAt })];
  });
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  /** Text between the brackets, or behind the word of a statement. */
  readonly args: string;
}

function callSpans({ code, bare }: MaskedCode): Span[] {
  return [...bare.matchAll(CALLS)].flatMap((match): Span[] => {
    const name = match[0].replace(/!?\s*\($/, "").trim();
    if (!(CHECKING.test(name) || AVA.test(name)) || name === "pytest.approx") return [];
    if (
      /^(?:expect|assert|verify|ensure)\w*\.(?:extend|addSnapshotSerializer|any\w*|assertions|hasAssertions|\w+Containing|config)$/.test(
        name,
      )
    )
      return [];
    if (
      /(?:\bdef|\bfunction|\bfunc|\bfn|\bvoid|\bnew|\bclass)[ \t]+$/.test(
        bare.slice(Math.max(0, match.index - 12), match.index),
      )
    )
      return [];
    const open = match.index + match[0].length - 1;
    const close = closingBracket(bare, open);
    return [{ start: match.index, end: chainEnd(bare, close), name, args: code.slice(open + 1, close - 1) }];
  });
}

/** `.not.toBe(3)`, `.to.equal(3)`, `->toBe(3)`, and RSpec's `.to eq(3)` up to the end of its line. */
function chainEnd(bare: string, from: number): number {
  let at = from;
  for (;;) {
    const link = /^\s*(?:\.|->)\s*\w+[!?]?(?:<[^<>()]*>)?/.exec(bare.slice(at, at + 200));
    if (link === null) return at;
    at += link[0].length;
    if (/(?:to|to_not|not_to)$/.test(link[0]) && /^[ \t]+\w/.test(bare.slice(at, at + 40)))
      return statementEnd(bare, at);
    if (bare.charAt(at) === "(") at = closingBracket(bare, at);
  }
}

function statementSpans({ code, bare }: MaskedCode): Span[] {
  return [...bare.matchAll(STATEMENT)].map((match) => {
    const start = match.index + (match[1] ?? "").length;
    const end = statementEnd(bare, match.index + match[0].length);
    return { start, end, name: match[2] ?? "", args: code.slice(match.index + match[0].length, end) };
  });
}

function attributeSpans({ code }: MaskedCode): Span[] {
  return [...code.matchAll(ATTRIBUTE)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    name: match[0].includes("expected") ? "throwsWith" : "raisesAny",
    args: match[0],
  }));
}

/** End of the line on which all brackets are closed again. */
function statementEnd(bare: string, from: number): number {
  let depth = 0;
  const stop = Math.min(bare.length, from + BRACKET_MAX);
  for (let at = from; at < stop; at++) {
    const char = bare.charAt(at);
    if ("([{".includes(char)) depth++;
    else if (")]}".includes(char)) depth--;
    else if (char === "\n" && depth <= 0 && bare.charAt(at - 1) !== "\\") return at;
  }
  return stop;
}

interface Surroundings {
  readonly tests: readonly TestCase[];
  readonly path: string;
  readonly lineAt: (index: number) => number;
}

function readAssertion({ code, bare }: MaskedCode, span: Span, { tests, path, lineAt }: Surroundings): Assertion {
  const whole = code.slice(span.start, span.end);
  const test = tests.findLast(({ index }) => index <= span.start);
  const common = {
    text: whole
      .replace(/\s+/g, "")
      .replace(/,([)\]}])/g, "$1")
      .replace(/'/g, '"')
      .replace(/;$/, ""),
    facts: Math.max(1, (whole.match(/[{,]\s*["']?\w+["']?\s*(?::(?!:)|=>)/g) ?? []).length),
    line: lineAt(span.start),
    test: test?.name ?? "",
  };
  const last = span.name.split(/[.:>]+/).at(-1) ?? "";
  if (/^(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)$/.test(last) && /(?:^|\.)t\./.test(`.${span.name}`)) {
    // Go's plain tests: the condition above is what is asserted.
    const condition = /\bif[ \t]+([^\n{]*)\{[^{}]*$/.exec(bare.slice(Math.max(0, span.start - 400), span.start));
    const from = condition === null ? 0 : Math.max(0, span.start - 400) + condition.index;
    const text =
      condition === null
        ? ""
        : (code
            .slice(from, from + condition[0].length)
            .split("{")[0]
            ?.trim() ?? "");
    return { ...common, text: `${text.replace(/\s+/g, "")}→fail`, subject: "if", strength: goStrength(text) };
  }
  const chain = whole.slice(whole.indexOf(span.args) + span.args.length + 1).trim();
  if (/^assert$/.test(span.name) && !/\.py$/.test(path) && chain !== "" && chain.startsWith(".")) {
    return { ...common, subject: squash(span.args), strength: null };
  }
  if (span.name === "assert" && /\.(?:py|java|kt)$/.test(path)) {
    return { ...common, ...strengthOfComparison(withoutMessage(unwrap(span.args))) };
  }
  return { ...common, ...strengthOfCall({ name: span.name, args: span.args, chain, path }) };
}

/** A Go condition for failing: `got != want` is an exact check, `err != nil` or `x == nil` is not. */
function goStrength(condition: string): number {
  if (/(?:^|[^!])\bfalse\b/.test(condition)) return 0;
  if (/[!=]=\s*nil/.test(condition)) return /!=\s*nil/.test(condition) && /err/i.test(condition) ? 4 : 1;
  if (/!=|!\s*[\w.]*(?:Equal|DeepEqual)\(|Diff\(/.test(condition)) return 5;
  return 2;
}

function unwrap(text: string): string {
  const trimmed = text.trim().replace(/;$/, "");
  return trimmed.startsWith("(") && closingBracket(trimmed, 0) === trimmed.length ? trimmed.slice(1, -1) : trimmed;
}

/** Python's `assert x, "message"`. */
function withoutMessage(text: string): string {
  const cut = /,\s*f?["'][^"']*["']\s*$/.exec(text);
  return cut === null ? text : text.slice(0, cut.index);
}

function squash(text: string): string {
  return text.replace(/\s+/g, "");
}
