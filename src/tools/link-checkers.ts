import type { LogLine } from "../domain/ci-run.ts";
import { bareLines } from "./bare-lines.ts";
import { repositoryPath } from "./repository-path.ts";
import { runs } from "./run-program.ts";
import type { Diagnostic, Tool } from "./tool.ts";

interface Row {
  readonly name: string;
  readonly programs: readonly string[];
  /** Words that only this checker prints; without them its format is not looked for. */
  readonly speaks: RegExp;
  /** The file whose links follow: group 1, and its line where it is told. */
  readonly file: RegExp;
  /** A broken link: group 1 the status, group 2 the address. */
  readonly link: RegExp;
  /** `file`, `line` and `link` in one line. */
  readonly whole?: RegExp;
}

// They differ in how they head a file and mark a link. An address that answers (2xx) is none of ours.
const ROWS: readonly Row[] = [
  {
    name: "lychee",
    programs: ["lychee"],
    speaks:
      /^(?:🔍|📝|Summary$)|Issues found in \d+ inputs?\.|^#{2,3} Errors (?:per input|in )|^\[\S.*\]:$|\d+ Total.*\d+ Errors?/,
    file: /^(?:\[(\S.*)\]:|#{2,3} Errors in (\S.*))$/,
    link: /^\s*(?:[*✗✖⧖?×] |🚫 |⌛ )?\s*\[(?!2\d\d)(\d{3}|ERROR|ERR|TIMEOUT|UNKNOWN|⧖|REDIRECT)\] <?\[?((?:https?|file|mailto):[^\s>|\]]+|\S+\.\w+\S*)/,
  },
  {
    name: "linkinator",
    programs: ["linkinator"],
    speaks: /^(?:ERROR: )?Detected \d+ broken links?\.|^→ crawling /,
    file: /^(?!ERROR|\[|→|🏊|🔎)(\S+)$/,
    link: /^ {2}\[(0|4\d\d|5\d\d)\] (\S+)/,
  },
  {
    name: "markdown-link-check",
    programs: ["markdown-link-check"],
    speaks: /^\s*ERROR: \d* ?dead links? found|^FILE: /,
    file: /^FILE: (\S.*)$/,
    link: /^\s*\[✖\]() (\S+)(?= → Status: \d+)/,
  },
  {
    name: "check-broken-urls",
    programs: ["markdown-checker"],
    speaks: /^File \S.*, line \d+, Link \S+ is broken/,
    file: /^(?!)/,
    link: /^(?!)/,
    whole: /^File (\S.{0,400}?), line (\d+), Link (\S+) is broken/,
  },
];

/** Programs that follow the links of documents, one diagnostic a link that leads nowhere. */
export const LINK_CHECKERS: readonly Tool[] = ROWS.map((row) => ({
  name: row.name,
  kind: "docs",
  category: "doc_docstring",
  answersTo: (command) => runs(command, row.programs),
  read: (step) => {
    const lines = bareLines(step);
    return lines.some(({ text }) => row.speaks.test(text)) ? readLinks(lines, row) : [];
  },
}));

function readLinks(lines: readonly LogLine[], row: Row): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  let file: string | null = null;
  for (const { number, text } of lines) {
    const [, in1, in2] = row.file.exec(text) ?? [];
    file = in1 ?? in2 ?? file;
    const [, place, line, address] = row.whole?.exec(text) ?? [];
    const [, status = "", link = address] = row.link.exec(text) ?? [];
    if (link === undefined) continue;
    const at = place ?? file;
    // Printed while it runs and once more under the file: the latter knows the place.
    const key = at === null ? link : `${at} ${line ?? ""} ${link}`;
    if (at !== null) found.delete(link);
    if (found.has(key) || (at === null && found.size > MAX_UNPLACED)) continue;
    found.set(key, {
      message: `broken link${status === "" ? "" : ` [${status}]`}: ${link}`,
      rule: null,
      lines: [number],
      location:
        at === null || /^https?:/.test(at)
          ? null
          : { file: repositoryPath(at) ?? at, line: line === undefined ? null : Number(line), col: null },
    });
  }
  return [...found.values()];
}

// More tell a person nothing, and each costs a place in the evidence.
const MAX_UNPLACED = 40;
