import { createHash } from "node:crypto";

/**
 * What makes two failures the same failure (papers §8.6): tool, rule, normalized message, and the symbol, test or file
 * it is about. Line numbers, times, hashes, addresses and temporary paths do not count.
 * Returns 16 hex digits.
 */
export function failureSignature(failure: {
  readonly tool: string | null;
  readonly rule: string | null;
  readonly message: string;
  readonly subject: string | null;
}): string {
  const parts = [failure.tool ?? "", failure.rule ?? "", normalizeMessage(failure.message), failure.subject ?? ""];
  return createHash("sha256").update(parts.join("\u0000")).digest("hex").slice(0, 16);
}

/** Lower case, one space between words, everything that changes from run to run masked. */
export function normalizeMessage(message: string): string {
  return message
    .toLowerCase()
    .replace(/\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d[^\s]*/g, "<time>")
    .replace(/0x[0-9a-f]+/g, "<address>")
    .replace(/\b[0-9a-f]{7,64}\b/g, (hex) => (/\d/.test(hex) && /[a-f]/.test(hex) ? "<hash>" : hex))
    .replace(/(?:\/tmp|\/var\/folders|\/home\/runner\/work\/[^/\s]+\/[^/\s]+)\/?/g, "")
    .replace(/\b\d+(?:\.\d+)?\s*(?:ms|s|sec|seconds|m|min)\b/g, "<duration>")
    .replace(/:\d+(?::\d+)?(?=\b|$)/g, ":<line>")
    .replace(/\s+/g, " ")
    .trim();
}
