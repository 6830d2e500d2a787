import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location, StackFrame } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { rubyFrame } from "./ruby-frames.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const TITLE = /^ {2,4}(\d+)\) (\S.*)$/;
const LOADING = /^An error occurred (?:while loading (\S+?)|in an? `?(.+?)`? hook)\.?$/;
const CODE = /^\s*Failure\/Error: (.*)$/;
const EXPECTED = /^\s+expected: ?(.*)$/;
const GOT = /^\s+got: ?(.*)$/;
const FAILED_LIST = /^rspec (?:'(\.\/.+?)'|(\.\/\S+?)) # (.+)$/;
const END =
  /^(?:Finished in |Failed examples:|Randomized with seed|Top \d+ slowest|\d+ examples?, |Pending:|Coverage report)/;
const FRAME_MARK = /^\s*# /;
const MAX_BODY = 80;
const MAX_QUOTED_BODY = 10;

export const rspec: Tool = {
  name: "rspec",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => runs(command, ["rspec", "parallel_rspec", "turbo_tests"]),
  /** The numbered failures with their places, then files that could not be loaded. */
  read: (step) => {
    const lines = bareLines(step);
    const rerun = rerunLines(lines);
    return lines.flatMap((line, at): Diagnostic[] => {
      const title = TITLE.exec(line.text)?.[2];
      const loading = LOADING.exec(line.text);
      if (title === undefined && loading === null) return [];
      const body = bodyBelow(lines, at);
      // Other runners number their failures too: an example of rspec shows what failed.
      if (!body.slice(0, 6).some(({ text }) => CODE.test(text))) return [];
      return [
        toDiagnostic(
          line,
          body,
          title ?? null,
          title === undefined ? undefined : rerun.get(title.trim()),
          loading?.[1],
        ),
      ];
    });
  },
};

/** The line `rspec ./spec/a_spec.rb:4 # title` of each failed example. */
function rerunLines(lines: readonly LogLine[]): ReadonlyMap<string, LogLine> {
  const found = new Map<string, LogLine>();
  for (const line of lines) {
    const title = FAILED_LIST.exec(line.text)?.[3];
    if (title !== undefined && !found.has(title.trim())) found.set(title.trim(), line);
  }
  return found;
}

function bodyBelow(lines: readonly LogLine[], at: number): readonly LogLine[] {
  const below = lines.slice(at + 1, at + 1 + MAX_BODY);
  const end = below.findIndex(({ text }) => TITLE.test(text) || LOADING.test(text) || END.test(text));
  return end === -1 ? below : below.slice(0, end);
}

function toDiagnostic(
  head: LogLine,
  body: readonly LogLine[],
  title: string | null,
  rerun: LogLine | undefined,
  loaded: string | undefined,
): Diagnostic {
  const frames = body.flatMap((line): { line: LogLine; frame: StackFrame }[] => {
    const frame = FRAME_MARK.test(line.text) ? rubyFrame(line.text.replace(FRAME_MARK, "")) : null;
    return frame === null ? [] : [{ line, frame }];
  });
  const stack = body.findIndex(({ text }) => FRAME_MARK.test(text));
  const told = (stack === -1 ? body : body.slice(0, stack)).filter(({ text }) => /[^\s^]/.test(text));
  const diff = told.findIndex(({ text }) => /^\s*(?:Diff:|\(compared using)/.test(text));
  const said = (diff === -1 ? told : told.slice(0, diff)).slice(0, MAX_QUOTED_BODY);
  const code = said.findIndex(({ text }) => CODE.test(text));
  const words = said.slice(code + 1).map(({ text }) => text.trim());
  const expected = firstGroup(said, EXPECTED);
  const actual = firstGroup(said, GOT);
  const own = title === null ? frames[0] : (placeOf(frames, rerun) ?? frames[0]);
  return {
    message: (words.join("\n") || (CODE.exec(said[code]?.text ?? "")?.[1] ?? title ?? "")).slice(0, 1_000),
    testId: title?.trim() ?? null,
    lines: [head, ...said, ...(frames[0] ? [frames[0].line] : []), ...(rerun ? [rerun] : [])].map(
      ({ number }) => number,
    ),
    location: own ? { file: own.frame.file, line: own.frame.line, col: null } : fileOnly(loaded),
    stack: frames.map(({ frame }) => frame),
    ...(expected !== null && actual !== null ? { expected, actual } : {}),
    category: classOf(words.join("\n"), expected),
  };
}

/** What was not met is the example's own line; what crashed is where it crashed, first of the stack. */
function placeOf<T extends { readonly frame: StackFrame }>(
  frames: readonly T[],
  rerun: LogLine | undefined,
): T | undefined {
  const match = FAILED_LIST.exec(rerun?.text ?? "");
  const file = (match?.[1] ?? match?.[2])?.replace(/^\.\//, "").replace(/(?::\d+|\[[\d:]+\])$/, "");
  return file === undefined ? undefined : frames.find(({ frame }) => frame.file === file);
}

function fileOnly(loaded: string | undefined): Location | null {
  return loaded === undefined ? null : { file: loaded.replace(/^\.\//, ""), line: null, col: null };
}

function firstGroup(lines: readonly LogLine[], pattern: RegExp): string | null {
  for (const { text } of lines) {
    const found = pattern.exec(text)?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

function classOf(words: string, expected: string | null): FailureClass {
  if (expected !== null || /^expected\b|^Expected\b/m.test(words)) return "assertion_error";
  if (/^(?:SyntaxError)\b/m.test(words)) return "syntax_error";
  if (/^LoadError\b/m.test(words)) return "dependency_issue";
  return /^[A-Z][\w:]*(?:Error|Exception|Failure|NotFound|Invalid)?:$/m.test(words) ? "runtime_error" : "test_failure";
}
