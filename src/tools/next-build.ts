import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { bundlerCategory } from "./bundler-category.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const FAILED =
  /^(?:>? ?Build error occurred|(?: ⨯ )?Failed to compile\.?|(?:Error: )?Turbopack build failed with \d+ errors?:)$/;
const PLACE = /^(\.\/\S+\.\w{1,10})(?::(\d+):(\d+))?$/;
const PRERENDER = /^\s*(?:⨯ )?Error occurred prerendering page "([^"]+)"/;
const PAGE_DATA = /^\s*(?:> )?Build error occurred$|^\s*(?:Error: )?Failed to collect page data for (\S+)$/;
const LISTED = /^\s*(?:\d+:\d+)\s+(?:Error|Warning): |^\s*Line \d+:\d+: /;
const POINTED = /^\s*>\s*\d+ \|/;
const END =
  /^(?:Next\.js build worker exited|https?:\/\/nextjs\.org|info |npm (?:ERR!|error)|error Command|> Build failed|##\[)/;
const MAX_WORDS = 3;
const REACH = 400;

export const nextBuild: Tool = {
  name: "next build",
  kind: "build",
  category: "runtime_error",
  answersTo: (command) => runs(command, ["next"]) && programOf(command)?.args[0]?.value === "build",
  /** One diagnostic for each file under `Failed to compile.`, and for pages that broke while they were rendered. */
  read: (step) => {
    const lines = bareLines(step);
    const start = lines.findIndex(({ text }) => FAILED.test(text.trim()));
    const pages = lines.flatMap((line, at) => readPage(line, lines.slice(at + 1, at + 6)));
    return start === -1 ? pages : [...readFiles(lines.slice(start + 1, start + REACH)), ...pages];
  },
};

function readFiles(lines: readonly LogLine[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  for (const [at, line] of lines.entries()) {
    if (END.test(line.text)) break;
    const place = PLACE.exec(line.text.trim());
    const file = place?.[1] === undefined ? null : repositoryPath(place[1]);
    const below = lines.slice(at + 1, at + 20);
    // Findings of ESLint under a file are ESLint's to tell.
    if (file === null || below[0] === undefined || LISTED.test(below[0].text)) continue;
    const empty = below.findIndex(({ text }) => text.trim() === "");
    const words = (empty === -1 ? below : below.slice(0, empty)).slice(0, MAX_WORDS);
    if (words.length === 0) continue;
    const pointed = below.find(({ text }) => POINTED.test(text));
    const message = words.map(({ text }) => text.trim()).join("\n");
    found.push({
      message,
      lines: [line, ...words, ...(pointed === undefined || words.includes(pointed) ? [] : [pointed])].map(
        ({ number }) => number,
      ),
      location: { file, line: place?.[2] ? Number(place[2]) : null, col: place?.[3] ? Number(place[3]) : null },
      category: bundlerCategory(message),
    });
  }
  return found;
}

function readPage({ number, text }: LogLine, below: readonly LogLine[]): Diagnostic[] {
  const page = PRERENDER.exec(text)?.[1] ?? PAGE_DATA.exec(text)?.[1];
  if (page === undefined) return [];
  const why = below.find((line) => /^\s*(?:\w*Error|Error \w+)\b/.test(line.text));
  return [
    {
      message: why?.text.trim() ?? text.trim(),
      rule: "prerender",
      testId: null,
      lines: [number, ...(why === undefined ? [] : [why.number])],
      location: null,
      category: "runtime_error",
    },
  ];
}
