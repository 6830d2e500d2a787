import type { LogLine } from "../domain/ci-run.ts";
import { relativePath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

interface Form {
  readonly says: RegExp;
  /** The symbol or library is missing: what was declared is not there (type), or a package is not (dependency). */
  readonly category: NonNullable<Diagnostic["category"]>;
}

const LD = String.raw`^(?:\S*[\\/])?(?:[\w.]+-)*(?:ld(?:64)?(?:\.\w+)?|lld(?:-link)?|mold|collect2)(?:\.exe)?: `;

// GNU ld, gold, lld, mold, Apple's ld and MSVC's link. Named groups: message, file, line.
const FORMS: readonly Form[] = [
  {
    says: /^(?:\S{0,200}ld(?:\.\w+)?: )?(?:\S{1,300}: in function .{1,300}?: )?(?:(?<file>[^\s:()]+):(?<line>\d+): )?(?:\S+:\(\.?[\w.+]+\): )?(?<message>(?:undefined reference to|multiple definition of) .+)$/,
    category: "type_checking",
  },
  {
    says: new RegExp(`${LD}(?:error: )?(?<message>undefined symbol: .+|duplicate symbol: .+)$`),
    category: "type_checking",
  },
  {
    says: new RegExp(
      `${LD}(?:error: |fatal: )?(?<message>cannot find -l.+|unable to find library .+|library '?\\S+ not found.*|library not found for .+|framework not found .+)$`,
    ),
    category: "dependency_issue",
  },
  {
    says: new RegExp(`${LD}(?<message>cannot find \\S+: No such file or directory)$`),
    category: "configuration_error",
  },
  {
    says: /^(?<message>Undefined symbols for architecture \w+:|duplicate symbol .+ in:)$/,
    category: "type_checking",
  },
  {
    says: /^\s*(?:\d+>\s*)?\S+ : (?:fatal )?error (?<rule>LNK(?:2\d{3})): (?<message>.+?)(?: \[[^\]]*proj\])?$/,
    category: "type_checking",
  },
  {
    says: /^\s*(?:\d+>\s*)?\S+ : (?:fatal )?error (?<rule>LNK(?:1104|1181)): (?<message>.+?)(?: \[[^\]]*proj\])?$/,
    category: "dependency_issue",
  },
];

const REFERENCED = /^\s+"?.+, referenced from:$|^>>> referenced by /;

/** What linkers could not put together. The count at the end (`ld returned 1`) says nothing of its own. */
export function linkErrors(lines: readonly LogLine[]): readonly Diagnostic[] {
  return lines.flatMap((line, at): Diagnostic[] => {
    const text = line.text;
    // Most lines name no linker's word; the patterns are for the few that do.
    if (!/undefined|multiple def|duplicate symbol|cannot find|not found|unable to find|LNK\d/i.test(text)) return [];
    for (const { says, category } of FORMS) {
      const groups = says.exec(text)?.groups;
      if (groups === undefined) continue;
      const next = lines[at + 1];
      const named = next !== undefined && REFERENCED.test(next.text) ? [next] : [];
      const file = groups.file === undefined ? null : relativePath(groups.file);
      const symbol = /^\s+"(.+)", referenced from:$/.exec(named[0]?.text ?? "")?.[1];
      return [
        {
          message: symbol === undefined ? (groups.message ?? "") : `${groups.message} ${symbol}`,
          rule: groups.rule ?? null,
          lines: [line, ...named].map(({ number }) => number),
          location: file === null ? null : { file, line: Number(groups.line), col: null },
          category,
        },
      ];
    }
    return [];
  });
}
