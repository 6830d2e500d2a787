import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { repositoryPath } from "./repository-path.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const CTEST_PREFIX = /^\d+: /;
const FAILED = /^(\S.*?)(?::(\d+)|\((\d+)\)): FAILED:$/;
const DOCTEST = /^(\S.*?)(?::(\d+)|\((\d+)\)): (?:FATAL )?ERROR: (.+)$/;
const RULE = /^-{20,}$/;
const DOCTEST_CASE = /^TEST CASE: {1,2}(.+)$/;
const END = /^(?:-{20,}|={20,}|\.{20,}|)$/;
const MAX_BODY = 8;

/** Catch2 and doctest, whose reports are of one family. */
export const catch2: Tool = {
  name: "catch2",
  kind: "test",
  category: "test_failure",
  answersTo: () => false, // a test program bears any name: it is known by its output
  read: (step) => {
    const lines = bareLines(step).map(({ number, text }) => ({ number, text: text.replace(CTEST_PREFIX, "") }));
    let test: string | null = null;
    return lines.flatMap((line, at): Diagnostic[] => {
      test = titleAt(lines, at) ?? test;
      const [head, path, unix, msvc, inline] = FAILED.exec(line.text) ?? DOCTEST.exec(line.text) ?? [];
      if (head === undefined || path === undefined) return [];
      // Other programs say `x:1: ERROR:` too; doctest names its macro.
      if (inline !== undefined && !/^(?:CHECK|REQUIRE|WARN|test case|.*\bNOT correct)/.test(inline)) return [];
      const body = bodyBelow(lines, at);
      return [toDiagnostic(line, body, { path, row: Number(unix ?? msvc), inline, test })];
    });
  },
};

/** A title stands alone between two rules, or behind doctest's `TEST CASE:`. */
function titleAt(lines: readonly LogLine[], at: number): string | null {
  const text = lines[at]?.text ?? "";
  const doctest = DOCTEST_CASE.exec(text)?.[1];
  if (doctest !== undefined) return doctest.trim();
  // Sections of the case stand indented below it, before the rule that closes the title.
  const closed = /^-{20,}$|^ {2}\S/.test(lines[at + 1]?.text ?? "");
  return closed && RULE.test(lines[at - 1]?.text ?? "") && /^\S/.test(text) && !RULE.test(text) ? text.trim() : null;
}

function bodyBelow(lines: readonly LogLine[], at: number): readonly LogLine[] {
  const below = lines.slice(at + 1, at + 1 + MAX_BODY);
  const end = below.findIndex(({ text }) => END.test(text.trim()));
  return end === -1 ? below : below.slice(0, end);
}

interface Failed {
  readonly path: string;
  readonly row: number;
  readonly inline: string | undefined;
  readonly test: string | null;
}

function toDiagnostic(line: LogLine, body: readonly LogLine[], { path, row, inline, test }: Failed): Diagnostic {
  const text = body.map((one) => one.text.trim());
  const threw = /exception|signal/.test(`${inline ?? ""} ${text[0] ?? ""}`);
  return {
    message: (inline ?? text.join("\n")).slice(0, 1_000),
    testId: test,
    lines: [line, ...body].map(({ number }) => number),
    location: { file: repositoryPath(path) ?? path, line: row, col: null },
    category: threw ? "runtime_error" : "assertion_error",
  };
}
