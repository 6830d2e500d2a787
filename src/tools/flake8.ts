import { bareLines } from "./bare-lines.ts";
import { type Classify, lineFindings } from "./line-findings.ts";
import { runs } from "./run-program.ts";
import type { Tool } from "./tool.ts";
import { mentions } from "./unformatted-files.ts";

// flake8's `default` and `pylint` formats, and pycodestyle's, which its own is.
const FORMATS = [
  /^(?<file>\S.{0,400}?\.(?:pyi?|ipynb)):(?<line>\d+):(?<col>\d+): (?<rule>[A-Z]{1,3}\d{2,4}) (?!\[\*\])(?<message>\S.*)$/,
  /^(?<file>\S.{0,400}?\.pyi?):(?<line>\d+): \[(?<rule>[A-Z]{1,3}\d{2,4})\] (?<message>\S.*)$/,
  // pyflakes has no codes.
  /^(?<file>\S.{0,400}?\.pyi?):(?<line>\d+):(?<col>\d+):? (?<message>(?:'.+' imported but unused|undefined name '.+'|local variable '.+' is assigned to but never used|redefinition of unused '.+' from line \d+|f-string is missing placeholders|unable to detect undefined names).*)$/,
];
const RUFF = /^Found \d+ errors?\.|^\[\*\] \d+ fixable|^Would reformat: /;

/** `E9…` do not parse or cannot be read; `D…` are pydocstyle's. */
const classify: Classify = ({ rule = "" }) => {
  if (/^E9\d\d$/.test(rule)) return "syntax_error";
  return /^(?:D|DAR|RST)\d{3}$/.test(rule) ? "doc_docstring" : null;
};

export const flake8: Tool = {
  name: "flake8",
  kind: "lint",
  category: "linting",
  answersTo: (command) => runs(command, ["flake8", "pycodestyle", "pyflakes", "pflake8", "flakeheaven"]),
  /** ruff prints the same short form: silent where the step speaks of ruff and not of flake8. */
  read: (step) => {
    const lines = bareLines(step);
    const isRuff = mentions(step, /\bruff\b/) || lines.some(({ text }) => RUFF.test(text));
    return isRuff && !mentions(step, /\bflake8\b/) ? [] : lineFindings(lines, FORMATS, classify);
  },
};
