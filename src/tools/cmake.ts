import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { mergeFindings } from "./merge-findings.ts";
import { relativePath, repositoryPath } from "./repository-path.ts";
import { programOf } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const HEAD = /^CMake Error(?: \(dev\))?(?:(?: at | in )([^\s:][^:]*?)(?::(\d+))?(?: \(([\w-]+)\))?)?:\s?(.*)$/;
// The text under the head; its advice (`Add the installation prefix …`) is long and says nothing new.
const MAX_TEXT = 4;
const MAX_SPAN = 20;
const MISSING =
  /Could not find a package|Could NOT find|By not providing "Find|package .* not found|None of the required|required packages were not found|Failed to find/i;
const COMPILER =
  /No CMAKE_\w+_COMPILER could be found|is not able to compile a simple test program|Generator\b.*\bcould not find|CMake \d[\d.]* or higher is required/;

export const cmake: Tool = {
  name: "cmake",
  kind: "build",
  category: "configuration_error",
  answersTo: (command) => {
    const call = programOf(command);
    if (call === null || !/^cmake3?$/.test(call.program)) return false;
    return !call.args.some(({ value }) => value === "-E" || value === "--install");
  },
  /** What configuring refused: the place in a CMakeLists and the text below it. */
  read: (step) => {
    const lines = bareLines(step);
    return mergeFindings(lines.flatMap((line, at) => readError(line, lines, at)));
  },
};

function readError(line: LogLine, lines: readonly LogLine[], at: number): readonly Diagnostic[] {
  const match = HEAD.exec(line.text);
  if (!match) return [];
  const [, path, row, command, inline = ""] = match;
  const text = textBelow(lines, at);
  const first = text.find((one) => one.text.trim() !== "");
  const reasons = text.filter((one) => MISSING.test(one.text) && !/^\s*By not providing/.test(one.text)).slice(0, 1);
  const said = inline.trim() || paragraph(text, reasons[0] ?? first);
  const quoted = [...new Set([...(inline.trim() === "" ? text.slice(0, MAX_TEXT) : []), ...reasons])];
  const words = `${inline} ${text.map((one) => one.text).join(" ")}`;
  return [
    {
      message: said,
      rule: command ?? null,
      lines: [line, ...quoted].map(({ number }) => number).sort((a, b) => a - b),
      location: calledFrom(path, lines.slice(at + 1, at + 1 + MAX_SPAN)) ?? placeOf(path, row),
      category: classOf(words),
    },
  ];
}

function placeOf(path: string | undefined, row: string | undefined): Location | null {
  return path === undefined ? null : { file: repositoryPath(path) ?? path, line: row ? Number(row) : null, col: null };
}

/** A module of CMake speaks for the file that called it: the first of the call stack that lies in the repository. */
function calledFrom(path: string | undefined, below: readonly LogLine[]): Location | null {
  if (path === undefined || relativePath(path) !== null) return null;
  const stack = below.findIndex(({ text }) => text.startsWith("Call Stack"));
  if (stack === -1) return null;
  for (const { text } of below.slice(stack + 1)) {
    const [, caller, row] = /^\s+(\S+?):(\d+) \(/.exec(text) ?? [];
    if (caller === undefined) return null;
    const file = relativePath(caller);
    if (file !== null) return { file, line: Number(row), col: null };
  }
  return null;
}

/** Indented and blank lines belong to the head; the first other line ends it. */
function textBelow(lines: readonly LogLine[], at: number): readonly LogLine[] {
  const below = lines.slice(at + 1, at + 1 + MAX_SPAN);
  const end = below.findIndex(({ text }) => text.trim() !== "" && !/^\s/.test(text));
  return (end === -1 ? below : below.slice(0, end)).filter(({ text }) => text.trim() !== "");
}

/** The sentence that starts at a line, over the lines that CMake wrapped it into. */
function paragraph(text: readonly LogLine[], from: LogLine | undefined): string {
  const start = from === undefined ? -1 : text.indexOf(from);
  if (start === -1) return "CMake Error";
  const words: string[] = [];
  for (const one of text.slice(start, start + 4)) {
    words.push(one.text.trim());
    if (/[.:]$/.test(one.text.trim())) break;
  }
  return words.join(" ");
}

function classOf(words: string): FailureClass {
  if (COMPILER.test(words)) return "environment_error";
  if (MISSING.test(words)) return "dependency_issue";
  return /Parse error/.test(words) ? "syntax_error" : "configuration_error";
}
