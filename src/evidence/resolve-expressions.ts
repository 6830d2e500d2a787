import { data, Evaluator, Lexer, Parser } from "@actions/expressions";

/** Contexts whose values are known; a context that is missing here, or a key missing in one, is not. */
export type Contexts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export interface Resolved {
  readonly text: string;
  /** Expressions that stayed, without their braces. */
  readonly unresolved: readonly string[];
}

const EXPRESSION = /\$\{\{([\s\S]*?)\}\}/g;
const REFERENCE = /\b([a-z_]\w*)(?:\.([\w-]+)|\['([^']+)'\])/gi;
const ALL_CONTEXTS = [
  "github",
  "env",
  "vars",
  "job",
  "jobs",
  "steps",
  "runner",
  "secrets",
  "strategy",
  "matrix",
  "needs",
  "inputs",
];
// What these answer depends on the run, not on values we could know.
const RUN_STATE = /\b(?:hashFiles|success|failure|always|cancelled)\s*\(/i;

/** Replaces every `${{ … }}` whose references are all known, by GitHub's own rules of evaluation. Never throws. */
export function resolveText(text: string, contexts: Contexts): Resolved {
  const unresolved: string[] = [];
  const resolved = text.replace(EXPRESSION, (whole, source: string) => {
    const value = evaluate(source.trim(), contexts);
    if (value !== null) return value;
    unresolved.push(source.trim());
    return whole;
  });
  return { text: resolved, unresolved };
}

/** Names of the secrets an expression or a text with expressions asks for. */
export function secretsIn(text: string): readonly string[] {
  const named = [...text.matchAll(EXPRESSION)].flatMap(([, source = ""]) =>
    [...source.matchAll(/\bsecrets(?:\.([\w-]+)|\['([^']+)'\])/gi)].map((match) => match[1] ?? match[2] ?? ""),
  );
  return [...new Set(named)];
}

function evaluate(source: string, contexts: Contexts): string | null {
  if (RUN_STATE.test(source) || !isKnown(source, contexts)) return null;
  try {
    const { tokens } = new Lexer(source).lex();
    const tree = new Parser(tokens, ALL_CONTEXTS, []).parse();
    return new Evaluator(tree, toData(contexts) as data.Dictionary).evaluate().coerceString();
  } catch {
    return null;
  }
}

function isKnown(source: string, contexts: Contexts): boolean {
  const bare = source.replace(/'(?:[^']|'')*'(?!\])/g, "''");
  const named = [...bare.matchAll(/\b(\w+)\b(?!\s*\()/g)].map((match) => match[1] ?? "");
  const whole = named.filter((name) => ALL_CONTEXTS.includes(name) && !(name in contexts));
  const references = [...bare.matchAll(REFERENCE)].filter((match) => ALL_CONTEXTS.includes(match[1] ?? ""));
  const missing = references.some(([, context = "", dotted, quoted]) => {
    const values = contexts[context];
    return values !== undefined && !((dotted ?? quoted ?? "") in values);
  });
  return (
    whole.filter((name) => references.some((match) => match[1] === name) || bare.trim() === name).length === 0 &&
    !missing
  );
}

function toData(value: unknown): data.ExpressionData {
  if (typeof value === "string") return new data.StringData(value);
  if (typeof value === "number") return new data.NumberData(value);
  if (typeof value === "boolean") return new data.BooleanData(value);
  if (Array.isArray(value)) return new data.Array(...value.map(toData));
  if (typeof value === "object" && value !== null) {
    return new data.Dictionary(...Object.entries(value).map(([key, inner]) => ({ key, value: toData(inner) })));
  }
  return new data.Null();
}
