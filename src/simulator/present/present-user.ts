import type { App, User } from "../state/nouns.ts";
import { nodeId, type Simulation } from "../state/simulation.ts";

const USER_URLS: Readonly<Record<string, string>> = {
  followers_url: "/followers",
  following_url: "/following{/other_user}",
  gists_url: "/gists{/gist_id}",
  starred_url: "/starred{/owner}{/repo}",
  subscriptions_url: "/subscriptions",
  organizations_url: "/orgs",
  repos_url: "/repos",
  events_url: "/events{/privacy}",
  received_events_url: "/received_events",
};

/** `simple-user` */
export function presentUser({ urls }: Simulation, user: User) {
  const url = `${urls.api}/users/${encodeURIComponent(user.login)}`;
  return {
    login: user.login,
    id: user.id,
    node_id: nodeId("U", user.id),
    avatar_url: `${urls.html}/avatars/${user.id}`,
    gravatar_id: "",
    url,
    html_url:
      user.type === "Bot" ? `${urls.html}/apps/${user.login.replace("[bot]", "")}` : `${urls.html}/${user.login}`,
    ...Object.fromEntries(Object.entries(USER_URLS).map(([field, tail]) => [field, url + tail])),
    type: user.type,
    site_admin: false,
  };
}

/** `integration` */
export function presentApp(simulation: Simulation, app: App) {
  return {
    id: app.id,
    slug: app.slug,
    node_id: nodeId("A", app.id),
    owner: presentUser(simulation, app.owner),
    name: app.name,
    description: "",
    external_url: `${simulation.urls.html}/apps/${app.slug}`,
    html_url: `${simulation.urls.html}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: app.permissions,
    events: app.events,
  };
}
