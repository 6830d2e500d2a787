import { data, Evaluator, Lexer, Parser } from "@actions/expressions";

/** The contexts of an expression by name: `github`, `env`, `matrix`, … as plain JSON. */
export type Contexts = Readonly<Record<string, unknown>>;

/** What `success()`, `failure()` and `cancelled()` look at. */
export interface Standing {
  readonly success: boolean;
  readonly failure: boolean;
  readonly cancelled: boolean;
}

const FINE: Standing = { success: true, failure: false, cancelled: false };
const STATUS_FUNCTION = /\b(success|failure|cancelled|always)\s*\(/;

/** Replaces every `${{ … }}`. Throws what @actions/expressions throws on a bad expression. */
export function interpolate(text: string, contexts: Contexts): string {
  return text.replace(/\$\{\{([\s\S]*?)\}\}/g, (_, source: string) => evaluate(source, contexts, FINE).coerceString());
}

/** A whole value that is one expression keeps its type (`fromJSON(…)` for a matrix); as plain JSON. */
export function evaluateValue(text: string, contexts: Contexts): unknown {
  const source = /^\s*\$\{\{([\s\S]*)\}\}\s*$/.exec(text)?.[1];
  if (source === undefined) return text;
  return JSON.parse(JSON.stringify(evaluate(source, contexts, FINE), data.replacer));
}

/** An `if:`. Without a status function it holds only while all went well, as GitHub has it. */
export function isMet(condition: string | boolean | undefined, contexts: Contexts, standing: Standing): boolean {
  if (condition === undefined) return standing.success;
  const source = /^\s*\$\{\{([\s\S]*)\}\}\s*$/.exec(String(condition))?.[1] ?? String(condition);
  if (!STATUS_FUNCTION.test(source) && !standing.success) return false;
  return isTrue(evaluate(source, contexts, standing));
}

function evaluate(source: string, contexts: Contexts, standing: Standing): data.ExpressionData {
  const functions = statusFunctions(standing);
  const tokens = new Lexer(source).lex().tokens;
  const expression = new Parser(tokens, Object.keys(contexts), functions).parse();
  const named = new Map(functions.map((definition) => [definition.name.toLowerCase(), definition]));
  return new Evaluator(expression, dictionaryOf(contexts), named).evaluate();
}

function dictionaryOf(contexts: Contexts): data.Dictionary {
  const pairs = Object.entries(contexts).map(([key, value]) => ({
    key,
    value: JSON.parse(JSON.stringify(value), data.reviver) as data.ExpressionData,
  }));
  return new data.Dictionary(...pairs);
}

function statusFunctions({ success, failure, cancelled }: Standing) {
  const answers = { success: success && !cancelled, failure, cancelled, always: true };
  const plain = Object.entries(answers).map(([name, answer]) => ({
    name,
    minArgs: 0,
    maxArgs: 0,
    call: (): data.ExpressionData => new data.BooleanData(answer),
  }));
  // Only ever the key of a cache here, and nothing is cached.
  const hashFiles = { name: "hashFiles", minArgs: 1, maxArgs: 255, call: () => new data.StringData("") };
  return [...plain, hashFiles];
}

function isTrue(value: data.ExpressionData): boolean {
  if (value instanceof data.BooleanData) return value.value;
  if (value instanceof data.NumberData) return value.value !== 0 && !Number.isNaN(value.value);
  return value.coerceString() !== "";
}
