import type { z } from "zod";
import type { Repository } from "../state/nouns.ts";
import type { Simulation } from "../state/simulation.ts";
import { type Answer, invalid } from "./answers.ts";
import type { Caller, Needs } from "./caller.ts";

export interface Call {
  readonly simulation: Simulation;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly accept: string;
  /** Path and query without host, for links to other pages. */
  readonly url: URL;
}

export interface RepositoryCall extends Call {
  readonly repository: Repository;
}

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** One row of the API. `{name}` takes one path segment, `{+name}` the rest of them. */
export type Route =
  | {
      readonly method: Method;
      readonly path: string;
      readonly for: "app" | "installation" | "anyone";
      readonly handle: (call: Call) => Answer | Promise<Answer>;
    }
  | {
      readonly method: Method;
      /** Below `/repos/{owner}/{repo}`. */
      readonly path: string;
      readonly for: "repository" | "app-in-repository";
      readonly needs: Needs;
      readonly handle: (call: RepositoryCall) => Answer | Promise<Answer>;
    };

/** Reads a request's body. Throws GitHub's 422 naming the fields that are wrong. */
export function bodyOf<T>(schema: z.ZodType<T>, { body }: Pick<Call, "body">, resource: string): T {
  const read = schema.safeParse(body ?? {});
  if (read.success) return read.data;
  throw invalid(
    ...read.error.issues.map((issue) => ({
      resource,
      field: issue.path.join("."),
      code: issue.message.startsWith("too_long") ? "custom" : "invalid",
      message: issue.message.replace(/^too_long: /, ""),
    })),
  );
}

/** One page of a list, with GitHub's Link header when there are more. `wrap` puts it into its envelope. */
export function pageOf<T>(
  { query, url, simulation }: Call,
  items: readonly T[],
  wrap: (page: readonly T[], total: number) => unknown = (page) => page,
): Answer {
  const size = Math.min(Math.max(Number(query.get("per_page") ?? 30) || 30, 1), 100);
  const page = Math.max(Number(query.get("page") ?? 1) || 1, 1);
  const last = Math.max(Math.ceil(items.length / size), 1);
  const body = wrap(items.slice((page - 1) * size, page * size), items.length);
  const link = (to: number, rel: string): string => {
    const target = new URL(simulation.urls.api + url.pathname + url.search);
    target.searchParams.set("page", String(to));
    return `<${target.href}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [link(page - 1, "prev")] : []),
    ...(page < last ? [link(page + 1, "next"), link(last, "last")] : []),
    ...(page > 1 ? [link(1, "first")] : []),
  ];
  return { status: 200, body, headers: links.length > 0 ? { link: links.join(", ") } : {} };
}

/** The same for items that must first be presented, which happens for the page only. */
export async function pageOfShown<T>(
  call: Call,
  items: readonly T[],
  show: (item: T) => unknown,
  wrap?: (page: readonly unknown[], total: number) => unknown,
): Promise<Answer> {
  let onPage: readonly T[] = [];
  const answer = pageOf(call, items, (page) => {
    onPage = page;
    return page;
  });
  const shown = await Promise.all(onPage.map(show));
  return { ...answer, body: wrap === undefined ? shown : wrap(shown, items.length) };
}
