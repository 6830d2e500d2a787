import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

const PLAIN = /^(.+?)\((\d+),(\d+)\): error (TS\d+): (.*)$/;
const PRETTY = /^(.+?):(\d+):(\d+) - error (TS\d+): (.*)$/;
const BARE = /^error (TS\d+): (.*)$/;

// TypeScript's own numbers: 1xxx is the parser.
const SYNTAX = /^TS1\d{3}$/;
// Options and project files (5xxx, 6053 file not found, 18002/18003 nothing to compile).
const CONFIG = /^TS(?:5\d{3}|6053|6059|6306|6307|6310|1800[23])$/;

export const tsc: Tool = {
  name: "tsc",
  kind: "type",
  category: "type_checking",
  answersTo: (command) => runs(command, ["tsc", "vue-tsc", "svelte-check", "tsgo", "tsc-files"]),
  /** One diagnostic a reported error; the indented lines under it only explain it and are left out. */
  read: (step) => {
    const seen = new Set<string>();
    return bareLines(step).flatMap((line) => {
      const diagnostic = readError(line);
      if (diagnostic === null) return [];
      // `tsc -b` and watch-like wrappers print the same error again.
      const key = JSON.stringify([diagnostic.location, diagnostic.rule, diagnostic.message]);
      if (seen.has(key)) return [];
      seen.add(key);
      return [diagnostic];
    });
  },
};

function readError({ number, text }: LogLine): Diagnostic | null {
  const located = PLAIN.exec(text) ?? PRETTY.exec(text);
  if (located) {
    const [, file = "", line, col, rule = "", message = ""] = located;
    return {
      message,
      rule,
      lines: [number],
      location: { file: repositoryPath(file) ?? file.trim(), line: Number(line), col: Number(col) },
      ...categoryOf(rule),
    };
  }
  const bare = BARE.exec(text);
  if (!bare) return null;
  const [, rule = "", message = ""] = bare;
  return { message, rule, lines: [number], location: null, ...categoryOf(rule) };
}

function categoryOf(rule: string): Pick<Diagnostic, "category"> {
  if (SYNTAX.test(rule)) return { category: "syntax_error" };
  if (CONFIG.test(rule)) return { category: "configuration_error" };
  return {};
}
