import type { Installation, Label, Repository } from "../state/nouns.ts";
import { nodeId, type Simulation } from "../state/simulation.ts";
import { presentUser } from "./present-user.ts";

const REPOSITORY_URLS: Readonly<Record<string, string>> = {
  archive_url: "/{archive_format}{/ref}",
  assignees_url: "/assignees{/user}",
  blobs_url: "/git/blobs{/sha}",
  branches_url: "/branches{/branch}",
  collaborators_url: "/collaborators{/collaborator}",
  comments_url: "/comments{/number}",
  commits_url: "/commits{/sha}",
  compare_url: "/compare/{base}...{head}",
  contents_url: "/contents/{+path}",
  contributors_url: "/contributors",
  deployments_url: "/deployments",
  downloads_url: "/downloads",
  events_url: "/events",
  forks_url: "/forks",
  git_commits_url: "/git/commits{/sha}",
  git_refs_url: "/git/refs{/sha}",
  git_tags_url: "/git/tags{/sha}",
  hooks_url: "/hooks",
  issue_comment_url: "/issues/comments{/number}",
  issue_events_url: "/issues/events{/number}",
  issues_url: "/issues{/number}",
  keys_url: "/keys{/key_id}",
  labels_url: "/labels{/name}",
  languages_url: "/languages",
  merges_url: "/merges",
  milestones_url: "/milestones{/number}",
  notifications_url: "/notifications{?since,all,participating}",
  pulls_url: "/pulls{/number}",
  releases_url: "/releases{/id}",
  stargazers_url: "/stargazers",
  statuses_url: "/statuses/{sha}",
  subscribers_url: "/subscribers",
  subscription_url: "/subscription",
  tags_url: "/tags",
  teams_url: "/teams",
  trees_url: "/git/trees{/sha}",
};

/** The repository in the API. */
export const repositoryUrl = ({ urls }: Simulation, repository: Repository): string =>
  `${urls.api}/repos/${repository.fullName}`;

/** The repository's page, and without `.git` its clone address. */
export const repositoryPage = ({ urls }: Simulation, repository: Repository): string =>
  `${urls.html}/${repository.fullName}`;

/** `full-repository`; also right for `repository` and `minimal-repository`, which ask for less. */
export function presentRepository(simulation: Simulation, repository: Repository): Record<string, unknown> {
  const url = repositoryUrl(simulation, repository);
  const page = repositoryPage(simulation, repository);
  const openPulls = repository.pulls.filter((pull) => pull.state === "open").length;
  const forks = [...simulation.repositories.values()].filter((other) => other.parent === repository).length;
  return {
    id: repository.id,
    node_id: nodeId("R", repository.id),
    name: repository.name,
    full_name: repository.fullName,
    private: repository.isPrivate,
    visibility: repository.isPrivate ? "private" : "public",
    owner: presentUser(simulation, repository.owner),
    html_url: page,
    description: null,
    fork: repository.parent !== null,
    url,
    ...Object.fromEntries(Object.entries(REPOSITORY_URLS).map(([field, tail]) => [field, url + tail])),
    // What a clone must use: this server, whatever host name the client would have guessed.
    clone_url: `${page}.git`,
    git_url: `${page}.git`.replace(/^https?:/, "git:"),
    ssh_url: `git@${new URL(page).hostname}:${repository.fullName}.git`,
    svn_url: page,
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    default_branch: repository.defaultBranch,
    archived: false,
    disabled: false,
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    has_downloads: true,
    size: 1,
    forks,
    forks_count: forks,
    network_count: forks,
    stargazers_count: 0,
    watchers: 0,
    watchers_count: 0,
    subscribers_count: 0,
    open_issues: openPulls,
    open_issues_count: openPulls,
    allow_forking: true,
    topics: [],
    created_at: repository.createdAt,
    updated_at: repository.pushedAt,
    pushed_at: repository.pushedAt,
    ...(repository.parent ? { parent: presentRepository(simulation, repository.parent) } : {}),
  };
}

/** `label` */
export function presentLabel(simulation: Simulation, repository: Repository, label: Label) {
  return {
    id: label.id,
    node_id: nodeId("LA", label.id),
    url: `${repositoryUrl(simulation, repository)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    // Pull requests carry labels whose description is a string, by GitHub's own document.
    description: label.description ?? "",
    color: label.color,
    default: false,
  };
}

/** `installation` */
export function presentInstallation(simulation: Simulation, installation: Installation) {
  const { app, urls } = simulation;
  return {
    id: installation.id,
    account: presentUser(simulation, installation.account),
    repository_selection: "all",
    access_tokens_url: `${urls.api}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${urls.api}/installation/repositories`,
    html_url: `${urls.html}/settings/installations/${installation.id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: installation.account.id,
    target_type: installation.account.type === "Organization" ? "Organization" : "User",
    permissions: app.permissions,
    events: app.events,
    created_at: installation.createdAt,
    updated_at: installation.createdAt,
    single_file_name: null,
    suspended_by: null,
    suspended_at: null,
  };
}
