import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { bundlerCategory } from "./bundler-category.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const HEAD = /^(?:\[tsl\] )?\s*ERROR in (\S.*)$/;
const BARE_HEAD = /^(?:\[tsl\] )?\s*ERROR in$/;
// `./src/a.js 2:10-12`, `/path/a.ts:10:5`, `/path/a.ts(10,5)`, `[at-loader] ./src/a.ts:3:4`; loaders stand in front as `x!./y`.
const PLACE =
  /^(?:\[[\w-]+\] )?(?:\S*!)?(\.{0,2}[^\s:(!]{1,400}\.\w{1,10})(?:[:( ](\d+)[:,](\d+)(?:-\d+(?::\d+)?)?\)?)?(?:\s.*)?$/;
const POINTED = /^\s*>\s*\d+ \|/;
const TS_PLACE = /^\s*TS\d{4,5}: /;

export const webpack: Tool = {
  name: "webpack",
  kind: "build",
  category: "runtime_error",
  answersTo: (command) =>
    runs(command, ["webpack", "webpack-cli", "rspack", "vue-cli-service", "craco", "react-scripts", "ng", "encore"]) &&
    !/^(?:test|lint|serve)$/.test(programOf(command)?.args[0]?.value ?? ""),
  /** One diagnostic an `ERROR in`: its title, its first words and the line it points at. */
  read: (step) => {
    const lines = bareLines(step);
    const seen = new Set<string>();
    return lines.flatMap((line, at) => {
      const found = readError(line, lines, at);
      // Several compilers, and a summary at the end, report the same error.
      const key = JSON.stringify([found?.message, found?.location]);
      if (found === null || seen.has(key)) return [];
      seen.add(key);
      return [found];
    });
  },
};

// Title and reason stand in the first lines; what webpack tried to resolve follows in deeper ones.
const WORDS = 3;
const REACH = 14;

function readError(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic | null {
  const title = HEAD.exec(line.text)?.[1];
  if (title === undefined && !BARE_HEAD.test(line.text)) return null;
  const body: LogLine[] = [];
  for (const next of lines.slice(at + 1, at + REACH)) {
    if (next.text.trim() === "" || HEAD.test(next.text) || next.text.startsWith("##[")) break;
    body.push(next);
  }
  const words = body
    .slice(0, WORDS)
    .filter(
      ({ text }) => !/^resolve '|^ {2}using description|^ @ |^File was parsed|^You may need|^\s*\d+ \|/.test(text),
    );
  const said = words[0]?.text.trim() ?? title ?? "";
  const pointed = body.find(({ text }) => POINTED.test(text));
  const quoted = [line, ...(TS_PLACE.test(said) ? words.slice(0, 1) : words), ...(pointed ? [pointed] : [])];
  const place = placeOf(title ?? "");
  // `ERROR in Entry module not found: …` says everything in its title.
  const message = place === null && title !== undefined ? `${title} ${said === title ? "" : said}`.trim() : said;
  return {
    message,
    rule: /\bTS\d{4,5}\b/.exec(message)?.[0] ?? null,
    lines: [...new Set(quoted.map(({ number }) => number))].sort((a, b) => a - b),
    location: place,
    category: bundlerCategory(message),
  };
}

function placeOf(title: string): Location | null {
  const [, file, line, col] = PLACE.exec(title) ?? [];
  const path = file === undefined ? null : repositoryPath(file);
  if (path === null) return null;
  return { file: path, line: line === undefined ? null : Number(line), col: col === undefined ? null : Number(col) };
}
