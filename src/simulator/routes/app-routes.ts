import { z } from "zod";
import { redeliver } from "../events/deliver-webhook.ts";
import { installationOf } from "../events/tell-app.ts";
import { badCredentials, created, found, noContent, notFound, ok, Refusal } from "../http/answers.ts";
import { mintToken } from "../http/app-token.ts";
import { reaches } from "../http/caller.ts";
import { bodyOf, type Call, pageOf, pageOfShown, type Route } from "../http/route.ts";
import { presentInstallation, presentRepository } from "../present/present-repository.ts";
import { presentApp, presentUser } from "../present/present-user.ts";
import { isoSeconds } from "../state/clock.ts";
import type { Access, Installation, Repository } from "../state/nouns.ts";
import { type Simulation, userNamed } from "../state/simulation.ts";

const TOKEN_LIFE_MS = 3_600_000;

const TokenWish = z.object({
  repository_ids: z.array(z.number()).max(500).optional(),
  repositories: z.array(z.string()).max(500).optional(),
  permissions: z.record(z.string(), z.enum(["read", "write"])).optional(),
});
type TokenWish = z.infer<typeof TokenWish>;

/** The app and its installations, and what belongs to no repository. */
export const APP_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/app",
    for: "app",
    handle: ({ simulation }) => {
      const { app, installations } = simulation;
      return ok({ ...presentApp(simulation, app), installations_count: installations.size });
    },
  },
  {
    method: "POST",
    path: "/app-manifests/{code}/conversions",
    for: "anyone",
    handle: ({ simulation, params }) => {
      const { app, manifestCodes, privateKey, webhook } = simulation;
      if (privateKey === null || !manifestCodes.delete(params.code ?? "")) throw notFound();
      const secrets = {
        client_id: `Iv1.${app.id}`,
        client_secret: `secret-of-${app.id}`,
        webhook_secret: webhook.secret,
      };
      return created({ ...presentApp(simulation, app), ...secrets, pem: privateKey });
    },
  },
  {
    method: "GET",
    path: "/app/installations",
    for: "app",
    handle: (call) =>
      pageOfShown(call, [...call.simulation.installations.values()], (one) =>
        presentInstallation(call.simulation, one),
      ),
  },
  {
    method: "GET",
    path: "/app/installations/{installation_id}",
    for: "app",
    handle: (call) => ok(presentInstallation(call.simulation, installationIn(call))),
  },
  {
    method: "POST",
    path: "/app/installations/{installation_id}/access_tokens",
    for: "app",
    handle: (call) => giveToken(call.simulation, installationIn(call), bodyOf(TokenWish, call, "InstallationToken")),
  },
  {
    method: "GET",
    path: "/app/hook/deliveries",
    for: "app",
    handle: (call) =>
      pageOf(
        call,
        [...call.simulation.deliveries].reverse().map((delivery) => ({
          id: delivery.id,
          guid: delivery.guid,
          delivered_at: delivery.deliveredAt,
          redelivery: delivery.redelivery,
          duration: (delivery.ms ?? 0) / 1000,
          status: delivery.status,
          status_code: delivery.statusCode ?? 0,
          event: delivery.event,
          action: delivery.action,
          installation_id: delivery.installationId,
          repository_id: delivery.repositoryId,
        })),
      ),
  },
  {
    method: "POST",
    path: "/app/hook/deliveries/{delivery_id}/attempts",
    for: "app",
    handle: ({ simulation, params }) => {
      const { guid } = found(simulation.deliveries.find((delivery) => String(delivery.id) === params.delivery_id));
      redeliver(simulation, guid);
      return { status: 202, body: {} };
    },
  },
  {
    method: "GET",
    path: "/installation/repositories",
    for: "installation",
    handle: (call) => {
      const { simulation } = call;
      const shown = reachable(call);
      return pageOfShown(
        call,
        shown,
        (repository) => presentRepository(simulation, repository),
        (page, total) => ({
          total_count: total,
          repository_selection: "all",
          repositories: page,
        }),
      );
    },
  },
  {
    method: "DELETE",
    path: "/installation/token",
    for: "installation",
    handle: ({ simulation, caller }) => {
      if (caller.kind === "installation") simulation.tokens.delete(caller.secret);
      return noContent;
    },
  },
  {
    method: "GET",
    path: "/installation",
    for: "app-in-repository",
    needs: [],
    handle: ({ simulation, repository }) =>
      ok(presentInstallation(simulation, found(installationOf(simulation, repository)))),
  },
  {
    method: "GET",
    path: "/users/{username}",
    for: "anyone",
    handle: ({ simulation, params }) => {
      const user = found(simulation.users.get((params.username ?? "").toLowerCase()));
      return ok({ ...presentUser(simulation, user), name: user.login });
    },
  },
  {
    method: "GET",
    path: "/user",
    for: "anyone",
    handle: ({ simulation, caller }) => {
      if (caller.kind === "nobody") throw new Refusal(401, "Requires authentication");
      if (caller.kind !== "user") throw new Refusal(403, "Resource not accessible by integration");
      return ok(presentUser(simulation, userNamed(simulation, caller.user.login)));
    },
  },
  { method: "GET", path: "/rate_limit", for: "anyone", handle: ({ simulation }) => ok(rateLimit(simulation)) },
  {
    method: "GET",
    path: "/meta",
    for: "anyone",
    handle: () => ok({ verifiable_password_authentication: false, installed_version: "3.17.0" }),
  },
];

function installationIn({ simulation, params }: Call): Installation {
  const all = [...simulation.installations.values()];
  return found(all.find((installation) => String(installation.id) === params.installation_id));
}

function reachable({ simulation, caller }: Call): Repository[] {
  if (caller.kind !== "installation") throw badCredentials();
  return [...simulation.repositories.values()].filter((repository) => reaches(simulation, caller.token, repository));
}

function giveToken(simulation: Simulation, installation: Installation, wish: TokenWish) {
  const { app, clock } = simulation;
  const own = [...simulation.repositories.values()].filter((one) => installationOf(simulation, one) === installation);
  const isNarrowed = wish.repository_ids !== undefined || wish.repositories !== undefined;
  const chosen = own.filter(
    ({ id, name }) => wish.repository_ids?.includes(id) === true || wish.repositories?.includes(name) === true,
  );
  if (chosen.length < (wish.repository_ids?.length ?? 0) + (wish.repositories?.length ?? 0)) {
    throw new Refusal(
      422,
      "There is at least one repository that does not exist or is not accessible to the parent installation.",
    );
  }
  const permissions = wish.permissions ?? app.permissions;
  const isGranted = ([name, access]: [string, Access]) =>
    app.permissions[name] !== undefined && (access === "read" || app.permissions[name] === "write");
  if (!Object.entries(permissions).every(isGranted)) {
    throw new Refusal(422, "The permissions requested are not granted to this installation.");
  }
  const expiresAt = clock.now() + TOKEN_LIFE_MS;
  const secret = mintToken(simulation, installation.id);
  const repositoryIds = isNarrowed ? new Set(chosen.map(({ id }) => id)) : null;
  // Every token may read metadata, asked for or not.
  simulation.tokens.set(secret, {
    installation,
    repositoryIds,
    expiresAt,
    permissions: { metadata: "read", ...permissions },
  });
  return created({
    token: secret,
    expires_at: isoSeconds(expiresAt),
    permissions: { metadata: "read", ...permissions },
    repository_selection: isNarrowed ? "selected" : "all",
    ...(isNarrowed ? { repositories: chosen.map((repository) => presentRepository(simulation, repository)) } : {}),
  });
}

/** Always a full purse: limits are not simulated. */
function rateLimit({ clock }: Simulation) {
  const purse = { limit: 5000, used: 0, remaining: 5000, reset: Math.floor(clock.now() / 1000) + 3600 };
  return { resources: { core: purse, search: purse, graphql: purse }, rate: purse };
}
