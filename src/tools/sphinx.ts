import type { LogLine, StepLog } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { type Classify, saidIn, toDiagnostic } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { mentions } from "./unformatted-files.ts";

// A docstring's place: `/src/pkg/mod.py:docstring of pkg.mod.fn:3: WARNING: …`.
const FORMATS = [
  /^(?<file>(?:[A-Za-z]:)?[^\s:][^:]{0,400}\.\w{1,10}):(?:docstring of (?<object>\S{1,300}):)?(?:(?<line>\d+):)? (?<severity>WARNING|ERROR|CRITICAL|SEVERE): (?<message>\S.*?)(?: \[(?<rule>[a-z_]+(?:\.[\w-]+)*)\])?$/,
  /^(?<severity>WARNING|ERROR|CRITICAL): (?<message>\S.*?)(?: \[(?<rule>[a-z_]+(?:\.[\w-]+)*)\])?$/,
];
// The first warning of a phase stands behind its name.
const PROGRESS = /^[a-z][a-z ,-]{3,60}\.\.\. (?=\S)/;
const FIRST_WARNING = /^Warning, treated as error:$/;
const FIRST_FORMAT =
  /^(?<file>(?:[A-Za-z]:)?[^\s:][^:]{0,400}\.\w{1,10}):(?:docstring of (?<object>\S{1,300}):)?(?:(?<line>\d+):)? ?(?:WARNING: )?(?<message>\S.*)$/;
const FATAL =
  /^(?:Configuration error:|Extension error(?: \(.*\))?:|Sphinx error:|Theme error:|Exception occurred:|Application error:)$/;
const LINK = /^\((?<file>\S.{0,300}?): +line +(?<line>\d+)\) broken +(?<message>\S.*)$/;
const STRICT = /treated as errors?\b|^build finished with problems, /;
const SPHINX =
  /^Running Sphinx v\d|^sphinx-build |^build (?:succeeded|finished with problems), |^reading sources\.\.\.|^looking for now-outdated files|^checking consistency\.\.\./;

export const sphinx: Tool = {
  name: "sphinx",
  kind: "docs",
  category: "doc_docstring",
  answersTo: (command) =>
    runs(command, ["sphinx-build", "sphinx", "sphinx-autobuild", "sphinx.cmd.build"]) ||
    /^make (?:-C \S+ )?(?:html|dirhtml|linkcheck|doctest|latexpdf)\b/.test(command),
  /** Errors, and warnings where they are treated as errors; broken links; what kept it from starting. */
  read: (step) => {
    const lines = bareLines(step);
    const isSphinx = lines.some(({ text }) => SPHINX.test(text) || FIRST_WARNING.test(text)) || speaks(step);
    if (!isSphinx) return [];
    const stopped = [...readFirstWarning(lines), ...readFatal(lines)];
    const links = lines.flatMap((line) => single(line, LINK));
    const findings = readFindings(lines);
    const errors = findings.filter(({ isError }) => isError);
    const strict = lines.some(({ text }) => STRICT.test(text)) || asksForStrictness(step);
    const told = strict || (errors.length === 0 && stopped.length + links.length === 0) ? findings : errors;
    return [...told.map(({ diagnostic }) => diagnostic), ...links, ...stopped].sort(
      (a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0),
    );
  },
};

const STRICT_OPTION = /(?:^|[\s"'=])-[a-zA-Z]*W\b|--fail-on-warning/;

function asksForStrictness(step: StepLog): boolean {
  return mentions(step, STRICT_OPTION) || STRICT_OPTION.test(step.env.SPHINXOPTS ?? "");
}

function speaks(step: StepLog): boolean {
  return mentions(step, /\bsphinx(?:-build|\.cmd\.build)?\b/);
}

interface Found {
  readonly isError: boolean;
  readonly diagnostic: Diagnostic;
}

function readFindings(lines: readonly LogLine[]): Found[] {
  const seen = new Set<string>();
  return lines.flatMap(({ number, text }) => {
    const said: (ReturnType<typeof saidIn> & { readonly severity?: string }) | null = saidIn(
      text.replace(PROGRESS, ""),
      FORMATS,
    );
    const key = JSON.stringify(said);
    if (said === null || seen.has(key)) return [];
    seen.add(key);
    // A line number within a docstring is none of the file.
    const inDocstring = /:docstring of /.test(text);
    const diagnostic = toDiagnostic(inDocstring ? { ...said, line: undefined } : said, [number], classify);
    return [{ isError: said.severity !== "WARNING", diagnostic }];
  });
}

const classify: Classify = ({ message = "" }) =>
  /failed to import|No module named|extension .* (?:could not|failed)/i.test(message) ? "dependency_issue" : null;

/** `Warning, treated as error:` of `-W` without `--keep-going`: the place stands in the next line. */
function readFirstWarning(lines: readonly LogLine[]): Diagnostic[] {
  return lines.flatMap((line, at) => {
    const next = lines[at + 1];
    if (!FIRST_WARNING.test(line.text) || next === undefined) return [];
    const said = saidIn(next.text, [FIRST_FORMAT]) ?? { message: next.text };
    return [toDiagnostic(said, [line.number, next.number], classify)];
  });
}

/** Configuration and extensions: the title says what kind, the lines below why. */
function readFatal(lines: readonly LogLine[]): Diagnostic[] {
  return lines.flatMap((line, at) => {
    if (!FATAL.test(line.text)) return [];
    const below = lines.slice(at + 1, at + 30);
    const why =
      below.find(({ text }) => /^[\w.]*(?:Error|Exception)\b/.test(text)) ??
      below.find(({ text }) => text.trim() !== "");
    const config = /^(?:Configuration|Theme) error/.test(line.text);
    return [
      {
        message: `${line.text} ${why?.text.trim() ?? ""}`.trim(),
        lines: [line.number, ...(why === undefined ? [] : [why.number])],
        location: config ? confPlace(below) : null,
        category: config ? ("configuration_error" as const) : categoryOf(why?.text ?? ""),
      },
    ];
  });
}

function categoryOf(text: string): Diagnostic["category"] & string {
  return /Could not import extension|No module named/.test(text) ? "dependency_issue" : "doc_docstring";
}

function confPlace(below: readonly LogLine[]): Location | null {
  const said = below.flatMap(
    ({ text }) => saidIn(text, [/^\s*File "(?<file>[^"]{1,400}conf\.py)", line (?<line>\d+)/]) ?? [],
  )[0];
  return said === undefined ? null : (toDiagnostic(said, []).location ?? null);
}

function single({ number, text }: LogLine, format: RegExp): Diagnostic[] {
  const said = saidIn(text, [format]);
  return said === null ? [] : [toDiagnostic(said, [number])];
}
