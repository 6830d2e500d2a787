/** One field of a GraphQL selection, as far as mutations and simple queries need. */
export interface Field {
  readonly alias: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly fields: readonly Field[];
}

export interface Operation {
  readonly kind: "query" | "mutation";
  readonly fields: readonly Field[];
}

export class GraphqlSyntax extends Error {
  override readonly name = "GraphqlSyntax";
}

const TOKEN = /\s*(?:#[^\n]*\n\s*)*(\.\.\.|[{}()[\]:$!=|@,]|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|[A-Za-z_]\w*)/y;

/** Reads a document with one operation; no fragments and no directives. Throws GraphqlSyntax. */
export function parseGraphql(source: string, variables: Readonly<Record<string, unknown>>): Operation {
  const tokens = tokensOf(source);
  let at = 0;
  const peek = () => tokens[at] ?? "";
  const take = (expected?: string): string => {
    const token = tokens[at];
    if (token === undefined || (expected !== undefined && token !== expected)) {
      throw new GraphqlSyntax(`Parse error on ${JSON.stringify(token ?? "end of file")}`);
    }
    at += 1;
    return token;
  };
  const skipCommas = () => {
    while (peek() === ",") take();
  };

  const value = (): unknown => {
    const token = take();
    if (token === "$") return variables[take()];
    if (token.startsWith('"')) return JSON.parse(token);
    if (token === "true" || token === "false") return token === "true";
    if (token === "null") return null;
    if (/^-?\d/.test(token)) return Number(token);
    if (token === "{") return object("}");
    if (token === "[") {
      const items: unknown[] = [];
      for (skipCommas(); peek() !== "]"; skipCommas()) items.push(value());
      take("]");
      return items;
    }
    return token;
  };
  const object = (end: string): Record<string, unknown> => {
    const pairs: Record<string, unknown> = {};
    for (skipCommas(); peek() !== end; skipCommas()) {
      const key = take();
      take(":");
      pairs[key] = value();
    }
    take(end);
    return pairs;
  };
  const selection = (): Field[] => {
    const fields: Field[] = [];
    take("{");
    for (skipCommas(); peek() !== "}"; skipCommas()) fields.push(field());
    take("}");
    return fields;
  };
  const field = (): Field => {
    const first = take();
    if (!/^[A-Za-z_]/.test(first)) throw new GraphqlSyntax(`Parse error on ${JSON.stringify(first)}`);
    const hasAlias = peek() === ":";
    if (hasAlias) take(":");
    const name = hasAlias ? take() : first;
    const hasArguments = peek() === "(";
    if (hasArguments) take("(");
    const args = hasArguments ? object(")") : {};
    return { alias: first, name, args, fields: peek() === "{" ? selection() : [] };
  };

  const kind = peek() === "mutation" ? "mutation" : "query";
  while (peek() !== "{") {
    if (peek() === "(") while (peek() !== ")") take(); // the variables' types
    take();
  }
  return { kind, fields: selection() };
}

function tokensOf(source: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(source); match !== null; match = TOKEN.exec(source)) {
    tokens.push(match[1] ?? "");
    if (source.slice(TOKEN.lastIndex).trim() === "") return tokens;
  }
  throw new GraphqlSyntax("Parse error: the document ends too early or has a character GraphQL does not know");
}
