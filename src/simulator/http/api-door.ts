import { ACTION_ROUTES } from "../routes/action-routes.ts";
import { APP_ROUTES } from "../routes/app-routes.ts";
import { CHECK_ROUTES } from "../routes/check-routes.ts";
import { CONTENT_ROUTES } from "../routes/content-routes.ts";
import { GIT_DATA_ROUTES } from "../routes/git-data-routes.ts";
import { answerGraphql } from "../routes/graphql.ts";
import { ISSUE_ROUTES } from "../routes/issue-routes.ts";
import { PULL_ROUTES } from "../routes/pull-routes.ts";
import { REVIEW_ROUTES } from "../routes/review-routes.ts";
import { repositoryNamed, type Simulation } from "../state/simulation.ts";
import { type Answer, found, notFound, Refusal } from "./answers.ts";
import { allow, callerOf } from "./caller.ts";
import type { Call, Route } from "./route.ts";

export interface ApiRequest {
  readonly method: string;
  /** Path below `/api/v3` and query. */
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly accept: string;
  readonly body: Buffer;
}

const ROUTES: readonly { readonly route: Route; readonly pattern: RegExp; readonly names: readonly string[] }[] = [
  ...APP_ROUTES,
  ...CONTENT_ROUTES,
  ...GIT_DATA_ROUTES,
  ...PULL_ROUTES,
  ...REVIEW_ROUTES,
  ...ISSUE_ROUTES,
  ...CHECK_ROUTES,
  ...ACTION_ROUTES,
]
  .map((route) => ({ route, ...patternOf(route) }))
  // `/commits/{+ref}` takes whatever is left: after all others.
  .sort((a, b) => Number(isGreedy(a.route)) - Number(isGreedy(b.route)));

/** Answers a request to the REST API. Refusals are answers too; only a bug of the simulator rejects. */
export async function answerApi(simulation: Simulation, request: ApiRequest): Promise<Answer> {
  try {
    return await dispatch(simulation, request);
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

/** Answers a request to the GraphQL API. Refusals are answers too. */
export async function answerGraphqlRequest(simulation: Simulation, request: ApiRequest): Promise<Answer> {
  try {
    return await answerGraphql(simulation, callerOf(simulation, request.authorization), jsonOf(request.body));
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    throw error;
  }
}

async function dispatch(
  simulation: Simulation,
  { method, url, authorization, accept, body }: ApiRequest,
): Promise<Answer> {
  const caller = callerOf(simulation, authorization);
  const matched = ROUTES.find(({ route, pattern }) => route.method === method && pattern.test(url.pathname));
  if (matched === undefined) throw notFound();
  const values = matched.pattern.exec(url.pathname)?.slice(1) ?? [];
  const params = Object.fromEntries(matched.names.map((name, at) => [name, decode(values[at] ?? "")]));
  const call: Call = { simulation, caller, params, query: url.searchParams, body: jsonOf(body), accept, url };
  const { route } = matched;

  if ("needs" in route) {
    const repository = found(repositoryNamed(simulation, `${params.owner}/${params.repo}`));
    if (route.for === "repository") allow(simulation, caller, repository, route.needs);
    else if (caller.kind !== "app") throw new Refusal(401, "A JSON web token could not be decoded");
    return route.handle({ ...call, repository });
  }
  if (route.for === "app" && caller.kind !== "app") throw new Refusal(401, "A JSON web token could not be decoded");
  if (route.for === "installation" && caller.kind !== "installation") {
    throw new Refusal(
      403,
      "You must authenticate with an installation access token in order to list repositories for an installation.",
    );
  }
  return route.handle(call);
}

function patternOf(route: Route): { pattern: RegExp; names: string[] } {
  const path = "needs" in route ? `/repos/{owner}/{repo}${route.path}` : route.path;
  const names = [...path.matchAll(/\{\+?(\w+)\}/g)].map((match) => match[1] ?? "");
  const source = path.replace(/\{\+\w+\}/g, "(.*)").replace(/\{\w+\}/g, "([^/]+)");
  return { pattern: new RegExp(`^${source}$`), names };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refusal(400, "Bad Request");
  }
}

function isGreedy({ path }: Route): boolean {
  return /\{\+\w+\}$/.test(path);
}

function jsonOf(body: Buffer): unknown {
  if (body.length === 0) return null;
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    throw new Refusal(400, "Problems parsing JSON");
  }
}
