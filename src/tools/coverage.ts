import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { programCall } from "./program-call.ts";
import { repositoryPath } from "./repository-path.ts";
import type { Tool } from "./tool.ts";

// coverage.py, pytest-cov, pants; nyc, c8, vitest and jest.
const VERDICTS = [
  /^(?:ERROR: |FAIL )?(?:Coverage failure: total of ([\d.]+)%? is less than fail-under=([\d.]+)%?)/,
  /^(?:ERROR: |FAIL )?Required test coverage of ([\d.]+)% not (?:reached|met)\./,
  /^(?:ERROR: )?Coverage for \w+ \(([\d.]+)%\) does not meet (?:global |"[^"]*" |per-file )?threshold \(([\d.]+)%\)/,
  /^Jest: .* coverage threshold for \w+ \(([\d.]+)%\) not met: ([\d.]+)%/,
  /^(?:\d\d:\d\d:\d\d\.\d\d )?\[ERROR\] .*\binsufficient coverage\b/,
];
const WHICH_FILE = /^Jest: "(\S+?\.\w+)" |threshold \([\d.]+%\) for (\S+\.\w+)$/;
// `src/app.py   254   212   17%   1-9, 14`; with branches two columns more.
const ROW = /^(\S+\.py) +\d+ +(\d+)(?: +\d+ +\d+)? +(\d+)%/;

export const coverage: Tool = {
  name: "coverage",
  kind: "test",
  category: "test_failure",
  answersTo: (command) => ["coverage", "nyc", "c8", "diff-cover"].includes(programCall(command)?.program ?? ""),
  /** One diagnostic for the thresholds that were missed, at the file that most lines are missing of. */
  read: (step) => {
    const lines = bareLines(step);
    const verdicts = lines.filter(({ text }) => VERDICTS.some((says) => says.test(text)));
    const first = verdicts[0];
    if (first === undefined) return [];
    const named = verdicts.flatMap(({ text }) => WHICH_FILE.exec(text)?.slice(1).find(Boolean) ?? [])[0];
    const worst = named === undefined ? worstRow(lines) : null;
    const location =
      named === undefined ? (worst?.location ?? null) : { file: repositoryPath(named) ?? named, line: null, col: null };
    return [
      {
        message: first.text.replace(/^(?:ERROR: |FAIL )/, "").trim(),
        rule: "coverage",
        lines: [...(worst === null ? [] : [worst.line.number]), ...verdicts.map(({ number }) => number)],
        location,
      },
    ];
  },
};

interface Row {
  readonly line: LogLine;
  readonly missing: number;
  readonly location: Location;
}

function worstRow(lines: readonly LogLine[]): Row | null {
  let worst: Row | null = null;
  for (const line of lines) {
    const [, file, missing, cover] = ROW.exec(line.text) ?? [];
    if (file === undefined || cover === "100" || Number(missing) <= (worst?.missing ?? 0)) continue;
    worst = { line, missing: Number(missing), location: { file: repositoryPath(file) ?? file, line: null, col: null } };
  }
  return worst;
}
