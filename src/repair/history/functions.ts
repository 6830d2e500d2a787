import { type Definition, hasOutline, outline } from "../../text/code-outline.ts";

/** A function of a file, with the type that holds it. Lines are 1-based, both ends included. */
export interface FunctionPlace {
  readonly name: string;
  /** Null outside of any type. */
  readonly owner: string | null;
  readonly start: number;
  readonly end: number;
}

/**
 * The functions of a file in order: by the syntax tree where there is a grammar, by indentation elsewhere. A value that
 * spans lines counts (an arrow function, an object of handlers), as does a test.
 */
export function functionsOf(path: string, text: string): readonly FunctionPlace[] {
  if (!hasOutline(path)) return byIndentation(text);
  const definitions = outline(path, text);
  return definitions
    .filter((one) => one.name !== "" && isFunction(one))
    .map(({ name, start, end }) => ({ name, start, end, owner: ownerOf(definitions, start, end) }));
}

function isFunction({ kind, start, end }: Definition): boolean {
  return kind === "function" || kind === "test" || (kind === "value" && end > start);
}

function ownerOf(definitions: readonly Definition[], start: number, end: number): string | null {
  const around = definitions.filter((one) => one.kind === "type" && one.start <= start && one.end >= end);
  return around.at(-1)?.name ?? null;
}

/** The innermost function that holds a line; null outside of any. */
export function functionAt(functions: readonly FunctionPlace[], line: number): FunctionPlace | null {
  const around = functions.filter(({ start, end }) => start <= line && line <= end);
  return around.reduce<FunctionPlace | null>(
    (best, one) => (best === null || one.end - one.start < best.end - best.start ? one : best),
    null,
  );
}

/** The same function in another version of its file: by name and owner, never by line (papers §2.4). */
export function sameFunction(functions: readonly FunctionPlace[], wanted: FunctionPlace): FunctionPlace | null {
  const named = functions.filter(({ name }) => name === wanted.name);
  return named.find(({ owner }) => owner === wanted.owner) ?? named[0] ?? null;
}

/** Its lines as they stand. */
export function textOf(text: string, { start, end }: Pick<FunctionPlace, "start" | "end">): string {
  return text
    .split("\n")
    .slice(start - 1, end)
    .join("\n");
}

// `fun f(`, `public function f(`, `sub f {`, `defp f(x) do`, and `static int f(…) {` as C and its children write it.
const KEYWORD = /^\s*(?:[\w@]+\s+)*(?:func|fun|function|fn|sub|proc|defp?|defmacro)\s+([\w.:?!]+)/;
const TYPED = /^\s*(?:[\w:<>[\],.*&~?]+\s+)+[*&]*([\w:~]+)\s*\([^;]*$/;
const SHELL = /^\s*([\w-]+)\s*\(\)\s*\{?\s*$/;
const NO_FUNCTION = /^\s*(?:if|else|for|foreach|while|switch|case|return|catch|do|new|throw|await|using|elif|until)\b/;

function byIndentation(text: string): readonly FunctionPlace[] {
  const lines = text.split("\n");
  const found: FunctionPlace[] = [];
  lines.forEach((line, at) => {
    if (NO_FUNCTION.test(line) || line.length > 500) return;
    const name = (KEYWORD.exec(line) ?? SHELL.exec(line) ?? TYPED.exec(line))?.[1];
    if (name !== undefined) found.push({ name, owner: null, start: at + 1, end: endOfBlock(lines, at) + 1 });
  });
  return found.filter(({ start, end }) => end > start);
}

/** The last line that belongs to a head: deeper lines, and what closes them at the head's own depth. */
function endOfBlock(lines: readonly string[], head: number): number {
  const depth = indentOf(lines[head] ?? "");
  let end = head;
  for (let at = head + 1; at < lines.length; at++) {
    const line = lines[at] ?? "";
    if (line.trim() === "") continue;
    if (indentOf(line) > depth || /^\s*[{)]/.test(line)) end = at;
    else return /^\s*(?:\}|end\b|fi\b|done\b)/.test(line) ? at : end;
  }
  return end;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
