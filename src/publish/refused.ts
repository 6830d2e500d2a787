import { GitHubFailed } from "../ports/github.ts";

/** Whether the host says no for good with one of these statuses. A limit of requests also comes as 403, and passes. */
export function isRefused(error: unknown, statuses: readonly number[]): error is GitHubFailed {
  return error instanceof GitHubFailed && statuses.includes(error.status) && !/rate limit|abuse/i.test(error.message);
}
