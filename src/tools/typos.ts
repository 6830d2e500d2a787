import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { changeArgs } from "./change-args.ts";
import { lineFindings, saidIn, toDiagnostic } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// The long form names the word first and the place below it, as compilers do; since 1.33 with drawn corners.
const WORD = /^error: (?<message>`.{1,200}` should be .+)$/;
const PLACE = /^\s*(?:-->|╭▸|╭─▸|┌─|╭\[) ?(?<file>\S.{0,400}?):(?<line>\d+):(?<col>\d+)\]?$/;
const BRIEF = /^(?<file>[^\s:`][^:`]{0,400}):(?<line>\d+):(?<col>\d+): (?<message>`.{1,200}` -> .+)$/;

export const typos: Tool = {
  name: "typos",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["typos"]),
  read: (step) => {
    const lines = bareLines(step);
    return [...lines.flatMap((line, at) => readLong(line, lines[at + 1])), ...lineFindings(lines, [BRIEF])];
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [{ programs: ["typos"], add: ["-w"], append: true, unless: /^(?:-w|--write-changes)$/ }]),
    installs: false,
    proven: "derivation-only",
  },
};

function readLong({ number, text }: LogLine, next: LogLine | undefined): Diagnostic[] {
  const word = saidIn(text, [WORD]);
  if (word === null) return [];
  const place = saidIn(next?.text ?? "", [PLACE]);
  return [toDiagnostic({ ...word, ...place }, place === null || next === undefined ? [number] : [number, next.number])];
}
