import type { History } from "../../ports/history.ts";
import { type Definition, definitionAt, outline } from "../../text/code-outline.ts";
import type { DeltaHunk } from "./split-delta.ts";

/** One file at one commit. */
export interface CodeFile {
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  readonly definitions: readonly Definition[];
  /** What it imports, as written. */
  readonly imports: readonly string[];
}

/** The changed files on both sides, and the files that failures point to on the old one. */
export interface CodeView {
  before(path: string): CodeFile | null;
  after(path: string): CodeFile | null;
  /** Whether one of these files has it in its path or its text. */
  holds(text: string): boolean;
}

// More changed files than a person reviews are a vendored tree or a mass edit: their hunks still have their lines.
const MOST_FILES = 400;
const MOST_CHARACTERS = 400_000;

/** Reads what attribution looks at. `pointedTo`: other files of the failing commit. */
export async function loadCode(
  history: Pick<History, "read">,
  failSha: string,
  passSha: string,
  delta: readonly DeltaHunk[],
  pointedTo: readonly string[],
): Promise<CodeView> {
  const changed = [...new Set(delta.map(({ file }) => file))].slice(0, MOST_FILES);
  const oldPaths = new Set([...changed.flatMap((file) => file.oldPath ?? []), ...pointedTo]);
  const newPaths = new Set(changed.flatMap((file) => file.newPath ?? []));
  const old = await readAll(history, failSha, oldPaths);
  const young = await readAll(history, passSha, newPaths);
  const files = [...old.values(), ...young.values()];
  return {
    before: (path) => old.get(path) ?? null,
    after: (path) => young.get(path) ?? null,
    holds: (text) => files.some((file) => file.path.includes(text) || file.text.includes(text)),
  };
}

async function readAll(
  history: Pick<History, "read">,
  commit: string,
  paths: Iterable<string>,
): Promise<ReadonlyMap<string, CodeFile>> {
  const files = new Map<string, CodeFile>();
  for (const path of paths) {
    const text = await history.read(commit, path);
    if (text !== null && text.length <= MOST_CHARACTERS) files.set(path, codeFile(path, text));
  }
  return files;
}

/** A file as attribution sees it. */
export function codeFile(path: string, text: string): CodeFile {
  return { path, text, lines: text.split("\n"), definitions: outline(path, text), imports: importsIn(text) };
}

const IMPORTS = [
  /\bfrom\s*["']([^"'\n]+)["']/g,
  /\b(?:import|require)\s*\(?\s*["']([^"'\n]+)["']/g,
  /^\s*from\s+([\w.]+)\s+import\b/gm,
  /^\s*import\s+([\w.]+)/gm,
  /^\s*use\s+([\w:]+)/gm,
];

function importsIn(text: string): string[] {
  return [...new Set(IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => match[1] ?? "")))];
}

/** Whether an import written in one file names the other one. */
export function importsFile(importer: CodeFile, path: string): boolean {
  const stem = path.replace(/(?:\/(?:index|__init__|mod))?\.\w+$/, "");
  return importer.imports.some((specifier) => {
    if (specifier.startsWith(".") && specifier.includes("/")) return resolveRelative(importer.path, specifier) === stem;
    // `.mod`, `pkg.mod`, `crate::mod`, `@/mod`, `example.org/pkg/mod`: the end of the path tells.
    const parts = specifier.replace(/\.\w{1,4}$/, (end) => (/\.(?:js|ts|mjs|cjs|jsx|tsx|py)$/.test(end) ? "" : end));
    const tail = parts
      .split(/[./:@~]+/)
      .filter((part) => part !== "" && part !== "crate" && part !== "super")
      .join("/");
    return tail !== "" && (stem === tail || stem.endsWith(`/${tail}`));
  });
}

function resolveRelative(from: string, specifier: string): string {
  const parts = from.split("/").slice(0, -1);
  for (const part of specifier.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  }
  return parts
    .join("/")
    .replace(/(?:\/index)?\.(?:[cm]?[jt]sx?)$/, "")
    .replace(/\/index$/, "");
}

/** The definitions a piece of the patch lies in, innermost first: of the old side, then of the new one. */
export function definitionsOf({ ref, file }: DeltaHunk, code: CodeView): readonly Definition[] {
  const found: Definition[] = [];
  const sides = [
    { view: file.oldPath === null ? null : code.before(file.oldPath), range: ref.oldRange },
    { view: file.newPath === null ? null : code.after(file.newPath), range: ref.newRange },
  ];
  for (const { view, range } of sides) {
    if (view === null || range === null) continue;
    for (const line of new Set([range.start, range.end])) {
      const around = view.definitions.filter(({ start, end }) => start <= line && line <= end);
      found.push(...around.toSorted((a, b) => a.end - a.start - (b.end - b.start)));
    }
  }
  return found.filter((one, index) => found.findIndex(({ name }) => name === one.name) === index);
}

/** The text of the innermost definition around a line; null when there is none. */
export function bodyAt(
  file: CodeFile,
  line: number,
): { readonly definition: Definition; readonly text: string } | null {
  const definition = definitionAt(file.definitions, line);
  if (definition === null) return null;
  return { definition, text: file.lines.slice(definition.start - 1, definition.end).join("\n") };
}
