/**
 * Names in git are bytes. Here a name is a "latin1" string, one character for each byte, until it is shown: nothing is
 * lost on the way back to git.
 */
export type BytePath = string;

/** The names in a NUL-separated list. */
export function splitPaths(list: Buffer): BytePath[] {
  return list
    .toString("latin1")
    .split("\0")
    .filter((name) => name !== "");
}

/** A NUL-separated list for git's standard input. */
export function joinPaths(paths: readonly BytePath[]): Buffer {
  return Buffer.from(paths.map((name) => `${name}\0`).join(""), "latin1");
}

/** The bytes, for the file system. */
export function pathBytes(path: BytePath): Buffer {
  return Buffer.from(path, "latin1");
}

/** The name as text: UTF-8 where it is, else quoted as git quotes it, so that two names never look the same. */
export function showPath(path: BytePath): string {
  return decodeText(pathBytes(path)) ?? `"${path.replace(/["\\]|[^ -~]/g, escapeByte)}"`;
}

function escapeByte(char: string): string {
  if (char === '"' || char === "\\") return `\\${char}`;
  return `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The bytes as text, a byte order mark included; null when they are no valid UTF-8. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
