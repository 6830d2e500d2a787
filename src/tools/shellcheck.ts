import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { type Classify, lineFindings, saidIn, toDiagnostic } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

// `gcc`, and what editors' matchers print of it.
const GCC =
  /^(?<file>[^\s:][^:]{0,400}):(?<line>\d+):(?<col>\d+): (?:error|warning|note|info|style): (?<message>\S.*) \[(?<rule>SC\d{4})\]$/;
// `tty`: the place, the line of source, then one pointing line a finding.
const PLACE = /^In (?<file>\S.{0,400}) line (?<line>\d+):$/;
const POINTED = /^\s*\^[-^ ]*\^?-* ?(?<rule>SC\d{4})(?: \((?:error|warning|info|style)\))?: (?<message>\S.*)$/;

/** SC1xxx: the parser of shellcheck could not go on, but for a few that only advise (SC1090, SC1091: files it was not given). */
const classify: Classify = ({ rule = "" }) => (/^SC10[0-8]\d$/.test(rule) ? "syntax_error" : null);

export const shellcheck: Tool = {
  name: "shellcheck",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["shellcheck"]),
  read: (step) => {
    const lines = bareLines(step);
    return [...readTty(lines), ...lineFindings(lines, [GCC], classify)];
  },
};

function readTty(lines: readonly LogLine[]): Diagnostic[] {
  const found: Diagnostic[] = [];
  let place: { readonly file?: string | undefined; readonly line?: string | undefined } = {};
  let fresh: number[] = [];
  for (const [at, { number, text }] of lines.entries()) {
    const placed = saidIn(text, [PLACE]);
    if (placed !== null) {
      place = placed;
      const source = lines[at + 1];
      fresh = source === undefined || source.text.trim() === "" ? [number] : [number, source.number];
    }
    const said = saidIn(text, [POINTED]);
    if (said === null || place.file === undefined) continue;
    found.push(toDiagnostic({ ...place, ...said }, [...fresh, number], classify));
    fresh = [];
  }
  return found;
}
