import type { FailureClass } from "../domain/category.ts";
import type { LogLine } from "../domain/ci-run.ts";
import type { Location } from "../domain/evidence.ts";
import { relativePath } from "./repository-path.ts";
import type { Diagnostic } from "./tool.ts";

interface Saying {
  readonly says: RegExp;
  readonly category: FailureClass;
  /** The file at fault when the line names none. */
  readonly file: "go.mod" | "go.sum" | null;
  /** Lines below that say more, as far as they follow without a stranger in between. */
  readonly more?: RegExp;
}

// In the words of cmd/go (internal/modload, modfetch, load); the first that fits decides.
const SAYINGS: readonly Saying[] = [
  {
    says: /verifying \S+?(?:\/go\.mod)?: checksum mismatch/,
    category: "dependency_issue",
    file: "go.sum",
    more: /^\s+(?:downloaded|go\.sum|GOSUMDB|sum\.golang\.org|server response): *\S|^SECURITY ERROR|^This download does NOT match/,
  },
  { says: /missing go\.sum entry/, category: "dependency_issue", file: "go.sum", more: /^\s+go (?:get|mod) \S/ },
  {
    says: /^(?:go: )?(?:\S+ )?.*requires go >= ?[\d.]+.*(?:\(running go|GOTOOLCHAIN)|^go: (?:download|cannot download) go[\d.]+ .*toolchain not available|^go: (?:invalid|unknown) toolchain/,
    category: "environment_error",
    file: "go.mod",
  },
  {
    says: /^\S+: cannot compile Go [\d.]+ code$|^note: module requires Go [\d.]+$/,
    category: "environment_error",
    file: "go.mod",
  },
  {
    says: /^go: errors parsing go\.(?:mod|work|sum):$/,
    category: "configuration_error",
    file: "go.mod",
    more: /^\S*go\.(?:mod|work|sum):\d+: \S/,
  },
  {
    says: /^(?:go: )?(?:updates to go\.(?:mod|sum|work) needed|existing contents have changed since last download)/,
    category: "dependency_issue",
    file: "go.mod",
    more: /^\s+go (?:get|mod) \S/,
  },
  {
    says: /^(?:go: )?inconsistent vendoring(?: in \S+)?:?$/,
    category: "dependency_issue",
    file: "go.mod",
    more: /^\s+\S+@\S+: is (?:explicitly|marked|replaced|not) |^\s+\S+: is (?:explicitly|marked|replaced) /,
  },
  { says: /: dir has been modified\b/, category: "dependency_issue", file: null },
  {
    says: /no required module provides package|cannot find module providing package|module \S+ found(?: \(\S+\))?, but does not contain package|ambiguous import: found package/,
    category: "dependency_issue",
    file: "go.mod",
    more: /^\s+go (?:get|mod) \S/,
  },
  { says: /package \S+ is not in (?:GOROOT|std)\b/, category: "dependency_issue", file: null },
  {
    says: /^go: (?!downloading|finding|extracting|found|added|upgraded|downgraded|removed|creating|to add|warning)\S+@\S+.*: (?:reading|invalid version|unrecognized import|module lookup disabled|parsing go\.mod|git ls-remote|Get ")/,
    category: "dependency_issue",
    file: "go.mod",
    more: /^\s+(?:server response: |fatal: |module declares|but was required|\S.*: \S)/,
  },
  { says: /^go: (?:cannot find main module|go\.mod file not found)/, category: "configuration_error", file: null },
  { says: /^go: (?:cannot load module|module \S+ listed in go\.work)/, category: "configuration_error", file: null },
];

const PLACED = /^(\S+?\.go|\S*go\.(?:mod|sum|work)):(\d+)(?::(\d+))?: /;
// A reason of cmd/go is never longer; what follows is advice.
const MAX_MORE = 12;

/** What cmd/go says of modules: checksums, missing entries, versions and toolchains that do not fit. Each saying once. */
export function readGoModules(lines: readonly LogLine[]): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const [at, line] of lines.entries()) {
    const saying = SAYINGS.find(({ says }) => says.test(line.text));
    if (saying === undefined || found.has(line.text)) continue;
    const more = moreBelow(lines, at, saying);
    const file = saying.file === null ? null : { file: saying.file, line: null, col: null };
    // Whoever imports a module is not to blame that go.sum does not know it.
    const place = saying.file === "go.sum" ? null : placeAmong([line, ...more]);
    found.set(line.text, {
      message: [
        line.text
          .trim()
          .replace(PLACED, "")
          .replace(/^(?:go|note): /, ""),
        ...detail(saying, more),
      ].join(" "),
      lines: [line.number, ...more.map(({ number }) => number)],
      location: place ?? file,
      category: saying.category,
    });
  }
  return [...found.values()];
}

/** Of the errors in go.mod only the lines below say what they are. */
function detail({ says }: Saying, more: readonly LogLine[]): readonly string[] {
  return says.source.includes("errors parsing") ? more.slice(0, 1).map(({ text }) => text.trim()) : [];
}

function moreBelow(lines: readonly LogLine[], at: number, { more }: Saying): readonly LogLine[] {
  if (more === undefined) return [];
  const below: LogLine[] = [];
  for (const line of lines.slice(at + 1, at + 1 + MAX_MORE)) {
    if (more.test(line.text)) below.push(line);
    else if (line.text.trim() !== "") break;
  }
  return below;
}

function placeAmong(lines: readonly LogLine[]): Location | null {
  return lines.map(({ text }) => placeIn(text)).find((one) => one !== null) ?? null;
}

function placeIn(text: string): Location | null {
  const [, path, line, col] = PLACED.exec(text.trim()) ?? [];
  const file = path === undefined ? null : relativePath(path);
  if (file === null) return null;
  return { file, line: Number(line), col: col === undefined ? null : Number(col) };
}
