const SNIFF_BYTES = 8_192;
// Logs carry escapes, broken UTF-8 and now and then a NUL; random bytes hold one control character in ten.
const MAX_CONTROL_SHARE = 0.02;
const CONTROL = /[\u0000-\u0006\u000e-\u001a\u001c-\u001f]/g;
const MAGIC: readonly (readonly [string, string])[] = [
  ["\x89PNG", "a PNG image"],
  ["\xff\xd8\xff", "a JPEG image"],
  ["GIF8", "a GIF image"],
  ["%PDF-", "a PDF document"],
  ["\x1f\x8b", "a gzip file"],
  ["\x7fELF", "a program"],
  ["\xfd7zXZ", "an xz file"],
  ["7z\xbc\xaf", "a 7z archive"],
];

/** What a file is, judged by its first bytes, when it is not text; null for text. UTF-16 counts as not text. */
export function notText(head: Uint8Array): string | null {
  const bytes = Buffer.from(head.subarray(0, SNIFF_BYTES));
  const start = bytes.subarray(0, 8).toString("latin1");
  for (const [magic, kind] of MAGIC) if (start.startsWith(magic)) return kind;
  const controls = bytes.toString("latin1").match(CONTROL)?.length ?? 0;
  return controls > bytes.length * MAX_CONTROL_SHARE ? "binary data" : null;
}

/** Whether the first bytes are those of a zip archive, an empty one included. */
export function isZip(head: Uint8Array): boolean {
  const start = Buffer.from(head.subarray(0, 4)).toString("latin1");
  return start === "PK\x03\x04" || start === "PK\x05\x06";
}
