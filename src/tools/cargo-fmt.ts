import { bareLines } from "./bare-lines.ts";
import { changeArgs, withoutOptions } from "./change-args.ts";
import { withArgs } from "./program-call.ts";
import { repositoryPath } from "./repository-path.ts";
import { programOf, runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { mentions } from "./unformatted-files.ts";

const DIFF = /^Diff in (?:\\\\\?\\)?(\S.*?\.rs)(?::| at line )(\d+):?$/;
const ERROR = /^error(?:\[E\d+\])?: (.*)$/;
const PLACE = /^\s*--> (\S.*?):(\d+):(\d+)$/;
const CHECKS = { drop: /^(?:--check|-l|--files-with-diff)$/, dropValued: /^(?:--emit|--color)$/ };

export const cargoFmt: Tool = {
  name: "cargo fmt",
  kind: "format",
  category: "code_formatting",
  answersTo: (command) => runs(command, ["rustfmt", "cargo-fmt"]) || subcommandAt(command, "fmt") !== -1,
  /** Each place that would change; files that rustfmt cannot parse. */
  read: (step) => {
    const lines = bareLines(step);
    const formats = mentions(step, /\bcargo(?: \+\S+)? fmt\b|\brustfmt\b/);
    return lines.flatMap(({ number, text }, at): Diagnostic[] => {
      // `gh run view` puts job and step in front of each line.
      const [, path, line] = DIFF.exec(text) ?? [];
      if (path !== undefined) {
        const file = repositoryPath(path) ?? path;
        const location = { file, line: Number(line), col: null };
        return [{ message: `${file} is not formatted`, lines: [number], location }];
      }
      const message = ERROR.exec(text)?.[1];
      const next = lines[at + 1];
      const [, wrong = "", row, col] = PLACE.exec(next?.text ?? "") ?? [];
      if (!formats || message === undefined || next === undefined || row === undefined) return [];
      const location = { file: repositoryPath(wrong) ?? wrong, line: Number(row), col: Number(col) };
      return [{ message, lines: [number, next.number], location, category: "syntax_error" }];
    });
  },
  fix: {
    derive: (command) =>
      changeArgs(command, [{ programs: ["rustfmt"], ...CHECKS, needsDrop: true }]) ?? fixedCargoFmt(command),
    installs: false,
    mayTouch: (path) => path.endsWith(".rs"),
    proven: "executed",
  },
};

/** Where a cargo subcommand stands among the arguments (`+nightly` and global options may come first); -1 without it. */
export function subcommandAt(command: string, subcommand: string): number {
  const call = programOf(command);
  if (call?.program !== "cargo") return -1;
  const at = call.args.findIndex(({ value }) => !/^[+-]/.test(value));
  return call.args[at]?.value === subcommand ? at : -1;
}

/** `cargo fmt --all -- --check` → `cargo fmt --all`; what stands behind `--` is rustfmt's. */
function fixedCargoFmt(command: string): string | null {
  const call = programOf(command);
  if (call === null || subcommandAt(command, "fmt") === -1) return null;
  const dashes = call.args.findIndex(({ value }) => value === "--");
  const own = withoutOptions(dashes === -1 ? call.args : call.args.slice(0, dashes), { drop: /^--check$/ });
  const rustfmt = withoutOptions(dashes === -1 ? [] : call.args.slice(dashes + 1), CHECKS);
  if (own.firstDropped === null && rustfmt.firstDropped === null) return null;
  return withArgs(call, [...own.kept, ...(rustfmt.kept.length === 0 ? [] : ["--", ...rustfmt.kept])]);
}
