import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import { repositoryPath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

const ERROR = /^error(?:\[(E\d+)\])?: (\S.*)$/;
const PLACE = /^\s*(?:-->|╭▸) (\S.*?):(\d+):(\d+)$/;
// Counts of what was said above.
const COUNT = /^(?:could not (?:compile|document)|aborting due to|build failed|\d+ errors? emitted)/;
const LINT =
  /`-[DF] ([\w:-]+)`(?: implied by `-[DF] [\w:-]+`)?|`#\[(?:deny|forbid)\(([\w:]+)\)\]`|#\[(?:deny|forbid)\(([\w:]+)\)\]|rust-clippy\/[^#]*#(\w+)/;
const LINK = /^linking with `[^`]+` failed|^linker `[^`]+` not found/;
const LINK_REASON =
  /undefined reference to|cannot find -l|cannot find \S+: No such file|undefined symbol|could not open|not found for architecture/;

// The message may be of several lines before its place.
const MAX_HEAD = 6;
const MAX_BLOCK = 80;
const MAX_REASONS = 4;

const CODES: Readonly<Record<string, FailureClass>> = {
  // The crate is not there, or was compiled by another compiler.
  E0463: "dependency_issue",
  E0514: "environment_error",
  // Unstable features want another toolchain.
  E0554: "environment_error",
};

/** What rustc and rustdoc refuse: each error with its place once, and linkers that fail. */
export function readRustcErrors(lines: readonly LogLine[]): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const [at, line] of lines.entries()) {
    const diagnostic = readError(line, lines, at);
    // A library and its tests are compiled apart: both say what is wrong in it.
    const key = diagnostic === null ? "" : JSON.stringify([diagnostic.rule, diagnostic.message, diagnostic.location]);
    if (diagnostic !== null && !found.has(key)) found.set(key, diagnostic);
  }
  return [...found.values()];
}

function readError(line: LogLine, lines: readonly LogLine[], at: number): Diagnostic | null {
  const [, code, message] = ERROR.exec(line.text) ?? [];
  if (message === undefined || COUNT.test(message)) return null;
  const below = lines.slice(at + 1, at + MAX_BLOCK);
  if (LINK.test(message)) return linkError(line, message, below);
  const near = below.slice(0, MAX_HEAD);
  const end = near.findIndex(({ text }) => text.trim() === "" || ERROR.test(text));
  const place = (end === -1 ? near : near.slice(0, end)).find(({ text }) => PLACE.test(text));
  const [, path, row, col] = PLACE.exec(place?.text ?? "") ?? [];
  // cargo shows manifests in the same frames; they are cargo's to speak of.
  if (place === undefined || path === undefined || path.endsWith(".toml")) return null;
  const stop = below.findIndex(({ text }) => text.trim() === "" || ERROR.test(text));
  const lint = (stop === -1 ? below : below.slice(0, stop))
    .map(({ text }) => LINT.exec(text))
    .find((one) => one !== null);
  const rule =
    code ??
    lint
      ?.slice(1)
      .find((name) => name !== undefined)
      ?.replaceAll("-", "_") ??
    null;
  return {
    message,
    rule,
    lines: [line.number, place.number],
    location: { file: repositoryPath(path) ?? path, line: Number(row), col: Number(col) },
    category: categoryOf(message, code, rule),
  };
}

function linkError(line: LogLine, message: string, below: readonly LogLine[]): Diagnostic {
  const reasons = below.filter(({ text }) => LINK_REASON.test(text)).slice(0, MAX_REASONS);
  const why = reasons[0]?.text.trim().replace(/^= note: /, "");
  return {
    message: why === undefined ? message : `${message}: ${why}`,
    rule: null,
    lines: [line, ...reasons].map(({ number }) => number),
    location: null,
    category: "environment_error",
  };
}

function categoryOf(message: string, code: string | undefined, rule: string | null): FailureClass {
  if (code !== undefined) return CODES[code] ?? "type_checking";
  if (rule?.startsWith("rustdoc::") === true) return "doc_docstring";
  if (rule !== null) return "linting";
  return /^(?:expected|unexpected|unclosed|mismatched closing|unterminated|unknown (?:start|prefix)|missing|invalid|this file contains|leading|found|unmatched|incorrect|prefix)\b/.test(
    message,
  )
    ? "syntax_error"
    : "type_checking";
}
