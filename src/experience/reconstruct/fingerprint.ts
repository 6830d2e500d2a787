import { createHash } from "node:crypto";
import type { HunkLine } from "../../text/diff.ts";

/** Of changed lines, with white space, literals and identifiers bucketed (papers §13.4): equal for the same edit elsewhere. 16 hex digits. */
export function fingerprintOf(lines: readonly Pick<HunkLine, "kind" | "text">[]): string {
  const hash = createHash("sha256");
  for (const { kind, text } of lines) if (kind !== "context") hash.update(`${kind}\u0000${bucketed(text)}\u0000`);
  return hash.digest("hex").slice(0, 16);
}

function bucketed(text: string): string {
  return text
    .replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g, "S")
    .replace(/\b\d[\w.]*/g, "0")
    .replace(/[A-Za-z_$][\w$]*/g, "i")
    .replace(/\s+/g, "");
}
