import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import { z } from "zod";

const FILE = path.join(import.meta.dirname, "../fixtures/github-openapi-subset.json");

const Content = z.object({ "application/json": z.object({ schema: z.unknown() }).optional() });
const Subset = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), z.object({ content: Content.optional() })) })),
  ),
  components: z.unknown(),
});

export interface Held {
  readonly operation: string;
  readonly status: number;
  /** null: as GitHub's document has it. */
  readonly mistake: string | null;
}

/** A `fetch` that holds every answer to GitHub's own description of the operation, and what it found so far. */
export function holdToOpenapi(base: string): { fetch: typeof fetch; held: Held[]; unknown: Set<string> } {
  const operations = readOperations();
  const held: Held[] = [];
  const unknown = new Set<string>();
  const heldFetch: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const url = new URL(String(input));
    if (!url.href.startsWith(base)) return answer;
    const below = url.pathname.slice(new URL(base).pathname.length);
    const method = init?.method ?? "GET";
    const operation = operations.find((one) => one.method === method && one.pattern.test(below));
    if (operation === undefined) {
      unknown.add(`${method} ${below.replace(/\d{4,}/g, "N")}`);
      return answer;
    }
    const validate = operation.answers.get(answer.status);
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") ?? false;
    const body: unknown = isJson ? await answer.clone().json() : null;
    const isRight = validate === undefined || !isJson || validate(body);
    const mistake = isRight ? null : `${validate?.errors?.[0]?.instancePath} ${validate?.errors?.[0]?.message}`;
    held.push({ operation: `${method} ${operation.path}`, status: answer.status, mistake });
    return answer;
  };
  return { fetch: heldFetch, held, unknown };
}

let shared: Ajv | null = null;

/** Whether a value is what GitHub's document calls by this name (`workflow-run`); null or the first mistake. */
export function mistakeIn(schema: string, value: unknown): string | null {
  shared ??= loadAjv();
  const validate = shared.getSchema(`github#/components/schemas/${schema}`);
  if (validate === undefined) throw new Error(`GitHub's document has no ${schema}`);
  if (validate(value)) return null;
  return `${validate.errors?.[0]?.instancePath} ${validate.errors?.[0]?.message}`;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly pattern: RegExp;
  readonly answers: ReadonlyMap<number, ValidateFunction>;
}

function readOperations(): Operation[] {
  const { paths } = readSubset();
  const ajv = loadAjv();
  const all = Object.entries(paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, { responses }]) => ({
      method: method.toUpperCase(),
      path: route,
      pattern: new RegExp(`^${route.replace(/\{(path|ref|branch|basehead)\}/g, "(.*)").replace(/\{\w+\}/g, "[^/]+")}$`),
      answers: new Map(
        Object.entries(responses).flatMap(([status, { content }]) => {
          const schema = content?.["application/json"]?.schema;
          return schema === undefined ? [] : [[Number(status), ajv.compile(withGithubRefs(schema))]];
        }),
      ),
    })),
  );
  // `/commits/{ref}` would take `/commits/main/check-runs` too.
  return all.sort((a, b) => Number(/(path|ref|branch)}$/.test(a.path)) - Number(/(path|ref|branch)}$/.test(b.path)));
}

function loadAjv(): Ajv {
  const ajv = new Ajv({ strict: false, allErrors: false });
  addFormats.default(ajv);
  // GitHub's own bots have addresses with brackets, which are no e-mail addresses to a strict reader.
  for (const format of ["repo.nwo", "timestamp", "email"]) ajv.addFormat(format, true);
  ajv.addSchema({ $id: "github", components: nullableAsType(readSubset().components) }, "github");
  return ajv;
}

function readSubset(): z.infer<typeof Subset> {
  const text: unknown = JSON.parse(readFileSync(FILE, "utf8"));
  return Subset.parse(text);
}

/** OpenAPI 3.0's `nullable` in the words of JSON Schema. */
function nullableAsType(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(nullableAsType);
  if (typeof schema !== "object" || schema === null) return schema;
  const plain = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, nullableAsType(value)]));
  if (plain.nullable !== true) return plain;
  if (typeof plain.type !== "string") return { anyOf: [{ type: "null" }, { ...plain, nullable: undefined }] };
  const values = Array.isArray(plain.enum) ? { enum: [...plain.enum, null] } : {};
  return { ...plain, nullable: undefined, type: [plain.type, "null"], ...values };
}

function withGithubRefs(schema: unknown): object {
  const text = JSON.stringify(nullableAsType(schema)).replaceAll('"#/components/', '"github#/components/');
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}
