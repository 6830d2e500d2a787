import { createRequire } from "node:module";
import { parse, registerDynamicLanguage, type SgNode } from "@ast-grep/napi";

/** A function, class, type or test of a file. Lines are 1-based, both ends included. */
export interface Definition {
  readonly name: string;
  readonly kind: "function" | "type" | "value" | "test";
  readonly start: number;
  readonly end: number;
}

interface Language {
  readonly name: string;
  readonly extensions: readonly string[];
  /** The package that brings its grammar; null for what is built in. */
  readonly grammar: string | null;
  /** Kinds of nodes with a field `name`. */
  readonly kinds: Readonly<Record<string, Definition["kind"]>>;
}

const SCRIPT_KINDS: Language["kinds"] = {
  function_declaration: "function",
  generator_function_declaration: "function",
  method_definition: "function",
  class_declaration: "type",
  abstract_class_declaration: "type",
  interface_declaration: "type",
  type_alias_declaration: "type",
  enum_declaration: "type",
  variable_declarator: "value",
};
const PLAIN_SCRIPT_KINDS = Object.fromEntries(
  Object.entries(SCRIPT_KINDS).filter(([kind]) => !/abstract|interface|alias|enum/.test(kind)),
);

const LANGUAGES: readonly Language[] = [
  { name: "TypeScript", extensions: ["ts", "mts", "cts"], grammar: null, kinds: SCRIPT_KINDS },
  { name: "Tsx", extensions: ["tsx"], grammar: null, kinds: SCRIPT_KINDS },
  { name: "JavaScript", extensions: ["js", "mjs", "cjs", "jsx"], grammar: null, kinds: PLAIN_SCRIPT_KINDS },
  {
    name: "python",
    extensions: ["py", "pyi"],
    grammar: "@ast-grep/lang-python",
    kinds: { function_definition: "function", class_definition: "type" },
  },
  {
    name: "go",
    extensions: ["go"],
    grammar: "@ast-grep/lang-go",
    kinds: { function_declaration: "function", method_declaration: "function", type_spec: "type" },
  },
  {
    name: "rust",
    extensions: ["rs"],
    grammar: "@ast-grep/lang-rust",
    kinds: { function_item: "function", struct_item: "type", enum_item: "type", trait_item: "type" },
  },
  {
    name: "java",
    extensions: ["java"],
    grammar: "@ast-grep/lang-java",
    kinds: {
      method_declaration: "function",
      constructor_declaration: "function",
      class_declaration: "type",
      interface_declaration: "type",
    },
  },
  {
    name: "ruby",
    extensions: ["rb"],
    grammar: "@ast-grep/lang-ruby",
    kinds: { method: "function", class: "type", module: "type" },
  },
];

// Generated and minified files say nothing about how code hangs together, and cost seconds.
const MAX_CHARACTERS = 400_000;

/** Whether the definitions of a file of this name can be told. */
export function hasOutline(path: string): boolean {
  return languageOf(path) !== null;
}

/**
 * The syntax tree of a file, `ERROR` nodes where it does not parse; null for languages we do not read and for files too
 * large to be written by a person.
 */
export function syntaxTree(path: string, text: string): SgNode | null {
  const language = languageOf(path);
  if (language === null || text.length > MAX_CHARACTERS || !isReady(language)) return null;
  return parse(language.name, text).root();
}

/**
 * The definitions in a file, outer before inner; empty for languages we do not read and for files too large to be written
 * by a person. A file that does not parse gives what could be read.
 */
export function outline(path: string, text: string): readonly Definition[] {
  const language = languageOf(path);
  const root = syntaxTree(path, text);
  if (language === null || root === null) return [];
  const kinds = Object.keys(language.kinds);
  const found = root.findAll({ rule: { any: kinds.map((kind) => ({ kind })) } }).flatMap((node): Definition[] => {
    const name = node.field("name")?.text();
    const kind = language.kinds[String(node.kind())];
    const { start, end } = node.range();
    return name === undefined || kind === undefined ? [] : [{ name, kind, start: start.line + 1, end: end.line + 1 }];
  });
  return [...found, ...testsIn(language, root)].sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Calls that are tests in JavaScript: `it("adds", …)`. */
function testsIn(language: Language, root: SgNode): Definition[] {
  if (language.grammar !== null) return [];
  const rule = { kind: "call_expression", regex: "^(?:it|test|describe)(?:\\.\\w+)*\\(" };
  return root.findAll({ rule }).map((node) => {
    const { start, end } = node.range();
    const name = /^[\w.]+\(\s*(["'`])((?:\\.|(?!\1).)*)\1/.exec(node.text())?.[2] ?? "";
    return { name, kind: "test", start: start.line + 1, end: end.line + 1 };
  });
}

/** The innermost definition that holds a line. */
export function definitionAt(definitions: readonly Definition[], line: number): Definition | null {
  const around = definitions.filter(({ start, end }) => start <= line && line <= end);
  return around.reduce<Definition | null>(
    (best, one) => (best === null || one.end - one.start <= best.end - best.start ? one : best),
    null,
  );
}

function languageOf(path: string): Language | null {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? "";
  return LANGUAGES.find(({ extensions }) => extensions.includes(extension)) ?? null;
}

let registered: ReadonlySet<string> | null = null;

/** A grammar is a native library: where it was not built for this machine, its language has no outline. */
function isReady({ name, grammar }: Language): boolean {
  registered ??= registerGrammars();
  return grammar === null || registered.has(name);
}

/** All at once: the library takes languages only the first time. */
function registerGrammars(): ReadonlySet<string> {
  const load = createRequire(import.meta.url);
  const grammars: Parameters<typeof registerDynamicLanguage>[0] = {};
  for (const { name, grammar } of LANGUAGES) {
    if (grammar === null) continue;
    try {
      const registration = load(grammar);
      // A getter that throws when the library is not there.
      if (typeof registration.libraryPath === "string") grammars[name] = registration;
    } catch {}
  }
  registerDynamicLanguage(grammars);
  return new Set(Object.keys(grammars));
}
