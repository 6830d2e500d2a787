import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { bareLines } from "./bare-lines.ts";
import { guessCategory } from "./guess-category.ts";
import { isNetworkTrouble } from "./network-trouble.ts";
import { runs } from "./run-program.ts";
import { MAX_QUOTED } from "./test-report.ts";
import type { Diagnostic, Tool } from "./tool.ts";
import { changedPlaces } from "./unformatted-files.ts";

const BUILDER =
  /^error: (?:builder for '\/nix\/store\/[a-z\d]+-(.+?)\.drv' failed|Cannot build '\/nix\/store\/[a-z\d]+-(.+?)\.drv')/;
const QUOTED = /^\s*>(?: (.*))?$/;
const EVALUATION =
  /^\s*error: ((?:attribute '.+' missing|undefined variable '.+'|syntax error, .+|expected .+|cannot (?:coerce|find|look).+|infinite recursion encountered|The option .+|assertion .+ failed|called without required argument .+|.+ is not a (?:function|valid).*|hash mismatch in fixed-output derivation .+|flake '.+' does not provide attribute .+|unable to download .+|getting status of .+|path '.+' (?:does not exist|is not valid).*|Failed assertions:).*)$/;
const AT = /^\s*at (\S+?):(\d+)(?::(\d+))?:?$/;
const HASH = /^\s*(?:specified|got|wanted): +sha/;
// The sources of a flake are copied into the store under this name.
const SOURCE = /^\/nix\/store\/[a-z\d]+-source\//;
const REACH = 12;

export const nix: Tool = {
  name: "nix",
  kind: "build",
  category: "configuration_error",
  answersTo: (command) =>
    runs(command, ["nix", "nix-build", "nix-shell", "nix-instantiate", "nixos-rebuild", "devenv"]),
  /** Builders that failed, with the end of their log, and what cannot be evaluated. */
  read: (step) => {
    const lines = bareLines(step);
    return lines.flatMap((line, at): Diagnostic[] => {
      const below = lines.slice(at + 1, at + 1 + MAX_QUOTED);
      return readBuilder(line, below) ?? readEvaluation(line, below) ?? [];
    });
  },
};

function readBuilder(line: LogLine, below: readonly LogLine[]): Diagnostic[] | null {
  const match = BUILDER.exec(line.text);
  if (!match) return null;
  const start = below.findIndex(({ text }) => QUOTED.test(text));
  // A builder whose own dependency failed shows no log: the other error tells.
  if (start === -1 || start > 6) return [];
  const rest = below.slice(start);
  const end = rest.findIndex(({ text }) => !QUOTED.test(text));
  const log = end === -1 ? rest : rest.slice(0, end);
  const said = log.map(({ number, text }) => ({ number, text: QUOTED.exec(text)?.[1] ?? "" }));
  const words = said.map(({ text }) => text).join("\n");
  const isDiff = /^diff --git |^@@ -\d/m.test(words);
  return [
    {
      message:
        `${match[1] ?? match[2]}: ${(said.findLast(({ text }) => /error|fail/i.test(text)) ?? said.at(-1))?.text.trim() ?? "failed"}`.slice(
          0,
          1_000,
        ),
      rule: null,
      lines: [line, ...log].map(({ number }) => number).slice(0, MAX_QUOTED),
      location: isDiff ? firstChange(said) : null,
      category: isDiff && /treefmt|format|fmt|pre-commit/.test(line.text) ? "code_formatting" : innerClass(words),
    },
  ];
}

function firstChange(said: readonly LogLine[]): Location | null {
  for (const [file, line] of changedPlaces(said)) return { file: file.replace(/^a\//, ""), line, col: null };
  return null;
}

function innerClass(words: string): FailureClass {
  const guess = guessCategory(words);
  return guess === "unknown" ? "configuration_error" : guess;
}

function readEvaluation(line: LogLine, below: readonly LogLine[]): Diagnostic[] | null {
  const message = EVALUATION.exec(line.text)?.[1];
  if (message === undefined) return null;
  const near = below.slice(0, REACH);
  const end = near.findIndex(({ text }) => /^\s*error: /.test(text));
  const own = end === -1 ? near : near.slice(0, end);
  const at = own.find(({ text }) => AT.test(text));
  const hashes = own.filter(({ text }) => HASH.test(text)).slice(0, 2);
  const [, path, row, col] = AT.exec(at?.text ?? "") ?? [];
  const file = path?.replace(SOURCE, "");
  const location =
    file === undefined || file.startsWith("/") ? null : { file, line: Number(row), col: col ? Number(col) : null };
  return [
    {
      message,
      rule: null,
      lines: [line, ...(at ? [at] : []), ...hashes].map(({ number }) => number),
      location,
      category: classOf(message),
    },
  ];
}

function classOf(message: string): FailureClass {
  if (isNetworkTrouble(message) || /^unable to download/.test(message)) return "infra_transient";
  if (/^syntax error/.test(message)) return "syntax_error";
  return /^hash mismatch/.test(message) ? "dependency_issue" : "configuration_error";
}
