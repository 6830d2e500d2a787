import type { Logger } from "pino";
import { Probot, ProbotOctokit } from "probot";
import { type GitHub, type GitHubApp, GitHubFailed } from "../../ports/github.ts";
import { octokitGitHub } from "./octokit-github.ts";
import { basicAuthorization, GITHUB_API_VERSION } from "./token-github.ts";

export interface ProbotGitHubOptions {
  readonly appId: string;
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** REST address of the host. */
  readonly apiUrl: string;
  readonly throttle: boolean;
  readonly log: Logger;
}

export interface ProbotGitHub {
  readonly app: GitHubApp;
  readonly probot: Probot;
  /** Our own login, null while GitHub cannot be asked. */
  readonly botLogin: () => Promise<string | null>;
}

/** GitHub as our App sees it: Probot holds the app's key and makes the installations' clients. */
export function probotGitHub(options: ProbotGitHubOptions): ProbotGitHub {
  // The function form: Probot silently overrides the object form (platform facts §0.3).
  const Paced = options.throttle
    ? ProbotOctokit
    : ProbotOctokit.defaults((given: object) => ({
        ...given,
        throttle: { enabled: false },
        retry: { enabled: false },
      }));
  const probot = new Probot({
    appId: options.appId,
    privateKey: options.privateKey,
    secret: options.webhookSecret,
    baseUrl: options.apiUrl,
    log: options.log,
    Octokit: Paced,
  });
  let login: Promise<string | null> | null = null;
  const botLogin = (): Promise<string | null> => {
    login ??= askLogin(probot);
    return login;
  };
  const clients = new Map<number, GitHub>();
  const app: GitHubApp = {
    async forInstallation(installationId) {
      const known = clients.get(installationId);
      if (known !== undefined) return known;
      const octokit = await probot.auth(installationId);
      octokit.hook.before("request", (request) => {
        request.headers["x-github-api-version"] = GITHUB_API_VERSION;
      });
      const client = octokitGitHub({
        octokit,
        botLogin,
        gitAuthorization: async (repo, access) => {
          // `octokit.auth({ type: "installation" })` forgets the host (platform facts §0.2): ask as the app instead.
          const asApp = await probot.auth();
          const { data } = await asApp.rest.apps.createInstallationAccessToken({
            installation_id: installationId,
            repository_ids: [repo.id],
            permissions: { contents: access },
          });
          return basicAuthorization(data.token);
        },
      });
      clients.set(installationId, client);
      return client;
    },
    async installationOf(owner, name) {
      const asApp = await probot.auth();
      try {
        return (await asApp.rest.apps.getRepoInstallation({ owner, repo: name })).data.id;
      } catch (error) {
        if (error instanceof Error && "status" in error && error.status === 404) return null;
        throw new GitHubFailed(0, `GitHub: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  };
  return { app, probot, botLogin };
}

async function askLogin(probot: Probot): Promise<string | null> {
  try {
    const { data } = await (await probot.auth()).rest.apps.getAuthenticated();
    return data?.slug ? `${data.slug}[bot]` : null;
  } catch {
    // Only the look of our own comments depends on it.
    return null;
  }
}
