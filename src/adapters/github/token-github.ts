import { Octokit } from "@octokit/rest";
import type { GitHub } from "../../ports/github.ts";
import { octokitGitHub } from "./octokit-github.ts";

/** GitHub as a person's token sees it: for the command line. `apiUrl` is the REST address, e.g. `https://api.github.com`. */
export function tokenGitHub(token: string, apiUrl: string): GitHub {
  // Warnings of the client name addresses and headers; what matters reaches people through GitHubFailed.
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
  const octokit = new Octokit({ auth: token, baseUrl: apiUrl, log: silent, userAgent: "retrace" });
  octokit.hook.before("request", (options) => {
    options.headers["x-github-api-version"] = GITHUB_API_VERSION;
  });
  return octokitGitHub({
    octokit,
    botLogin: async () => null,
    gitAuthorization: async () => basicAuthorization(token),
  });
}

/** The version our field names are of; GitHub keeps it for at least two years after 2026-03-12. */
export const GITHUB_API_VERSION = "2022-11-28";

/** What git sends for an installation token or a personal one (GitHub's documentation on git over HTTPS). */
export function basicAuthorization(token: string): string {
  return `Basic ${Buffer.from(`x-access-token:${token}`, "utf8").toString("base64")}`;
}
