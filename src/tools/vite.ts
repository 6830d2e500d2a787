import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { bundlerCategory } from "./bundler-category.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import { isJsFrame } from "./stack-frames.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const START = /^\s*(?:error during build|build error|Build failed with \d+ errors?):$/;
// Where it broke, in the words of rollup, its plug-ins, rolldown, esbuild and vite's import analysis.
const PLACES = [
  /^\s*file: (?<file>\S.*?\.\w{1,10})(?::(?<line>\d+):(?<col>\d+))?$/,
  /^\s*[╭┌][─]*\[ ?(?<file>\S.*?):(?<line>\d+):(?<col>\d+) ?\]/,
  /^(?:\w*Error: )?(?:\[[^\]]+\] )*(?<file>[\w@./\\:-]+\.(?:[cm]?[jt]sx?|vue|svelte|css|scss|less|json|html|astro|mdx?)) ?\((?<line>\d+):(?<col>\d+)\):/,
  /^\s*(?<file>[\w@./\\-]+\.(?:[cm]?[jt]sx?|vue|svelte|css|scss|less|json|html|astro)):(?<line>\d+):(?<col>\d+): (?:ERROR|error): /,
  /(?:from|in) "?(?<file>(?:[A-Za-z]:)?[\w@./\\-]+\.(?:[cm]?[jt]sx?|vue|svelte|css|scss|less|json|html|astro))"?\.?(?:$| )/,
];
const ADVICE =
  /^(?:This is most likely unintended|If you do want to externalize|`build\.rollupOptions\.external`|Additionally, handling the error)/;
const PICTURE = /^\s*(?:[│|╭╰┌└─]|\d+ ?[│|:]|\^|> ?\d+)/;
// Dead links of VitePress and its like stand above the verdict.
const REACH = 30;
const MAX_WORDS = 4;

export const vite: Tool = {
  name: "vite",
  kind: "build",
  category: "runtime_error",
  answersTo: (command) => {
    if (runs(command, ["rollup", "electron-vite", "vite-ssg", "rolldown", "tsdown", "nuxt", "nuxi", "astro"]))
      return true;
    return runs(command, ["vite"]) && programOf(command)?.args[0]?.value !== "preview";
  },
  /** What stands behind `error during build:`: its words and where it broke. */
  read: (step) => {
    const lines = bareLines(step);
    if (lines.some(({ text }) => /\[vitepress\] |\bvitepress v\d/.test(text))) return [];
    return readBuildErrors(lines);
  },
};

/** The build errors in the words of Vite and everything built on it. */
export function readBuildErrors(lines: readonly LogLine[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  const told = new Set<string>();
  for (const [at, { text }] of lines.entries()) {
    // Two titles may follow each other: rolldown counts its errors.
    if (!START.test(text) || lines.slice(at + 1, at + 2).some((next) => START.test(next.text))) continue;
    const error = readError(lines.slice(at + 1, at + 1 + REACH));
    if (error === null || told.has(error.message)) continue;
    told.add(error.message);
    found.push(error);
  }
  return found;
}

function readError(below: readonly LogLine[]): Diagnostic | null {
  const end = below.findIndex(({ text }) => isJsFrame(text) || text.startsWith("##["));
  const body = (end === -1 ? below : below.slice(0, end)).filter(({ text }) => text.trim() !== "");
  const first = body[0];
  if (first === undefined) return null;
  const words = body
    .filter(({ text }, at) => at === 0 || (!ADVICE.test(text) && !PICTURE.test(text)))
    .slice(0, MAX_WORDS);
  const placed = body.flatMap((line) => placeIn(line));
  const place = placed.find(({ location }) => location.line !== null) ?? placed[0];
  const numbers = [...words, ...(place === undefined ? [] : [place.at])].map(({ number }) => number);
  const message = first.text.trim();
  return {
    message,
    lines: [...new Set(numbers)].sort((a, b) => a - b),
    location: place?.location ?? null,
    category: bundlerCategory(message),
  };
}

function placeIn(line: LogLine): { readonly at: LogLine; readonly location: Location }[] {
  for (const says of PLACES) {
    const said = says.exec(line.text)?.groups;
    const file = said?.file === undefined ? null : repositoryPath(said.file);
    if (file === null) continue;
    const { line: row, col } = said ?? {};
    return [
      {
        at: line,
        location: { file, line: row === undefined ? null : Number(row), col: col === undefined ? null : Number(col) },
      },
    ];
  }
  return [];
}
